/* SPDX-License-Identifier: Apache-2.0 */
/* Tests with children that map files, and with a simulated /proc. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "inspect/files/inventory.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/process/waiter.h"
#include "tests/unit/support/tree/tree.h"

enum { PAGES = 64, FIRST = 5, WRITTEN = 7, LATER = 9, ALSO = 3 };

static struct procfs procfs;
static volatile char *shared; /* a memfd of PAGES pages */
static size_t page_size;

struct pages {
	size_t from, count;
};

static void write_pages(void *context)
{
	const struct pages *p = context;

	for (size_t i = p->from; i < p->from + p->count; i++)
		shared[i * page_size] = 'x';
}

/* Starts a child that writes COUNT pages from page FROM on, and waits to be killed. */
static pid_t start(size_t from, size_t count)
{
	struct pages pages = {.from = from, .count = count};

	return waiter_start(write_pages, &pages);
}

static int read_pid(struct inventory *s, pid_t pid)
{
	AUTO_TARGET struct target t;
	int r = target_open(&procfs, pid, &t);

	return r == 0 ? inventory_read(s, &t) : r;
}

static const struct file_table_row *row_of(const struct inventory *s, const char *name)
{
	for (size_t i = 0; i < s->files.rows; i++)
		if (!strcmp(s->files.row[i].name, name))
			return &s->files.row[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static void pages_of_two_count_once(void **state)
{
	pid_t one = start(FIRST, WRITTEN), two = start(LATER, ALSO + WRITTEN);
	AUTO_INVENTORY struct inventory s;
	const struct file_table_row *row;

	(void)state;
	inventory_init(&s, true);
	assert_int_equal(read_pid(&s, one), 0);
	assert_int_equal(read_pid(&s, two), 0);
	assert_int_equal(read_pid(&s, two), INVENTORY_KNOWN);
	inventory_finish(&s);
	row = row_of(&s, "memfd:pages");
	assert_int_equal(row->q[FILE_TABLE_PROCESSES], 2);
	assert_int_equal(row->q[FILE_TABLE_RSS], (WRITTEN + ALSO + WRITTEN) * page_size);
	assert_int_equal(row->q[FILE_TABLE_RESIDENT], (LATER + ALSO + WRITTEN - FIRST) * page_size);
	assert_true(row->is_exact);
	waiter_end(one);
	waiter_end(two);
}

/* A process that exits while it is read leaves the earlier results unchanged. */
static void a_process_that_exits_does_not_count(void **state)
{
	pid_t one = start(FIRST, WRITTEN), two = start(LATER, WRITTEN);
	AUTO_INVENTORY struct inventory s;
	AUTO_TARGET struct target t;
	size_t rows;

	(void)state;
	inventory_init(&s, true);
	assert_int_equal(read_pid(&s, one), 0);
	rows = s.files.rows;
	assert_int_equal(target_open(&procfs, two, &t), 0);
	waiter_end(two);
	assert_int_equal(inventory_read(&s, &t), TARGET_GONE);
	inventory_finish(&s);
	assert_int_equal(s.files.rows, rows);
	assert_int_equal(row_of(&s, "memfd:pages")->q[FILE_TABLE_RESIDENT], WRITTEN * page_size);
	assert_int_equal(s.files.processes, 1);
	waiter_end(one);
}

#define SMAPS                                                                                      \
	"10000000-10040000 r--s 00010000 08:01 77 /srv/data\n"                                     \
	"Size: 256 kB\nRss: %s kB\nPss: 20 kB\nAnonymous: 0 kB\n"                                  \
	"Private_Clean: 0 kB\nPrivate_Dirty: 0 kB\nVmFlags: rd sh\n"

/*
 * In a simulated /proc the pagemap is read entry by entry. Without a pagemap, PSS is the lower
 * bound of resident memory.
 */
static void a_simulated_proc_is_read_like_the_kernels(void **state)
{
	static const struct tree_process process = {.pid = 42, .name = "reader", .rss_kib = 40};

	(void)state;
	for (unsigned int what = 0; what < 3; what++) {
		AUTO_TREE struct tree tree;
		CLEANUP(procfs_close) struct procfs of_tree = {.fd = -1};
		AUTO_INVENTORY struct inventory s;
		AUTO_TARGET struct target t;
		char text[1000];

		tree_open(&tree);
		tree_write(&tree, "stat", "btime 1000000\n");
		tree_write(&tree, "meminfo", "MemTotal: 1000 kB\n");
		tree_add(&tree, &process);
		snprintf(text, sizeof(text), SMAPS, what == 2 ? "256" : "40");
		tree_write(&tree, "42/smaps", text);
		if (what == 1) {
			AUTO_CLOSE int fd = openat(
				tree.fd, "42/pagemap", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
			uint64_t entry[64] = {[3 ... 12] = UINT64_C(5) << 61};

			assert_int_equal(
				pwrite(fd, entry, sizeof(entry), 0x10000000 / page_size * 8),
				sizeof(entry));
		}
		assert_int_equal(procfs_open(tree.path, &of_tree), 0);
		inventory_init(&s, of_tree.live);
		assert_int_equal(target_open(&of_tree, 42, &t), 0);
		assert_int_equal(inventory_read(&s, &t), 0);
		inventory_finish(&s);
		assert_int_equal(s.files.rows, 1);
		assert_int_equal(s.files.row[0].is_exact, what > 0);
		assert_int_equal(s.files.row[0].q[FILE_TABLE_RESIDENT], (what == 2          ? 256
										: what == 1 ? 40
											    : 20) *
										1024);
	}
}

/* One process of the two has no readable pagemap. */
static void a_file_seen_in_part_is_not_exact(void **state)
{
	static const struct tree_process processes[] = {
		{.pid = 42, .name = "seen", .rss_kib = 40},
		{.pid = 43, .name = "unseen", .rss_kib = 40},
	};
	const uint64_t entry[64] = {[3 ... 12] = UINT64_C(5) << 61};
	AUTO_TREE struct tree tree;
	AUTO_CLOSE int fd = -1;
	CLEANUP(procfs_close) struct procfs of_tree = {.fd = -1};
	AUTO_INVENTORY struct inventory s;
	char text[1000];

	(void)state;
	tree_open(&tree);
	tree_write(&tree, "stat", "btime 1000000\n");
	snprintf(text, sizeof(text), SMAPS, "40");
	tree_add(&tree, &processes[0]);
	tree_write(&tree, "42/smaps", text);
	tree_add(&tree, &processes[1]);
	tree_write(&tree, "43/smaps", text);
	fd = openat(tree.fd, "42/pagemap", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(
		pwrite(fd, entry, sizeof(entry), 0x10000000 / page_size * 8), sizeof(entry));
	assert_int_equal(procfs_open(tree.path, &of_tree), 0);
	inventory_init(&s, of_tree.live);
	for (pid_t pid = 42; pid <= 43; pid++) {
		AUTO_TARGET struct target t;

		assert_int_equal(target_open(&of_tree, pid, &t), 0);
		assert_int_equal(inventory_read(&s, &t), 0);
	}
	inventory_finish(&s);
	assert_int_equal(s.files.row[0].q[FILE_TABLE_RESIDENT], 40 * 1024);
	assert_false(s.files.row[0].is_exact);
}

static void invalid_smaps_is_refused(void **state)
{
	static const struct tree_process process = {.pid = 42, .name = "reader", .rss_kib = 40};
	AUTO_TREE struct tree tree;
	CLEANUP(procfs_close) struct procfs of_tree = {.fd = -1};
	AUTO_INVENTORY struct inventory s;
	AUTO_TARGET struct target t;

	(void)state;
	tree_open(&tree);
	tree_write(&tree, "stat", "btime 1000000\n");
	tree_add(&tree, &process);
	tree_write(&tree, "42/smaps",
		"10000000-10040000 r--s 00010000 08:01 77 /srv/data\nSize: 256 kB\nnonsense\n");
	assert_int_equal(procfs_open(tree.path, &of_tree), 0);
	inventory_init(&s, of_tree.live);
	assert_int_equal(target_open(&of_tree, 42, &t), 0);
	assert_int_equal(inventory_read(&s, &t), -EBADMSG);
	assert_int_equal(s.files.rows, 0);
	assert_int_equal(s.files.processes, 0);
}

static void lack_of_memory_is_reported(void **state)
{
	pid_t one = start(FIRST, WRITTEN);

	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_INVENTORY struct inventory s;
		bool has_failed;
		int r;

		inventory_init(&s, true);
		allocation_fail_at(n);
		r = read_pid(&s, one);
		has_failed = allocation_end();
		assert_true(r == 0 || (has_failed && r == -ENOMEM));
		if (!has_failed)
			break;
	}
	waiter_end(one);
}

static int set_up(void **state)
{
	int fd = memfd_create("pages", MFD_CLOEXEC);

	(void)state;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (fd < 0 || ftruncate(fd, (off_t)(PAGES * page_size)) < 0)
		return -1;
	shared = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return shared == MAP_FAILED ? -1 : procfs_open("/proc", &procfs);
}

static int tear_down(void **state)
{
	(void)state;
	procfs_close(&procfs);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_two_count_once),
		cmocka_unit_test(a_process_that_exits_does_not_count),
		cmocka_unit_test(a_simulated_proc_is_read_like_the_kernels),
		cmocka_unit_test(a_file_seen_in_part_is_not_exact),
		cmocka_unit_test(invalid_smaps_is_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
