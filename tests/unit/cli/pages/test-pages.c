/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `memtally pages` over a tree that looks like /proc, where a process may exit after all
 * of it was read, which no read reports.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "inspect/maps/target.h"
#include "tests/unit/support/cli/asked.h"
#include "tests/unit/support/inspect/elfimage.h"

/* Rows per mapping: a section, and the rest. */
enum { STEADY = 42, FLEETING = 43, PAGE = 4096, ROWS = 2 };

static struct tree tree;
static bool is_fleeting; /* whether process FLEETING exits */

int __real_target_end(struct target *t, int r);
int __wrap_target_end(struct target *t, int r);

int __wrap_target_end(struct target *t, int r)
{
	if (is_fleeting && t->process.pid == FLEETING) {
		tree_remove(&tree, "43/stat");
		tree_remove(&tree, "43/status");
	}
	return __real_target_end(t, r);
}

/* Writes a program, with sections, that the processes have mapped. */
static void write_program(void)
{
	union elfimage image;
	AUTO_CLOSE int fd = -1;
	char path[64];

	elfimage_make(&image);
	snprintf(path, sizeof(path), "%s/program", tree.path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image.bytes, sizeof(image)), (ssize_t)sizeof(image));
}

static void add_process(pid_t pid, unsigned int mappings)
{
	const struct tree_process p = {.pid = pid, .name = "worker", .rss_kib = 100};
	AUTO_BUFFER struct buffer smaps = {0};
	char name[32], folder[PATH_MAX];
	struct stat file;

	assert_non_null(realpath(tree.path, folder));
	assert_int_equal(fstatat(tree.fd, "program", &file, 0), 0);
	tree_add(&tree, &p);
	for (unsigned int i = 0; i < mappings; i++)
		buffer_printf(&smaps,
			"%x-%x r-xp 00001000 %02x:%02x %llu    %s/program\nSize: 4 kB\nRss: 4 kB\nSwap: 0 kB\n",
			0x401000 + i * 0x100000, 0x402000 + i * 0x100000, major(file.st_dev),
			minor(file.st_dev), (unsigned long long)file.st_ino, folder);
	buffer_add_char(&smaps, '\0');
	snprintf(name, sizeof(name), "%d/smaps", (int)pid);
	tree_write(&tree, name, smaps.data);
	snprintf(name, sizeof(name), "%d/pagemap", (int)pid);
	tree_write(&tree, name, "");
	snprintf(name, sizeof(name), "%d/root", (int)pid);
	if (symlinkat("/", tree.fd, name) < 0)
		assert_int_equal(errno, EEXIST);
}

static int set_up(void **state)
{
	(void)state;
	tree_open(&tree);
	tree_write(&tree, "stat", "btime 1000000\n");
	tree_write(&tree, "meminfo", "MemTotal: 1000000 kB\n");
	write_program();
	add_process(STEADY, 1);
	add_process(FLEETING, 2);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	is_fleeting = false;
	tree_done(&tree);
	return 0;
}

static size_t rows_of(const struct asked *a, pid_t pid)
{
	const json_t *rows = asked_at(a, "rows"), *row;
	size_t count = 0, i;

	json_array_foreach(rows, i, row)
		count += json_integer_value(json_object_get(row, "pid")) == pid;
	return count;
}

static json_int_t size_of(const struct asked *a)
{
	return json_integer_value(asked_at(a, "total.size_bytes"));
}

static void complete_processes_are_in_the_total(void **state)
{
	AUTO_ASKED struct asked a;

	(void)state;
	ASKED(&tree, NULL, &a, "pages", "42", "43", "--sections");
	assert_int_equal(a.status, 0);
	assert_int_equal(size_of(&a), 3 * PAGE);
	assert_int_equal(rows_of(&a, STEADY), ROWS);
	assert_int_equal(rows_of(&a, FLEETING), 2 * ROWS);
}

/* Not in sorted rows either. Unsorted rows are printed at once and stay. */
static void exited_processes_are_in_no_total(void **state)
{
	static const char *const flags[] = {
		"--sections", "--sort=size_bytes", "--by=kind", "--by=mapping", "--by=process"};

	(void)state;
	is_fleeting = true;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_ASKED struct asked a;
		bool is_by_parts = i < 2;

		ASKED(&tree, NULL, &a, "pages", "43", "42", flags[i], i == 1 ? "--sections" : NULL);
		assert_int_equal(a.status, 1);
		assert_non_null(strstr(a.err.data, "error: pid 43 was not found"));
		assert_int_equal(size_of(&a), PAGE);
		assert_int_equal(rows_of(&a, FLEETING), i ? 0 : 2 * ROWS);
		if (is_by_parts)
			assert_int_equal(rows_of(&a, STEADY), ROWS);
		add_process(FLEETING, 2);
	}
}

/*
 * Of a complete process memtally reports that its pages differ from smaps. Of a process that
 * exited they always do.
 */
static void reports_changes_of_complete_processes_only(void **state)
{
	AUTO_ASKED struct asked a;

	(void)state;
	is_fleeting = true;
	ASKED(&tree, NULL, &a, "pages", "43", "42");
	assert_non_null(strstr(a.err.data, "pid 42 changed during the scan"));
	assert_null(strstr(a.err.data, "pid 43 changed during the scan"));
}

/*
 * The processes were found by a filter, so their exit is no error. A total of zeros would be
 * wrong.
 */
static void no_total_if_all_found_processes_exited(void **state)
{
	static const char *const flags[] = {
		"--by=kind", "--by=process", "--by=mapping", "--sections"};

	(void)state;
	tree_remove(&tree, "42");
	is_fleeting = true;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		AUTO_ASKED struct asked a;

		ASKED(&tree, NULL, &a, "pages", "--program=worker", "--live", flags[i]);
		assert_int_equal(a.status, 0);
		assert_non_null(strstr(a.err.data, "pid 43 exited before it was read"));
		assert_true(json_is_object(asked_at(&a, "total")));
		assert_int_equal(json_object_size(asked_at(&a, "total")), 0);
		add_process(FLEETING, 2);
	}
}

/* Sorted output without rows has no head. Unsorted output has one. */
static void prints_no_sorted_rows_of_exited_processes(void **state)
{
	static const char *const sorted[] = {
		"pages", "43", "--sections", "--sort=size_bytes", NULL};
	static const char *const printed[] = {"pages", "43", "--sections", NULL};

	(void)state;
	is_fleeting = true;
	for (unsigned int is_sorted = 0; is_sorted < 2; is_sorted++) {
		AUTO_RUNNING struct running r = {.status = 0};

		asked_text(&tree, NULL, is_sorted ? sorted : printed, &r);
		assert_int_equal(r.status, 1);
		assert_int_equal(!!strstr(r.out.data, "ADDRESS"), !is_sorted);
		add_process(FLEETING, 2);
	}
}

static void no_total_if_the_named_process_exited(void **state)
{
	AUTO_ASKED struct asked a;

	(void)state;
	is_fleeting = true;
	ASKED(&tree, NULL, &a, "pages", "43", "--sections");
	assert_int_equal(a.status, 1);
	assert_int_equal(rows_of(&a, FLEETING), 2 * ROWS);
	assert_true(json_is_object(asked_at(&a, "total")));
	assert_int_equal(json_object_size(asked_at(&a, "total")), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			complete_processes_are_in_the_total, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			exited_processes_are_in_no_total, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reports_changes_of_complete_processes_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_total_if_all_found_processes_exited, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			prints_no_sorted_rows_of_exited_processes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_total_if_the_named_process_exited, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
