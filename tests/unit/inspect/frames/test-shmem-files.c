/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/shmem-files.h: memory files of processes and their met pages. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/frames/shmem-files.h"
#include "tests/unit/support/faults/allocation.h"

enum { PAGE = 4096 };

static struct mapping mapping_of(uint64_t page, uint64_t pages, uint64_t inode, const char *path)
{
	return (struct mapping){
		.start = page * PAGE,
		.end = (page + pages) * PAGE,
		.inode = inode,
		.minor = 1,
		.path = path,
		.path_len = strlen(path),
	};
}

static enum shmem_file_kind what_of(const struct mapping *m)
{
	return m->path_len >= 5 && !memcmp(m->path, "/SYSV", 5) ? SHMEM_FILE_SYSV
	                                                        : SHMEM_FILE_SHMEM;
}

static void map(
	struct shmem_files *s, uint64_t page, uint64_t pages, uint64_t inode, const char *path)
{
	const struct mapping m = mapping_of(page, pages, inode, path);

	assert_int_equal(shmem_files_map(s, what_of(&m), &m), 0);
}

static const struct shmem_file *file_of(const struct shmem_files *s, uint64_t inode)
{
	const struct shmem_file *found = NULL;

	for (uint32_t number = 1; number <= s->count; number++) {
		const struct shmem_file *file = shmem_files_at(s, number);

		assert_int_equal(file->number, number);
		if (file->inode != inode)
			continue;
		assert_null(found);
		found = file;
	}
	assert_non_null(found);
	return found;
}

static void counts_pages_of_mapped_files(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	map(&s, 100, 10, 7, "/memfd:a (deleted)");
	map(&s, 200, 10, 8, "/dev/zero (deleted)");
	map(&s, 300, 10, 7, "/memfd:a (deleted)");
	for (uint64_t page = 95; page < 315; page++) {
		uint32_t number = shmem_files_meet(&s, page * PAGE);

		assert_int_equal(number, page % 100 >= 10 ? 0 : page < 200 || page >= 300 ? 1 : 2);
	}
	assert_int_equal(s.count, 2);
	assert_int_equal(file_of(&s, 7)->met, 20);
	assert_int_equal(file_of(&s, 8)->met, 10);
	assert_int_equal(file_of(&s, 7)->pid, 10);
	assert_int_equal(file_of(&s, 7)->start, 100 * PAGE);
	assert_int_equal(file_of(&s, 7)->end, 110 * PAGE);
	/* The next process starts without mappings. */
	shmem_files_begin(&s, 11, 0);
	shmem_files_meet(&s, 100 * PAGE);
	map(&s, 5, 1, 7, "/memfd:a (deleted)");
	shmem_files_meet(&s, 5 * PAGE);
	assert_int_equal(file_of(&s, 7)->met, 21);
	assert_int_equal(file_of(&s, 7)->pid, 10);
	assert_false(file_of(&s, 7)->is_shared);
	assert_true(shmem_files_bytes(&s) > 2 * sizeof(struct shmem_file));
}

static void open_descriptors_share_a_file(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};

	(void)state;
	shmem_files_begin(&s, 10, 3);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_SHMEM, 0, 1, 7), 0);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_SHMEM, 0, 1, 8), 0);
	assert_false(file_of(&s, 7)->is_mapped);
	map(&s, 100, 10, 8, "/memfd:a (deleted)");
	assert_false(file_of(&s, 8)->is_shared);
	shmem_files_begin(&s, 11, 4);
	map(&s, 100, 10, 7, "/memfd:b (deleted)");
	assert_true(file_of(&s, 7)->is_shared && file_of(&s, 7)->is_mapped);
	assert_int_equal(file_of(&s, 7)->pid, 11);
	assert_int_equal(file_of(&s, 7)->group, 3);
	assert_false(file_of(&s, 8)->is_shared);
}

/* Ids of SysV segments and inode numbers are unrelated, and both are on the kernel's own device. */
static void sysv_ids_are_not_inodes(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	map(&s, 100, 1, 7, "/SYSV0000002a (deleted)");
	assert_int_equal(shmem_files_at(&s, 1)->what, SHMEM_FILE_SYSV);
	map(&s, 200, 1, 7, "/memfd:SYSV (deleted)");
	assert_int_equal(s.count, 2);
	assert_int_equal(shmem_files_at(&s, 2)->what, SHMEM_FILE_SHMEM);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_SHMEM, 0, 1, 7), 0);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_SHMEM, 0, 2, 7), 0);
	assert_int_equal(s.count, 3);
}

