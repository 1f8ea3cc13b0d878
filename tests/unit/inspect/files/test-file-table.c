/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/files/file-table.h: the file table. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/files/file-table.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024, ALICE = 1000, BOB = 1001 };

#define BIT(field) (UINT64_C(1) << (field))
#define USUAL                                                                                      \
	(BIT(MAPPING_SIZE) | BIT(MAPPING_RSS) | BIT(MAPPING_PSS) | BIT(MAPPING_PRIVATE_CLEAN) |    \
		BIT(MAPPING_PRIVATE_DIRTY) | BIT(MAPPING_ANONYMOUS) | BIT(MAPPING_SWAP) |          \
		BIT(MAPPING_SWAP_PSS) | BIT(MAPPING_SHARED_HUGETLB) |                              \
		BIT(MAPPING_PRIVATE_HUGETLB))

struct part {
	const char *perms, *path;
	uint64_t inode, rss, pss, dirty, copies; /* KiB */
};

static struct mapping mapping_of(const struct part *p)
{
	struct mapping m = {
		.start = 0x1000,
		.end = 0x11000,
		.inode = p->inode,
		.major = p->inode && strncmp(p->path, "/memfd:", 7) != 0 ? 8 : 0,
		.minor = p->inode ? 1 : 0,
		.path = p->path,
		.path_len = strlen(p->path),
		.flags = "",
		.present = USUAL,
		.q[MAPPING_SIZE] = 64 * KIB,
		.q[MAPPING_RSS] = p->rss * KIB,
		.q[MAPPING_PSS] = p->pss * KIB,
		.q[MAPPING_PRIVATE_DIRTY] = p->dirty * KIB,
		.q[MAPPING_ANONYMOUS] = p->copies * KIB,
	};

	snprintf(m.perms, sizeof(m.perms), "%s", p->perms);
	return m;
}

static int add(struct file_table *s, const struct part *p, uint32_t *ret_row)
{
	struct mapping m = mapping_of(p);

	return file_table_add(s, &m, ret_row);
}

/* A library in three mappings with dirty data; memory without a file; a memfd. */
static const struct part parts[] = {
	{"r-xp", "/lib/a.so", 7, 40, 10, 0, 0},
	{"r--p", "/lib/a.so", 7, 20, 8, 4, 4},
	{"rw-p", "/lib/a.so", 7, 16, 12, 12, 12},
	{"rw-p", "", 0, 90, 90, 90, 90},
	{"rw-p", "[heap]", 0, 90, 90, 90, 90},
	{"rw-s", "/memfd:ring (deleted)", 9, 8, 4, 0, 0},
};

static int tell(struct file_table *s, uint32_t uid, size_t count)
{
	uint32_t row;
	int r = 0;

	file_table_begin(s);
	for (size_t i = 0; r >= 0 && i < count; i++)
		r = add(s, &parts[i], &row);
	return r < 0 ? r : file_table_commit(s, uid);
}

