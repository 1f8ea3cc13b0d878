/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "inside/mounts.h"
#include "tests/unit/allocation.h"

/* Of TEXT, which is copied. */
static int add(struct mounts *m, const char *text, enum mounts_whose whose)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	return mounts_add(m, copy, strlen(copy), whose);
}

static void only_what_keeps_nobody_waiting_is_one(void **state)
{
	static const char text[] = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				   "22 21 0:40 / /home rw shared:1 - nfs4 server:/home rw\n"
				   "23 21 0:41 / /mnt/u rw - fuse.sshfs u@host: rw\n"
				   "24 21 8:2 / /windows rw - fuseblk /dev/sda2 rw\n"
				   "25 21 0:42 / /net rw - autofs auto.net rw\n"
				   "26 21 0:43 / /var/lib/docker/merged rw - overlay overlay rw\n"
				   "27 21 0:44 / /tmp rw - tmpfs tmpfs rw\n"
				   "28 21 0:45 / /new rw - not-known-yet none rw\n";
	AUTO_MOUNTS struct mounts m = {.count = 0};

	(void)state;
	assert_int_equal(add(&m, text, MOUNTS_OURS), 0);
	assert_int_equal(m.count, 3);
	assert_int_equal(m.item[0].id, 21);
	assert_true(mounts_has_device(&m, 8, 1));
	assert_true(mounts_has_device(&m, 0, 43));
	assert_true(mounts_has_device(&m, 0, 44));
	for (uint32_t minor = 40; minor <= 42; minor++)
		assert_false(mounts_has_device(&m, 0, minor));
	assert_false(mounts_has_device(&m, 8, 2));
	assert_false(mounts_has_device(&m, 0, 45));
	assert_false(mounts_has_device(&m, 0, 46));
}

/* Ours, not that of a container, which may be whoever's. */
static void our_root_is_one_whatever_it_is(void **state)
{
	static const char text[] = "21 1 0:50 / / rw - virtiofs root rw\n"
				   "22 21 0:51 / /srv rw - virtiofs other rw\n";

	(void)state;
	for (unsigned int whose = MOUNTS_OURS; whose <= MOUNTS_ANYBODYS; whose++) {
		AUTO_MOUNTS struct mounts m = {.count = 0};

		assert_int_equal(add(&m, text, (enum mounts_whose)whose), 0);
		assert_int_equal(mounts_has_device(&m, 0, 50), whose == MOUNTS_OURS);
		assert_false(mounts_has_device(&m, 0, 51));
	}
}

/* Which may be over FUSE, in whoever's user namespace; but not what was there before. */
static void an_overlay_may_be_anybodys(void **state)
{
	static const char ours[] = "21 1 0:50 / / rw - overlay overlay rw\n",
			  theirs[] = "31 1 0:50 / / rw - overlay overlay rw\n"
				     "32 31 0:51 / /mnt rw - overlay overlay rw,lowerdir=/fuse\n"
				     "33 31 0:52 / /tmp rw - tmpfs tmpfs rw\n";

	(void)state;
	for (unsigned int whose = MOUNTS_THEIRS; whose <= MOUNTS_ANYBODYS; whose++) {
		AUTO_MOUNTS struct mounts m = {.count = 0};

		assert_int_equal(add(&m, ours, MOUNTS_OURS), 0);
		assert_int_equal(add(&m, theirs, (enum mounts_whose)whose), 0);
		assert_int_equal(m.count, whose == MOUNTS_THEIRS ? 4 : 3);
		assert_int_equal(mounts_has_device(&m, 0, 51), whose == MOUNTS_THEIRS);
	}
}

static void where_a_descriptor_is_the_kernel_knows(void **state)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	uint64_t a, b;

	(void)state;
	assert_int_equal(mounts_find_id(root, &a), 0);
	assert_int_equal(mounts_find_id(procfs, &b), 0);
	assert_true(a != b);
	assert_true(mounts_find_id(-1, &a) < 0);
	assert_false(mounts_has(&m, root));
	assert_int_equal(mounts_read(&m, procfs, getpid()), 0);
	assert_true(mounts_has(&m, root));
	assert_true(mounts_has(&m, procfs));
	assert_false(mounts_has(&m, -1));
}

static void what_was_cut_ends_there(void **state)
{
	AUTO_MOUNTS struct mounts m = {.count = 0};

	(void)state;
	assert_int_equal(
		add(&m, "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n22 21 8:2 / /ho", MOUNTS_OURS),
		-EBADMSG);
	assert_int_equal(m.count, 1);
	allocation_fail_at(1);
	m.count = m.room;
	assert_int_equal(add(&m, "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n", MOUNTS_OURS), -ENOMEM);
	assert_true(allocation_end());
}

/* Mounts of this test's own; false: they can't be had. */
static bool enter_namespace(void)
{
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) < 0)
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Mounts TYPE at FOLDER, and opens it for its place. */
static int mount_at(const char *folder, const char *type, uint64_t *ret_id)
{
	int fd;

	if (mount("none", folder, type, 0, NULL) < 0)
		return -1;
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mounts_find_id(fd, ret_id), 0);
	return fd;
}

/* As FUSE would be, message queues are of no type that is known. */
static void what_has_the_number_of_another_is_not_it(void **state)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	char folder[] = "/tmp/memtally-mounts.XXXXXX";
	uint64_t was = 0, is = 1, next;
	unsigned int before;
	int fd = -1;

	(void)state;
	if (!enter_namespace())
		skip();
	assert_non_null(mkdtemp(folder));
	before = unit_descriptors();
	/* Others may mount something meanwhile. */
	for (int i = 0; is != was && i < 100; i++) {
		fd = mount_at(folder, "tmpfs", &was);
		assert_true(fd >= 0);
		assert_int_equal(mounts_read(&m, procfs, getpid()), 0);
		assert_true(mounts_has(&m, fd));
		close(fd);
		assert_int_equal(umount(folder), 0);
		fd = mount_at(folder, "mqueue", &is);
		if (is != was) {
			fd_close(fd);
			umount(folder);
		}
	}
	if (is == was) {
		assert_false(mounts_has(&m, fd));
		close(fd);
		assert_int_equal(umount(folder), 0);
		/* And what is new is known. */
		fd = mount_at(folder, "tmpfs", &next);
		assert_true(mounts_has(&m, fd));
		close(fd);
		assert_int_equal(umount(folder), 0);
	}
	mounts_done(&m);
	assert_int_equal(unit_descriptors(), before);
	assert_int_equal(rmdir(folder), 0);
	if (is != was)
		skip();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_keeps_nobody_waiting_is_one),
		cmocka_unit_test(our_root_is_one_whatever_it_is),
		cmocka_unit_test(an_overlay_may_be_anybodys),
		cmocka_unit_test(where_a_descriptor_is_the_kernel_knows),
		cmocka_unit_test(what_was_cut_ends_there),
		cmocka_unit_test(what_has_the_number_of_another_is_not_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
