/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/maps/breakdown.h: the breakdown of a process's memory. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/maps/breakdown.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024 };

#define RESIDENT                                                                                   \
	(UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_SHARED_CLEAN |                        \
		UINT64_C(1) << MAPPING_SHARED_DIRTY | UINT64_C(1) << MAPPING_PRIVATE_CLEAN |       \
		UINT64_C(1) << MAPPING_PRIVATE_DIRTY | UINT64_C(1) << MAPPING_ANONYMOUS)

/*
 * A mapping of PATH with amounts in KiB: shared clean, shared dirty, private clean, private dirty
 * and so on.
 */
static struct mapping mapping_of(const char *path, const char *perms, uint64_t inode, uint64_t sc,
	uint64_t sd, uint64_t pc, uint64_t pd, uint64_t anonymous)
{
	struct mapping m = {
		.start = 0x1000,
		.end = 0x100000,
		.inode = inode,
		.path = path,
		.path_len = strlen(path),
		.flags = "",
		.present = RESIDENT,
	};

	memcpy(m.perms, perms, sizeof(m.perms));
	m.q[MAPPING_SHARED_CLEAN] = sc * KIB;
	m.q[MAPPING_SHARED_DIRTY] = sd * KIB;
	m.q[MAPPING_PRIVATE_CLEAN] = pc * KIB;
	m.q[MAPPING_PRIVATE_DIRTY] = pd * KIB;
	m.q[MAPPING_ANONYMOUS] = anonymous * KIB;
	m.q[MAPPING_RSS] = (sc + sd + pc + pd) * KIB;
	return m;
}