static const struct file_table_row *row_of(const struct file_table *s, const char *name)
{
	for (size_t i = 0; i < s->rows; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static void adds_up_files_of_processes(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	const struct file_table_row *a, *ring;

	(void)state;
	assert_int_equal(tell(&s, ALICE, ARRAY_SIZE(parts)), 0);
	assert_int_equal(tell(&s, ALICE, 2), 0);
	assert_int_equal(tell(&s, BOB, 1), 0);
	assert_int_equal(s.rows, 2);
	assert_int_equal(s.processes, 3);
	assert_int_equal(s.users, 2);
	a = row_of(&s, "/lib/a.so");
	assert_int_equal(a->kind, KIND_FILE);
	assert_int_equal(a->fate, FILE_TABLE_THERE);
	assert_null(a->path);
	assert_true(a->is_executable);
	assert_false(a->is_exact);
	assert_int_equal(a->q[FILE_TABLE_PROCESSES], 3);
	assert_int_equal(a->q[FILE_TABLE_USERS], 2);
	assert_int_equal(a->q[FILE_TABLE_MAPPINGS], 6);
	assert_int_equal(a->q[FILE_TABLE_SIZE], 6 * 64 * KIB);
	assert_int_equal(a->q[FILE_TABLE_RSS], (3 * 40 + 2 * 20 + 16) * KIB);
	assert_int_equal(a->q[FILE_TABLE_PSS], (3 * 10 + 2 * 8 + 12) * KIB);
	assert_int_equal(a->q[FILE_TABLE_RESIDENT], (3 * 10 + 2 * 4) * KIB);
	assert_int_equal(a->q[FILE_TABLE_PRIVATE_DIRTY], (2 * 4 + 12) * KIB);
	assert_int_equal(a->q[FILE_TABLE_PRIVATE_DIRTY_MOST], 16 * KIB);
	assert_int_equal(a->q[FILE_TABLE_ANONYMOUS], (2 * 4 + 12) * KIB);
	ring = row_of(&s, "memfd:ring");
	assert_int_equal(ring->kind, KIND_SHMEM);
	assert_int_equal(ring->fate, FILE_TABLE_THERE);
	assert_int_equal(ring->q[FILE_TABLE_PROCESSES], 1);
	assert_false(ring->is_executable);
}

static void reports_the_parts_of_a_process(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	uint32_t row = 99;

	(void)state;
	assert_int_equal(tell(&s, ALICE, 3), 0);
	assert_int_equal(s.parts, 1);
	assert_int_equal(s.part[0].row, 0);
	assert_int_equal(s.part[0].q[FILE_TABLE_RSS], 76 * KIB);
	assert_true(s.part[0].is_executable);
	file_table_begin(&s);
	assert_int_equal(s.parts, 0);
	assert_int_equal(add(&s, &parts[3], &row), FILE_TABLE_NO_FILE);
	assert_int_equal(row, 99);
	assert_int_equal(add(&s, &parts[5], &row), 0);
	assert_int_equal(row, 1);
	assert_int_equal(add(&s, &parts[0], &row), 0);
	assert_int_equal(row, 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.parts, 2);
	assert_int_equal(s.part[1].row, 0);
	assert_int_equal(s.part[1].q[FILE_TABLE_RSS], 40 * KIB);
}

/* An inode with several names, a name with several inodes, and several devices. */
static void identifies_files_by_device_inode_and_name(void **state)
{
	static const struct part some[] = {
		{"r--p", "/a", 1, 4, 4, 0, 0},
		{"r--p", "/b", 1, 4, 4, 0, 0},
		{"r--p", "/a", 2, 4, 4, 0, 0},
		{"r--p", "/a", 1, 4, 4, 0, 0},
	};
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS, .seed = 42};
	struct mapping m = mapping_of(&some[0]);
	uint32_t row;

	(void)state;
	file_table_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		assert_int_equal(add(&s, &some[i], &row), 0);
		assert_int_equal(row, i % 3);
	}
	m.minor = 2;
	assert_int_equal(file_table_add(&s, &m, &row), 0);
	assert_int_equal(row, 3);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[0].q[FILE_TABLE_MAPPINGS], 2);
}

static void abandoned_processes_leave_nothing(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	static const struct part other = {"r--p", "/b", 8, 4, 4, 0, 0};
	struct file_table_row before;
	size_t text;
	uint32_t row;

	(void)state;
	assert_int_equal(tell(&s, ALICE, 1), 0);
	before = s.row[0];
	text = s.text;
	file_table_begin(&s);
	assert_int_equal(add(&s, &parts[2], &row), 0);
	assert_int_equal(add(&s, &other, &row), 0);
	assert_int_equal(row, 1);
	file_table_begin(&s);
	assert_int_equal(s.rows, 1);
	assert_int_equal(s.parts, 0);
	assert_int_equal(s.text, text);
	assert_memory_equal(s.row[0].q, before.q, sizeof(before.q));
	assert_int_equal(s.processes, 1);
	assert_int_equal(s.users, 1);
	/* The table can still be used. */
	file_table_begin(&s);
	assert_int_equal(add(&s, &other, &row), 0);
	assert_int_equal(add(&s, &parts[0], &row), 0);
	assert_int_equal(row, 0);
	assert_int_equal(file_table_commit(&s, BOB), 0);
	assert_int_equal(s.row[0].q[FILE_TABLE_PROCESSES], 2);
	assert_int_equal(s.row[1].q[FILE_TABLE_PROCESSES], 1);
}

