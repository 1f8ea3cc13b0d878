/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/frames/shmem-devices.h: which devices keep their files in memory. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/frames/shmem-devices.h"
#include "tests/unit/support/faults/allocation.h"

static const char mounts[] = "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
			     "23 22 0:21 / /proc rw - proc proc rw\n"
			     "25 22 0:24 / /dev/shm rw,nosuid - tmpfs shm rw\n"
			     "26 22 0:5 / /dev rw,nosuid - devtmpfs udev rw\n"
			     "21 22 0:2 / / rw - rootfs rootfs rw\n"
			     "28 22 0:30 / /srv rw - nfs server:/srv rw\n"
			     "27 22 0:22 / /run rw,nosuid - tmpfs run rw\n";

static int parse(struct shmem_devices *d, size_t len)
{
	char text[sizeof(mounts)];

	memcpy(text, mounts, sizeof(mounts));
	return shmem_devices_parse(d, text, len);
}

static void tmpfs_devices_are_memory(void **state)
{
	AUTO_SHMEM_DEVICES struct shmem_devices d = {0};

	(void)state;
	assert_int_equal(shmem_devices_ask(&d, 0, 24), SHMEM_DEVICES_UNKNOWN);
	assert_int_equal(parse(&d, sizeof(mounts) - 1), 0);
	assert_int_equal(shmem_devices_ask(&d, 0, 24), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 22), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 5), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 2), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 254, 0), SHMEM_DEVICES_DISK);
	assert_int_equal(shmem_devices_ask(&d, 0, 30), SHMEM_DEVICES_NO);
	/* A device that is not mounted here may be mounted elsewhere. */
	assert_int_equal(shmem_devices_ask(&d, 0, 99), SHMEM_DEVICES_UNKNOWN);
	/* Adding known devices again changes nothing. */
	assert_int_equal(parse(&d, sizeof(mounts) - 1), 0);
	assert_int_equal(shmem_devices_add(&d, 0, 24, SHMEM_DEVICES_NO), 0);
	assert_int_equal(shmem_devices_add(&d, 0, 21, SHMEM_DEVICES_YES), 0);
	assert_int_equal(shmem_devices_ask(&d, 0, 24), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 21), SHMEM_DEVICES_DISK);
	assert_int_equal(d.count, 7);
}

static void cut_mountinfo_gives_its_first_mounts(void **state)
{
	AUTO_SHMEM_DEVICES struct shmem_devices d = {0};

	(void)state;
	assert_int_equal(parse(&d, sizeof(mounts) - 9), 0);
	assert_int_equal(shmem_devices_ask(&d, 0, 24), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 22), SHMEM_DEVICES_UNKNOWN);
}

static void check_store(
	const struct shmem_devices *d, uint32_t major, uint32_t minor, enum mapping_store expected)
{
	const struct mapping m = {.inode = 7, .major = major, .minor = minor, .path = "/a"};

	assert_int_equal(shmem_devices_store(d, &m), expected);
}

static void number_of_devices_is_limited(void **state)
{
	AUTO_SHMEM_DEVICES struct shmem_devices d = {0};

	(void)state;
	for (uint32_t i = 0; i < SHMEM_DEVICES_MAX + 10; i++)
		assert_int_equal(
			shmem_devices_add(&d, 0, SHMEM_DEVICES_MAX + 10 - i, SHMEM_DEVICES_YES), 0);
	assert_int_equal(d.count, SHMEM_DEVICES_MAX);
	assert_int_equal(shmem_devices_ask(&d, 0, 11), SHMEM_DEVICES_YES);
	assert_int_equal(shmem_devices_ask(&d, 0, 10), SHMEM_DEVICES_NO);
	check_store(&d, 0, 11, MAPPING_STORE_MEMORY);
	check_store(&d, 0, 10, MAPPING_STORE_UNKNOWN);
}

static void device_decides_where_pages_are_kept(void **state)
{
	AUTO_SHMEM_DEVICES struct shmem_devices d = {0};
	const struct mapping anonymous = {.path = ""};

	(void)state;
	assert_int_equal(parse(&d, sizeof(mounts) - 1), 0);
	check_store(&d, 0, 22, MAPPING_STORE_MEMORY);
	check_store(&d, 0, 30, MAPPING_STORE_DISK);
	check_store(&d, 254, 0, MAPPING_STORE_DISK);
	check_store(&d, 8, 1, MAPPING_STORE_DISK);
	check_store(&d, 0, 99, MAPPING_STORE_UNKNOWN);
	assert_int_equal(shmem_devices_store(&d, &anonymous), MAPPING_STORE_UNKNOWN);
}

static void reads_mountinfo_to_its_end(void **state)
{
	AUTO_SHMEM_DEVICES struct shmem_devices d = {0};
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_true(fputs(mounts, file) >= 0);
	rewind(file);
	assert_int_equal(shmem_devices_read(&d, fileno(file)), 0);
	assert_int_equal(shmem_devices_ask(&d, 0, 22), SHMEM_DEVICES_YES);
	assert_int_equal(fclose(file), 0);
	/* A mountinfo that cannot be read adds nothing. */
	assert_int_equal(shmem_devices_read(&d, -1), 0);
}

static void fails_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_SHMEM_DEVICES struct shmem_devices d = {0};

		allocation_fail_at(n);
		allocation_check(parse(&d, sizeof(mounts) - 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tmpfs_devices_are_memory),
		cmocka_unit_test(cut_mountinfo_gives_its_first_mounts),
		cmocka_unit_test(number_of_devices_is_limited),
		cmocka_unit_test(device_decides_where_pages_are_kept),
		cmocka_unit_test(reads_mountinfo_to_its_end),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
