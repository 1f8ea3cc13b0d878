/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/files/file-filter.h: the filter by files. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/files/file-filter.h"
#include "tests/unit/support/faults/allocation.h"

static const struct file_table_row *row_of(const char *name, unsigned int dev_major,
	unsigned int dev_minor, uint64_t inode, enum file_table_fate fate)
{
	static struct file_table_row row;

	row = (struct file_table_row){
		.name = (char *)(uintptr_t)name,
		.major = dev_major,
		.minor = dev_minor,
		.inode = inode,
		.fate = fate,
	};
	return &row;
}

/*
 * Asserts whether ROW matches the wanted file: its path leads to inode 7 of minor DEVICE and of
 * the major of mount ON.
 */
static void check(const struct mounts_one *on, unsigned int device,
	const struct file_table_row *row, bool is_expected)
{
	AUTO_FILE_FILTER struct file_filter w = {.name = {0}};

	assert_int_equal(file_filter_open("/link/lib.so", false, &w), 0);
	assert_false(w.is_there);
	w.is_there = true;
	w.major = on->major;
	w.minor = device;
	w.inode = 7;
	w.on = *on;
	assert_int_equal(file_filter_is(&w, row), is_expected);
	w.is_there = false;
	assert_int_equal(file_filter_is(&w, row), !strcmp(row->name, "/link/lib.so"));
}

static void matches_files_by_name_or_inode(void **state)
{
	static const struct mounts_one disk = {.major = 8, .minor = 1},
				       tmpfs = {.major = 0, .minor = 45},
				       btrfs = {.major = 0, .minor = 30},
				       overlay = {.major = 0, .minor = 50, .is_overlay = true};

	(void)state;
	check(&disk, 1, row_of("/link/lib.so", 9, 9, 9, FILE_TABLE_THERE), true);
	check(&disk, 1, row_of("/usr/lib.so.1", 8, 1, 7, FILE_TABLE_THERE), true);
	check(&disk, 1, row_of("/usr/lib.so", 8, 1, 8, FILE_TABLE_THERE), false);
	check(&disk, 1, row_of("/usr/lib.so", 8, 2, 7, FILE_TABLE_THERE), false);
	check(&disk, 1, row_of("/usr/lib.so", 0, 1, 7, FILE_TABLE_THERE), false);
	check(&tmpfs, 45, row_of("/tmp/other.so", 0, 45, 7, FILE_TABLE_THERE), true);
	/* Each tmpfs numbers its inodes from the beginning. */
	check(&tmpfs, 45, row_of("/mnt/lib.so", 0, 46, 7, FILE_TABLE_THERE), false);
	check(&tmpfs, 45, row_of("/usr/lib.so", 8, 1, 7, FILE_TABLE_THERE), false);
	/* btrfs: mappings show another device. */
	check(&btrfs, 40, row_of("/usr/lib.so", 0, 30, 7, FILE_TABLE_THERE), true);
	check(&btrfs, 40, row_of("/usr/other.so", 0, 30, 7, FILE_TABLE_THERE), false);
	check(&btrfs, 40, row_of("/usr/other.so", 0, 40, 7, FILE_TABLE_THERE), true);
	check(&btrfs, 40, row_of("/mnt/lib.so", 0, 31, 7, FILE_TABLE_THERE), false);
	/* overlayfs before Linux 6.8: mappings show the device of the disk below. */
	check(&overlay, 50, row_of("/usr/lib.so", 8, 1, 7, FILE_TABLE_THERE), true);
	check(&overlay, 50, row_of("/usr/other.so", 8, 1, 7, FILE_TABLE_THERE), false);
	check(&overlay, 50, row_of("/usr/lib.so", 8, 1, 8, FILE_TABLE_THERE), false);
	check(&overlay, 51, row_of("/usr/lib.so", 0, 50, 7, FILE_TABLE_THERE), true);
}

/* Through a symbolic link too. */
static void looks_up_paths(void **state)
{
	AUTO_FILE_FILTER struct file_filter w = {.name = {0}};
	char program[256] = "", folder[] = "/tmp/memtally-wanted.XXXXXX", link[64];
	struct stat st;

	(void)state;
	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	assert_int_equal(stat(program, &st), 0);
	assert_non_null(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(program, link), 0);
	assert_int_equal(file_filter_open(link, false, &w), 0);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(folder), 0);
	if (w.may_wait)
		skip();
	assert_true(file_filter_is(&w, row_of("/a/test", major(st.st_dev), minor(st.st_dev),
					       st.st_ino, FILE_TABLE_THERE)));
}

static void matches_deleted_files(void **state)
{
	AUTO_FILE_FILTER struct file_filter all = {.name = {0}}, deleted = {.name = {0}},
					    both = {.name = {0}};

	(void)state;
	assert_int_equal(file_filter_open(NULL, false, &all), 0);
	assert_int_equal(file_filter_open(NULL, true, &deleted), 0);
	assert_int_equal(file_filter_open("/a", true, &both), 0);
	assert_false(file_filter_is_some(&all));
	assert_true(file_filter_is_some(&deleted) && file_filter_is_some(&both));
	for (unsigned int fate = 0; fate < FILE_TABLE_FATES; fate++) {
		bool is_gone = fate != FILE_TABLE_THERE && fate != FILE_TABLE_UNLINKED;

		assert_true(
			file_filter_is(&all, row_of("/a", 8, 1, 7, (enum file_table_fate)fate)));
		assert_int_equal(
			file_filter_is(&deleted, row_of("/a", 8, 1, 7, (enum file_table_fate)fate)),
			is_gone);
		assert_int_equal(
			file_filter_is(&both, row_of("/a", 8, 1, 7, (enum file_table_fate)fate)),
			is_gone);
		assert_false(
			file_filter_is(&both, row_of("/b", 8, 1, 7, (enum file_table_fate)fate)));
	}
}

/* A name may be given raw, as memtally prints it, or as the kernel prints it. */
static void accepts_printed_names(void **state)
{
	static const struct {
		const char *file, *name;
	} cases[] = {
		{"/two\nlines", "/two\\x0alines"},
		{"/two\\012lines", "/two\\x0alines"},
		{"/two\\x0alines", "/two\\x0alines"},
		{"/a\x1b[b", "/a\\x1b[b"},
		{"memfd:ring", "memfd:ring"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FILE_FILTER struct file_filter w = {.name = {0}};

		assert_int_equal(file_filter_open(cases[i].file, false, &w), 0);
		assert_string_equal(w.name.data, cases[i].name);
		assert_true(file_filter_is(&w, row_of(cases[i].name, 0, 1, 2, FILE_TABLE_THERE)));
	}
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_FILE_FILTER struct file_filter w = {.name = {0}};

		allocation_fail_at(n);
		allocation_check(file_filter_open("/two\nlines", false, &w));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_files_by_name_or_inode),
		cmocka_unit_test(looks_up_paths),
		cmocka_unit_test(matches_deleted_files),
		cmocka_unit_test(accepts_printed_names),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