static void keeps_the_fate_of_files(void **state)
{
	static const struct part some[] = {
		{"r-xp", "/lib/a.so (deleted)", 1, 4, 4, 0, 0},
		{"r-xp", "/srv/b (deleted)", 2, 4, 4, 0, 0},
		{"r-xp", "/srv/c\\012d (deleted)", 3, 4, 4, 0, 0},
	};
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	uint32_t row;

	(void)state;
	file_table_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		assert_int_equal(add(&s, &some[i], &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		assert_int_equal(s.row[i].fate, FILE_TABLE_UNCERTAIN);
		assert_string_equal(s.row[i].path, some[i].path);
	}
	assert_int_equal(file_table_settle(&s, 0, FILE_TABLE_REPLACED, false), 0);
	assert_int_equal(file_table_settle(&s, 1, FILE_TABLE_THERE, true), 0);
	assert_int_equal(file_table_settle(&s, 1, FILE_TABLE_THERE, true), 0);
	assert_int_equal(s.row[0].fate, FILE_TABLE_REPLACED);
	assert_string_equal(s.row[0].name, "/lib/a.so");
	assert_int_equal(s.row[1].fate, FILE_TABLE_THERE);
	assert_string_equal(s.row[1].name, "/srv/b (deleted)");
	/* A process that maps the file afterwards maps the same file. */
	file_table_begin(&s);
	assert_int_equal(add(&s, &some[1], &row), 0);
	assert_int_equal(row, 1);
	assert_int_equal(file_table_commit(&s, BOB), 0);
	assert_int_equal(s.rows, 3);
}

static void absent_quantities_stay_absent(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	struct mapping m = mapping_of(&parts[0]);
	uint32_t row;

	(void)state;
	assert_int_equal(tell(&s, ALICE, 1), 0);
	assert_int_equal(s.row[0].present, BIT(FILE_TABLE_FIELDS) - 1);
	file_table_begin(&s);
	m.present = BIT(MAPPING_RSS) | BIT(MAPPING_ANONYMOUS);
	assert_int_equal(file_table_add(&s, &m, &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[0].present, BIT(FILE_TABLE_PROCESSES) | BIT(FILE_TABLE_USERS) |
						   BIT(FILE_TABLE_MAPPINGS) | BIT(FILE_TABLE_RSS) |
						   BIT(FILE_TABLE_ANONYMOUS));
}

/*
 * Each process that maps shared memory reports all of its swapped pages, and of private copies its
 * share.
 */
static void swapped_memory_counts_once(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	struct mapping ring = mapping_of(&parts[5]), data = mapping_of(&parts[2]);
	uint32_t row;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		file_table_begin(&s);
		ring.q[MAPPING_SWAP] = (100 + 10 * i) * KIB;
		data.q[MAPPING_SWAP] = 40 * KIB;
		data.q[MAPPING_SWAP_PSS] = 20 * KIB;
		assert_int_equal(file_table_add(&s, &ring, &row), 0);
		assert_int_equal(file_table_add(&s, &data, &row), 0);
		assert_int_equal(file_table_commit(&s, ALICE), 0);
	}
	assert_int_equal(s.row[0].q[FILE_TABLE_SWAP], 110 * KIB);
	assert_int_equal(s.row[1].q[FILE_TABLE_SWAP], 40 * KIB);
	/* A private mapping of it with swapped copies. */
	file_table_begin(&s);
	ring.q[MAPPING_SWAP] = 116 * KIB;
	ring.q[MAPPING_SWAP_PSS] = 4 * KIB;
	assert_int_equal(file_table_add(&s, &ring, &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[0].q[FILE_TABLE_SWAP], 116 * KIB);
	/* All swapped pages are copies, which limits the number of copies. */
	for (unsigned int i = 0; i < 2; i++) {
		file_table_begin(&s);
		ring.q[MAPPING_SWAP] = 4 * KIB;
		ring.q[MAPPING_SWAP_PSS] = (i ? 8 : 4) * KIB;
		assert_int_equal(file_table_add(&s, &ring, &row), 0);
		assert_int_equal(file_table_commit(&s, ALICE), 0);
	}
	assert_int_equal(s.row[0].q[FILE_TABLE_SWAP], 124 * KIB);
	file_table_begin(&s);
	ring.present &= ~BIT(MAPPING_SWAP_PSS);
	ring.q[MAPPING_SWAP] = 120 * KIB;
	ring.q[MAPPING_SWAP_PSS] = 0;
	assert_int_equal(file_table_add(&s, &ring, &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[0].q[FILE_TABLE_SWAP], 132 * KIB);
	/* Without SwapPss the shares of copies are unknown. */
	file_table_begin(&s);
	data.present &= ~BIT(MAPPING_SWAP_PSS);
	assert_int_equal(file_table_add(&s, &data, &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[1].q[FILE_TABLE_SWAP], 80 * KIB);
}

/* tmpfs files have paths like others, and a private mapping may have swapped copies. */
static void swapped_files_count_once(void **state)
{
	static const struct part pool = {"rw-s", "/run/pool", 5, 8, 4, 0, 0};
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	uint32_t row;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct mapping m = mapping_of(&pool);

		assert_int_equal(kind_of(&m), KIND_FILE);
		m.q[MAPPING_SWAP] = 100 * KIB;
		file_table_begin(&s);
		assert_int_equal(file_table_add(&s, &m, &row), 0);
		assert_int_equal(file_table_commit(&s, ALICE), 0);
	}
	assert_int_equal(s.row[0].q[FILE_TABLE_SWAP], 100 * KIB);
}

static void counts_huge_pages_separately(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	struct mapping m = mapping_of(&(struct part){"rw-s", "/mnt/huge/pool", 3, 0, 0, 0, 0});
	uint32_t row;

	(void)state;
	m.flags = "rd ht";
	m.flags_len = 5;
	m.q[MAPPING_SHARED_HUGETLB] = 2048 * KIB;
	m.q[MAPPING_PRIVATE_HUGETLB] = 4096 * KIB;
	file_table_begin(&s);
	assert_int_equal(file_table_add(&s, &m, &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.row[0].kind, KIND_HUGETLB);
	assert_int_equal(s.row[0].q[FILE_TABLE_HUGETLB], 6144 * KIB);
	assert_int_equal(s.row[0].q[FILE_TABLE_RSS], 0);
}

static void files_without_room_are_in_the_rest(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = {.rows = 10, .text = 1000, .users = 1000}};
	struct file_table_row total;
	char path[300];
	uint32_t row = 0;

	(void)state;
	for (unsigned int uid = 0; uid < 2; uid++) {
		file_table_begin(&s);
		for (unsigned int i = 0; i < 15; i++) {
			struct part p = {"r--p", path, i + 1, 8, 4, 0, 0};

			snprintf(path, sizeof(path), "/%u", i);
			assert_int_equal(add(&s, &p, &row), i < 10 ? 0 : FILE_TABLE_FULL);
		}
		assert_int_equal(s.parts, 11);
		assert_int_equal(s.part[10].row, FILE_TABLE_REST);
		assert_int_equal(file_table_commit(&s, uid), 0);
	}
	assert_int_equal(s.rows, 10);
	assert_int_equal(s.rest.q[FILE_TABLE_PROCESSES], 2);
	assert_int_equal(s.rest.q[FILE_TABLE_USERS], 2);
	assert_int_equal(s.rest.q[FILE_TABLE_MAPPINGS], 10);
	assert_int_equal(s.rest.q[FILE_TABLE_RSS], 80 * KIB);
	assert_int_equal(s.row[9].q[FILE_TABLE_PROCESSES], 2);
	file_table_total(&s, &total);
	assert_int_equal(total.q[FILE_TABLE_PROCESSES], 2);
	assert_int_equal(total.q[FILE_TABLE_MAPPINGS], 30);
	assert_int_equal(total.q[FILE_TABLE_RSS], 240 * KIB);
	file_table_begin(&s);
	assert_int_equal(s.rest.part, 0);
}

static void limits_names(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = {.rows = 1000, .text = 1000, .users = 1000}};
	char path[300];
	uint32_t row;
	size_t fit = 0;

	(void)state;
	file_table_begin(&s);
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	snprintf(path + sizeof(path) - 11, 11, " (deleted)");
	for (unsigned int i = 0; i < 10; i++) {
		struct part p = {"r--p", path, i + 1, 8, 4, 0, 0};

		fit += add(&s, &p, &row) == 0;
	}
	assert_int_equal(fit, 1); /* the name, and the path until the file's fate is known */
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(s.rest.q[FILE_TABLE_MAPPINGS], 9);
}

static void limits_users(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = {.rows = 10, .text = 1000, .users = 50}};

	(void)state;
	for (uint32_t uid = 0; uid < 25; uid++)
		assert_int_equal(tell(&s, uid, 1), 0);
	assert_false(s.users_are_low);
	assert_int_equal(s.users, 25);
	for (uint32_t uid = 0; uid < 100; uid++)
		assert_int_equal(tell(&s, uid, 1), 0);
	assert_true(s.users_are_low);
	assert_int_equal(s.row[0].q[FILE_TABLE_USERS], 25);
	assert_int_equal(s.row[0].q[FILE_TABLE_PROCESSES], 125);
}

static void sorts_rows(void **state)
{
	static const struct part some[] = {
		{"r--p", "/b", 1, 4, 4, 0, 0},
		{"r--p", "/c", 2, 8, 8, 0, 0},
		{"r--p", "/a", 3, 4, 4, 0, 0},
	};
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	AUTO_FREE uint32_t *order = NULL, *by_name = NULL;
	uint32_t row;

	(void)state;
	file_table_begin(&s);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		assert_int_equal(add(&s, &some[i], &row), 0);
	assert_int_equal(file_table_commit(&s, ALICE), 0);
	assert_int_equal(file_table_order(&s, FILE_TABLE_PSS, &order), 0);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 2);
	assert_int_equal(order[2], 0);
	s.row[1].present &= ~BIT(FILE_TABLE_RSS);
	assert_int_equal(file_table_order(&s, FILE_TABLE_RSS, &by_name), 0);
	assert_int_equal(by_name[0], 2);
	assert_int_equal(by_name[2], 1);
}