static void parts_follow_from_smaps(void **state)
{
	static const struct {
		const char *path, *perms;
		uint64_t inode, sc, sd, pc, pd, anonymous;
		uint64_t alone[BREAKDOWN_PARTS], shared[BREAKDOWN_PARTS]; /* KiB */
	} cases[] = {
		{"[heap]", "rw-p", 0, 0, 8, 4, 16, 28, {20, 0, 0}, {8, 0, 0}},
		{"", "rw-p", 0, 0, 0, 0, 16, 16, {16, 0, 0}, {0, 0, 0}},
		{"/lib/a", "r-xp", 5, 60, 0, 12, 0, 0, {0, 0, 12}, {0, 0, 60}},
		/* .data: 8 KiB were written, 4 were not, and no other process maps these. */
		{"/lib/a", "rw-p", 5, 0, 0, 4, 8, 8, {8, 0, 4}, {0, 0, 0}},
		/* The same after a fork: all is shared, and some of it is the file's. */
		{"/lib/a", "rw-p", 5, 4, 8, 0, 0, 8, {0, 0, 0}, {8, 0, 4}},
		{"/memfd:a (deleted)", "rw-s", 6, 0, 100, 0, 50, 0, {0, 50, 0}, {0, 100, 0}},
		/* A private mapping of shared memory, partly written. */
		{"/memfd:a (deleted)", "rw-p", 6, 0, 100, 0, 50, 50, {50, 0, 0}, {0, 100, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mapping m = mapping_of(cases[i].path, cases[i].perms, cases[i].inode,
			cases[i].sc, cases[i].sd, cases[i].pc, cases[i].pd, cases[i].anonymous);
		struct breakdown p;

		breakdown_init(&p);
		assert_int_equal(breakdown_add(&p, 42, &m), 0);
		for (unsigned int k = 0; k < BREAKDOWN_PARTS; k++) {
			assert_int_equal(p.alone[k], cases[i].alone[k] * KIB);
			assert_int_equal(p.shared[k], cases[i].shared[k] * KIB);
		}
		breakdown_done(&p);
	}
}

/*
 * 12 KiB were written, 8 were not, and 10 of all are shared. So 2 to 10 KiB of the written ones
 * are not shared.
 */
static void pagemap_settles_a_doubt(void **state)
{
	static const struct {
		uint64_t found, alone, shared, alone_file, shared_file;
	} cases[] = {
		{0, 2, 10, 8, 0}, /* pagemap was read at another time */
		{2, 2, 10, 8, 0},
		{5, 5, 7, 5, 3},
		{10, 10, 2, 0, 8},
		{99, 10, 2, 0, 8},
	};
	const struct mapping m = mapping_of("/lib/a", "rw-p", 5, 5, 5, 5, 5, 12);

	(void)state;
	assert_int_equal(breakdown_doubt(&m), 8 * KIB);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct breakdown p;

		breakdown_init(&p);
		assert_int_equal(breakdown_add(&p, 42, &m), 0);
		assert_int_equal(p.doubt, 8 * KIB);
		assert_int_equal(p.alone[BREAKDOWN_ANON], 10 * KIB);
		breakdown_settle(&p, &m, cases[i].found * KIB);
		assert_int_equal(p.doubt, 0);
		assert_int_equal(p.alone[BREAKDOWN_ANON], cases[i].alone * KIB);
		assert_int_equal(p.shared[BREAKDOWN_ANON], cases[i].shared * KIB);
		assert_int_equal(p.alone[BREAKDOWN_FILE], cases[i].alone_file * KIB);
		assert_int_equal(p.shared[BREAKDOWN_FILE], cases[i].shared_file * KIB);
		breakdown_done(&p);
	}
}

static void unmixed_mappings_have_no_doubt(void **state)
{
	const struct mapping anon = mapping_of("", "rw-p", 0, 4, 4, 4, 4, 16);
	const struct mapping file = mapping_of("/lib/a", "r-xp", 5, 4, 4, 4, 4, 0);
	const struct mapping alone = mapping_of("/lib/a", "rw-p", 5, 0, 0, 4, 4, 6);
	struct mapping unknown = mapping_of("/lib/a", "rw-p", 5, 5, 5, 5, 5, 12);

	(void)state;
	assert_int_equal(breakdown_doubt(&anon), 0);
	assert_int_equal(breakdown_doubt(&file), 0);
	assert_int_equal(breakdown_doubt(&alone), 0);
	unknown.present = UINT64_C(1) << MAPPING_RSS;
	assert_int_equal(breakdown_doubt(&unknown), 0);
}

/* For random mappings the parts always add up to the RSS. */
static void parts_add_up(void **state)
{
	static const char *const paths[] = {
		"", "[heap]", "[stack]", "[vdso]", "/a", "/memfd:a", "/SYSV00000000"};
	uint64_t seed = 1;

	(void)state;
	for (unsigned int n = 0; n < 10000; n++) {
		uint64_t kib[4], rss = 0, sum = 0;
		struct breakdown p;
		struct mapping m;

		for (unsigned int i = 0; i < 4; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			kib[i] = (seed >> 33) % 100;
			rss += kib[i];
		}
		m = mapping_of(paths[n % ARRAY_SIZE(paths)], n % 2 ? "rw-p" : "r--s",
			n % ARRAY_SIZE(paths) > 3, kib[0], kib[1], kib[2], kib[3],
			seed % (rss + 1));
		breakdown_init(&p);
		assert_int_equal(breakdown_add(&p, 42, &m), 0);
		for (unsigned int k = 0; k < BREAKDOWN_PARTS; k++)
			sum += p.alone[k] + p.shared[k];
		assert_int_equal(sum, rss * KIB);
		assert_int_equal(p.total.q[MAPPING_RSS], rss * KIB);
		breakdown_settle(&p, &m, seed % (rss + 1) / 2 * KIB);
		for (unsigned int k = 0; k < BREAKDOWN_PARTS; k++) {
			assert_true(p.alone[k] <= rss * KIB && p.shared[k] <= rss * KIB);
			sum -= p.alone[k] + p.shared[k];
		}
		assert_int_equal(sum, 0);
		assert_int_equal(p.doubt, 0);
		breakdown_done(&p);
	}
}

/*
 * Whether memory is freed with its last user or is cached depends on the object that keeps it, not
 * on whether that is a file.
 */
static void parts_depend_on_the_object_that_keeps_them(void **state)
{
	static const struct {
		const char *path, *flags;
		uint32_t major;
		enum mapping_fate fate;
		bool has_name;
		enum breakdown_part expected;
		enum mapping_store store;
	} cases[] = {
		{"/srv/file", "rd sh", 8, MAPPING_NOT_ASKED, false, BREAKDOWN_FILE},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_NOT_ASKED, false, BREAKDOWN_UNLINKED},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_DELETED, false, BREAKDOWN_UNLINKED},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_REPLACED, false, BREAKDOWN_UNLINKED},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_UNLINKED, false, BREAKDOWN_UNLINKED},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_DELETED, true, BREAKDOWN_FILE},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_THERE, false, BREAKDOWN_FILE},
		{"/srv/file (deleted)", "rd sh", 8, MAPPING_LITERAL, false, BREAKDOWN_FILE},
		{"socket:[7]", "rd wr sh mm", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_DRIVER},
		{"anon_inode:bpf-map", "rd wr sh mm", 0, MAPPING_NOT_ASKED, false,
			BREAKDOWN_DRIVER},
		{"/secretmem (deleted)", "rd wr sh lo", 0, MAPPING_NOT_ASKED, false,
			BREAKDOWN_SHMEM},
		{"/memfd:a (deleted)", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_SHMEM},
		{"[anon_shmem:a]", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_SHMEM},
		{"/dev/shm/a", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_NAMED},
		{"/dev/shm/a (deleted)", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_SHMEM},
		/* A known device decides, whatever the path looks like. */
		{"/run/a", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_FILE},
		{"/run/a", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_NAMED,
			MAPPING_STORE_MEMORY},
		{"/run/a (deleted)", "rd wr sh", 0, MAPPING_DELETED, false, BREAKDOWN_SHMEM,
			MAPPING_STORE_MEMORY},
		{"/run/a (deleted)", "rd wr sh", 0, MAPPING_DELETED, true, BREAKDOWN_NAMED,
			MAPPING_STORE_MEMORY},
		{"/run/a (deleted)", "rd wr sh", 0, MAPPING_LITERAL, false, BREAKDOWN_NAMED,
			MAPPING_STORE_MEMORY},
		{"/dev/shm/a", "rd wr sh", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_FILE,
			MAPPING_STORE_DISK},
		{"/dev/dri/card0", "rd wr sh io", 0, MAPPING_NOT_ASKED, false, BREAKDOWN_DRIVER,
			MAPPING_STORE_MEMORY},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mapping m = mapping_of(cases[i].path, "rw-s", 7, 0, 0, 8, 0, 0);
		struct breakdown p;

		m.major = cases[i].major;
		m.flags = cases[i].flags;
		m.flags_len = strlen(m.flags);
		m.fate = cases[i].fate;
		m.has_name = cases[i].has_name;
		m.store = cases[i].store;
		breakdown_init(&p);
		assert_int_equal(breakdown_add(&p, 42, &m), 0);
		if (p.alone[cases[i].expected] != 8 * KIB)
			fail_msg("%s, %d", cases[i].path, (int)cases[i].fate);
		breakdown_done(&p);
	}
}

static void returns_errors_without_memory(void **state)
{
	const struct mapping m = mapping_of("/a", "rw-p", 5, 1, 2, 3, 4, 5);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct breakdown p;

		breakdown_init(&p);
		allocation_fail_at(n);
		allocation_check(breakdown_add(&p, 42, &m));
		breakdown_done(&p);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_follow_from_smaps),
		cmocka_unit_test(pagemap_settles_a_doubt),
		cmocka_unit_test(unmixed_mappings_have_no_doubt),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(parts_depend_on_the_object_that_keeps_them),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