/* For a socket /proc/PID/fd has no device. For a file on btrfs, stat() and maps may differ. */
static void matches_descriptors_without_a_device(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};
	const struct mapping on_disk = {.start = PAGE, .end = 2 * PAGE, .inode = 7, .major = 8},
			     on_btrfs = {.start = 3 * PAGE,
				     .end = 4 * PAGE,
				     .inode = 7,
				     .minor = 40},
			     socket = {.start = 5 * PAGE, .end = 6 * PAGE, .inode = 7, .minor = 9};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	assert_int_equal(shmem_files_map(&s, SHMEM_FILE_DISK, &on_disk), 0);
	assert_int_equal(shmem_files_map(&s, SHMEM_FILE_DISK, &on_btrfs), 0);
	assert_int_equal(shmem_files_map(&s, SHMEM_FILE_SOCKET, &socket), 0);
	assert_int_equal(s.count, 3);
	shmem_files_begin(&s, 11, 1);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_DISK, 8, 1, 7), 0);
	assert_int_equal(s.count, 4);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_DISK, 0, 41, 7), 0);
	assert_int_equal(shmem_files_hold(&s, SHMEM_FILE_SOCKET, 0, 0, 7), 0);
	assert_int_equal(s.count, 4);
	assert_false(shmem_files_at(&s, 1)->is_shared);
	assert_true(shmem_files_at(&s, 2)->is_shared);
	assert_true(shmem_files_at(&s, 3)->is_shared);
}

static void number_of_files_is_limited(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {.max = 2};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	map(&s, 1, 1, 1, "");
	map(&s, 2, 1, 2, "");
	map(&s, 3, 1, 3, "");
	shmem_files_meet(&s, 3 * PAGE);
	map(&s, 4, 1, 2, "");
	shmem_files_meet(&s, 4 * PAGE);
	assert_int_equal(s.count, 2);
	assert_int_equal(s.missed, 1);
	assert_int_equal(file_of(&s, 2)->met, 1);
}

static void closed_list_adds_no_files(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	map(&s, 1, 1, 1, "");
	s.is_closed = true;
	shmem_files_begin(&s, 11, 1);
	map(&s, 1, 1, 1, "");
	map(&s, 2, 1, 2, "");
	assert_int_equal(s.count, 1);
	assert_int_equal(s.missed, 0);
	assert_true(file_of(&s, 1)->is_shared);
}

/* Mappings of a process that changes while it is read. */
static void skips_addresses_that_do_not_ascend(void **state)
{
	AUTO_SHMEM_FILES struct shmem_files s = {0};

	(void)state;
	shmem_files_begin(&s, 10, 0);
	map(&s, 100, 10, 1, "");
	map(&s, 105, 10, 2, "");
	map(&s, 50, 10, 2, "");
	shmem_files_meet(&s, 105 * PAGE);
	assert_int_equal(file_of(&s, 1)->met, 1);
	assert_int_equal(file_of(&s, 2)->met, 0);
}

static int take_some(struct shmem_files *s)
{
	int r = 0;

	shmem_files_begin(s, 10, 0);
	for (uint64_t i = 1; r == 0 && i < 100; i++) {
		const struct mapping m = mapping_of(i, 1, i, "");

		r = i % 3 ? shmem_files_map(s, SHMEM_FILE_SHMEM, &m)
		          : shmem_files_hold(s, SHMEM_FILE_SHMEM, 0, 1, i);
	}
	return r;
}

static void fails_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SHMEM_FILES struct shmem_files s = {0};

		allocation_fail_at(n);
		allocation_check(take_some(&s));
	}
	assert_true(allocation_count() > 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_pages_of_mapped_files),
		cmocka_unit_test(open_descriptors_share_a_file),
		cmocka_unit_test(sysv_ids_are_not_inodes),
		cmocka_unit_test(matches_descriptors_without_a_device),
		cmocka_unit_test(number_of_files_is_limited),
		cmocka_unit_test(closed_list_adds_no_files),
		cmocka_unit_test(skips_addresses_that_do_not_ascend),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