static void uses_page_table_results(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	struct file_table_row total;

	(void)state;
	assert_int_equal(tell(&s, ALICE, ARRAY_SIZE(parts)), 0);
	file_table_set_resident(&s, 0, 44 * KIB, true);
	assert_int_equal(s.row[0].q[FILE_TABLE_RESIDENT], 44 * KIB);
	assert_true(s.row[0].is_exact);
	/* The second file cannot have less than its processes' shares of it. */
	file_table_set_resident(&s, 1, 2 * KIB, true);
	assert_int_equal(s.row[1].q[FILE_TABLE_RESIDENT], 4 * KIB);
	assert_false(s.row[1].is_exact);
	file_table_total(&s, &total);
	assert_int_equal(total.q[FILE_TABLE_RESIDENT], 48 * KIB);
	assert_int_equal(total.q[FILE_TABLE_PRIVATE_DIRTY_MOST], 16 * KIB);
	assert_false(total.is_exact);
	file_table_set_resident(&s, 1, 8 * KIB, true);
	file_table_total(&s, &total);
	assert_true(total.is_exact);
}

static void counts_files_without_room(void **state)
{
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
	struct mapping m = mapping_of(&parts[0]);
	uint32_t row;

	(void)state;
	m.q[MAPPING_RSS] = INT64_MAX;
	file_table_begin(&s);
	assert_int_equal(file_table_add(&s, &m, &row), 0);
	assert_int_equal(file_table_add(&s, &m, &row), 0);
	assert_int_equal(file_table_add(&s, &m, &row), -EOVERFLOW);
	for (unsigned int i = 0; i < 3; i++) {
		file_table_begin(&s);
		assert_int_equal(file_table_add(&s, &m, &row), 0);
		assert_int_equal(file_table_commit(&s, ALICE), i < 2 ? 0 : -EOVERFLOW);
	}
}

/*
 * Random mappings of many files by many processes and users; the sums equal those of a simple
 * count.
 */
static void random_sums_equal_a_simple_count(void **state)
{
	enum { FILES = 500, PROCESSES = 60, USERS = 7, MAPPINGS = 300 };
	static uint64_t rss[FILES + 1], processes[FILES + 1], most[FILES + 1];
	static bool users[FILES + 1][USERS];
	AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS, .seed = 7};
	uint32_t random = 1, row;
	char path[20];

	(void)state;
	for (unsigned int p = 0; p < PROCESSES; p++) {
		bool is_whole = p % 5 != 0;
		uint64_t dirty[FILES + 1] = {0};

		file_table_begin(&s);
		for (unsigned int i = 0; i < MAPPINGS; i++) {
			struct part part = {"rw-p", path, 0, 8, 4, 4, 4};

			random = random * 1103515245 + 12345;
			part.inode = 1 + (random >> 8) % (1 + p * FILES / PROCESSES);
			snprintf(path, sizeof(path), "/%llu", (unsigned long long)part.inode);
			assert_int_equal(add(&s, &part, &row), 0);
			if (!is_whole)
				continue;
			rss[part.inode] += 8 * KIB;
			processes[part.inode] += !dirty[part.inode];
			dirty[part.inode] += 4 * KIB;
			if (dirty[part.inode] > most[part.inode])
				most[part.inode] = dirty[part.inode];
			users[part.inode][p % USERS] = true;
		}
		if (is_whole)
			assert_int_equal(file_table_commit(&s, p % USERS), 0);
		else
			file_table_begin(&s);
	}
	for (size_t i = 0; i < s.rows; i++) {
		uint64_t file = s.row[i].inode, count = 0;

		for (unsigned int u = 0; u < USERS; u++)
			count += users[file][u];
		assert_int_equal(s.row[i].q[FILE_TABLE_RSS], rss[file]);
		assert_int_equal(s.row[i].q[FILE_TABLE_PROCESSES], processes[file]);
		assert_int_equal(s.row[i].q[FILE_TABLE_PRIVATE_DIRTY_MOST], most[file]);
		assert_int_equal(s.row[i].q[FILE_TABLE_USERS], count);
		rss[file] = 0;
	}
	for (size_t i = 0; i <= FILES; i++)
		assert_int_equal(rss[i], 0);
}

static void fates_have_names(void **state)
{
	(void)state;
	assert_string_equal(file_table_fate_name(FILE_TABLE_REPLACED), "replaced");
}

static int do_all(struct file_table *s)
{
	AUTO_FREE uint32_t *order = NULL;
	static const struct part gone = {"r--p", "/gone (deleted)", 3, 4, 4, 0, 0};
	uint32_t row = 0;
	int r = tell(s, ALICE, ARRAY_SIZE(parts));

	if (r == 0)
		r = tell(s, BOB, ARRAY_SIZE(parts));
	file_table_begin(s);
	if (r == 0)
		r = add(s, &gone, &row);
	if (r == 0)
		r = file_table_commit(s, BOB);
	if (r == 0)
		r = file_table_settle(s, row, FILE_TABLE_THERE, true);
	return r == 0 ? file_table_order(s, FILE_TABLE_RSS, &order) : r;
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_FILE_TABLE struct file_table s = {.max = FILE_TABLE_LIMITS};
		bool has_failed;
		int r;

		allocation_fail_at(n);
		r = do_all(&s);
		has_failed = allocation_end();
		assert_true(r == 0 || (has_failed && r == -ENOMEM));
		/* Failing to remember the last path is no error. */
		if (r == 0)
			assert_int_equal(s.row[0].q[FILE_TABLE_PROCESSES], 2);
		/* The table works again once there is memory. */
		assert_int_equal(do_all(&s), 0);
		if (!has_failed)
			break;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_files_of_processes),
		cmocka_unit_test(reports_the_parts_of_a_process),
		cmocka_unit_test(identifies_files_by_device_inode_and_name),
		cmocka_unit_test(abandoned_processes_leave_nothing),
		cmocka_unit_test(keeps_the_fate_of_files),
		cmocka_unit_test(absent_quantities_stay_absent),
		cmocka_unit_test(swapped_memory_counts_once),
		cmocka_unit_test(swapped_files_count_once),
		cmocka_unit_test(counts_huge_pages_separately),
		cmocka_unit_test(files_without_room_are_in_the_rest),
		cmocka_unit_test(limits_names),
		cmocka_unit_test(limits_users),
		cmocka_unit_test(sorts_rows),
		cmocka_unit_test(uses_page_table_results),
		cmocka_unit_test(counts_files_without_room),
		cmocka_unit_test(random_sums_equal_a_simple_count),
		cmocka_unit_test(fates_have_names),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
