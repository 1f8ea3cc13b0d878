/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/files/mounts.h: which mounts answer without blocking. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "inspect/files/mounts.h"
#include "tests/unit/support/faults/allocation.h"

/* Parses a copy of TEXT. */
static int add(struct mounts *m, const char *text, enum mounts_owner owner)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	return mounts_add(m, copy, strlen(copy), owner);
}

static size_t count_ones(const struct mounts *m)
{
	size_t ones = 0;

	for (size_t i = 0; i < m->count; i++)
		ones += m->item[i].is_one;
	return ones;
}

static void accepts_only_types_that_never_block(void **state)
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
	assert_int_equal(count_ones(&m), 3);
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

/* The root of memtally's own namespace always counts; the root of a container may be any mount. */
static void accepts_our_root_of_any_type(void **state)
{
	static const char text[] = "21 1 0:50 / / rw - virtiofs root rw\n"
				   "22 21 0:51 / /srv rw - virtiofs other rw\n";

	(void)state;
	for (unsigned int owner = MOUNTS_OURS; owner <= MOUNTS_UNTRUSTED; owner++) {
		AUTO_MOUNTS struct mounts m = {.count = 0};

		assert_int_equal(add(&m, text, (enum mounts_owner)owner), 0);
		assert_int_equal(mounts_has_device(&m, 0, 50), owner == MOUNTS_OURS);
		assert_false(mounts_has_device(&m, 0, 51));
	}
}

/*
 * An overlay that another user's namespace made may have FUSE below it; mounts that existed before
 * do not.
 */
static void refuses_overlays_of_user_namespaces(void **state)
{
	static const char ours[] = "21 1 0:50 / / rw - overlay overlay rw\n",
			  theirs[] = "31 1 0:50 / / rw - overlay overlay rw\n"
				     "32 31 0:51 / /mnt rw - overlay overlay rw,lowerdir=/fuse\n"
				     "33 31 0:52 / /tmp rw - tmpfs tmpfs rw\n";

	(void)state;
	for (unsigned int owner = MOUNTS_THEIRS; owner <= MOUNTS_UNTRUSTED; owner++) {
		AUTO_MOUNTS struct mounts m = {.count = 0};

		assert_int_equal(add(&m, ours, MOUNTS_OURS), 0);
		assert_int_equal(add(&m, theirs, (enum mounts_owner)owner), 0);
		assert_int_equal(count_ones(&m), owner == MOUNTS_THEIRS ? 4 : 3);
		assert_int_equal(mounts_has_device(&m, 0, 51), owner == MOUNTS_THEIRS);
	}
}

static void finds_the_mount_of_a_descriptor(void **state)
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
	assert_false(mounts_find(&m, root));
	assert_int_equal(mounts_read(&m, procfs, getpid()), 0);
	assert_true(mounts_find(&m, root));
	assert_true(mounts_find(&m, procfs));
	assert_false(mounts_find(&m, -1));
}

static void cut_text_keeps_complete_lines(void **state)
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

/* For a directory on mount 21 of our namespace. Mounts of other namespaces do not count. */
static void finds_mounts_by_path(void **state)
{
	static const char root[] = "%llu 1 8:1 / / rw - ext4 /dev/sda1 rw\n",
			  below[] = "%llu %llu 0:%u / %s rw - %s none rw\n";
	static const struct {
		const char *place, *type, *upon; /* upon: type of a mount over it */
	} mounted[] = {
		{"/a", "tmpfs", NULL},
		{"/a/b c", "nfs4", NULL},
		{"/auto", "autofs", "ext4"},
		{"/under", "tmpfs", "nfs4"},
		{"/twice", "tmpfs", "ext4"},
	};
	static const struct {
		const char *path;
		enum mounts_there there;
	} cases[] = {
		{"/a", MOUNTS_ONE},
		{"a", MOUNTS_ONE},
		{"//a", MOUNTS_ONE},
		{"/a/b c", MOUNTS_OTHER},
		{"/a///b c", MOUNTS_OTHER},
		{"/a/b", MOUNTS_NOTHING},
		{"/a/b cd", MOUNTS_NOTHING},
		{"/b c", MOUNTS_NOTHING},
		{"/x/a", MOUNTS_NOTHING},
		{"/auto", MOUNTS_OTHER},
		{"/under", MOUNTS_OTHER},
		{"/twice", MOUNTS_ONE},
		{"/theirs", MOUNTS_NOTHING},
	};
	AUTO_CLOSE int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	unsigned long long id = 1000000;
	char text[1024], place[16];
	uint64_t is;
	int len;

	(void)state;
	assert_int_equal(mounts_at(&m, -1, "/a", 2), MOUNTS_OTHER);
	assert_int_equal(mounts_find_id(fd, &is), 0);
	len = snprintf(text, sizeof(text), root, (unsigned long long)is);
	for (unsigned int i = 0; i < ARRAY_SIZE(mounted); i++) {
		snprintf(place, sizeof(place), i == 1 ? "/a/b\\040c" : "%s", mounted[i].place);
		len += snprintf(text + len, sizeof(text) - (size_t)len, below, ++id,
			(unsigned long long)is, 40 + i, place, mounted[i].type);
		if (mounted[i].upon)
			len += snprintf(text + len, sizeof(text) - (size_t)len, below, id + 1, id,
				50 + i, place, mounted[i].upon);
		id++;
	}
	assert_int_equal(add(&m, text, MOUNTS_OURS), 0);
	snprintf(text, sizeof(text), below, id + 1, id, 60U, "/theirs", "nfs4");
	assert_int_equal(add(&m, text, MOUNTS_UNTRUSTED), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (mounts_at(&m, fd, cases[i].path, strlen(cases[i].path)) != cases[i].there)
			fail_msg("%s", cases[i].path);
	/* Only the first bytes of the path count. */
	assert_int_equal(mounts_at(&m, fd, "/auto/x", 5), MOUNTS_OTHER);
	assert_int_equal(mounts_at(&m, fd, "/auto/x", 7), MOUNTS_NOTHING);
}

/* A mount that is its own parent. */
static void survives_a_mount_that_is_its_own_parent(void **state)
{
	AUTO_CLOSE int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	char text[128];
	uint64_t is;

	(void)state;
	assert_int_equal(mounts_find_id(fd, &is), 0);
	snprintf(text, sizeof(text), "%llu %llu 8:1 / /a rw - ext4 none rw\n",
		(unsigned long long)is, (unsigned long long)is);
	assert_int_equal(add(&m, text, MOUNTS_OURS), 0);
	assert_int_equal(mounts_at(&m, fd, "/a", 2), MOUNTS_OTHER);
}

static void accepts_a_root_only_on_a_known_mount(void **state)
{
	static const struct {
		const char *theirs;
		bool is_expected;
	} cases[] = {
		{"31 1 8:1 / / rw - ext4 none rw\n", true},
		{"31 1 0:40 / / rw - nfs4 server:/ rw\n", false},
		{"21 1 0:50 / / rw - virtiofs root rw\n", true}, /* our root */
		{"31 1 8:1 / / rw - ext4 none rw\n32 31 0:40 / / rw - nfs4 server:/ rw\n", false},
		{"31 1 0:40 / / rw - nfs4 server:/ rw\n32 31 8:1 / / rw - ext4 none rw\n", false},
		{"31 1 8:1 / /proc rw - proc none rw\n", false}, /* after chroot() */
		{"", false},
	};
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int other = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_MOUNTS struct mounts one = {.count = 0};

		assert_int_equal(
			add(&one, "21 1 0:50 / / rw - virtiofs root rw\n", MOUNTS_OURS), 0);
		assert_int_equal(add(&one, cases[i].theirs, MOUNTS_THEIRS), 0);
		if (mounts_has_root(&one) != cases[i].is_expected)
			fail_msg("%s", cases[i].theirs);
	}
	assert_int_equal(mounts_read(&m, procfs, getpid()), 0);
	assert_true(mounts_has_root(&m));
	assert_int_equal(mounts_read(&m, procfs, -7), 0);
	assert_false(mounts_has_root(&m));
	assert_int_equal(mounts_read(&m, -1, 0), 0);
	assert_int_equal(m.lists, 1);
	assert_int_equal(mounts_read(&m, other, -7), 0);
	assert_true(mounts_has_root(&m));
}

static void compares_devices_of_maps_and_stat(void **state)
{
	static const struct mounts_one one = {.major = 0, .minor = 30},
				       overlay = {.major = 0, .minor = 50, .is_overlay = true};

	(void)state;
	assert_int_equal(mounts_compare_device(&one, 0, 30, 0, 30), MOUNTS_SAME_DEVICE);
	assert_int_equal(mounts_compare_device(&one, 0, 30, 0, 31), MOUNTS_ANOTHER_DEVICE);
	assert_int_equal(mounts_compare_device(&one, 0, 40, 0, 30), MOUNTS_LIKE_DEVICE);
	assert_int_equal(mounts_compare_device(&one, 0, 40, 0, 40), MOUNTS_SAME_DEVICE);
	assert_int_equal(mounts_compare_device(&one, 0, 40, 0, 31), MOUNTS_ANOTHER_DEVICE);
	assert_int_equal(mounts_compare_device(&overlay, 0, 50, 8, 1), MOUNTS_LIKE_DEVICE);
	assert_int_equal(mounts_compare_device(&overlay, 0, 50, 0, 50), MOUNTS_SAME_DEVICE);
}

/* Enters a mount namespace of the test's own. Returns false if this is not permitted. */
static bool enter_namespace(void)
{
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) < 0)
		return false;
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Mounts TYPE at FOLDER. Returns a descriptor of the mount and its id, or -1. */
static int mount_at(const char *folder, const char *type, uint64_t *ret_id)
{
	int fd;

	if (mount("none", folder, type, 0, NULL) < 0)
		return -1;
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mounts_find_id(fd, ret_id), 0);
	return fd;
}

/* An mqueue file system stands in for FUSE: both have types that may block. */
static void detects_reused_mount_ids(void **state)
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
	/* Other processes may mount something meanwhile. */
	for (int i = 0; is != was && i < 100; i++) {
		fd = mount_at(folder, "tmpfs", &was);
		assert_true(fd >= 0);
		assert_int_equal(mounts_read(&m, procfs, getpid()), 0);
		assert_true(mounts_find(&m, fd));
		close(fd);
		assert_int_equal(umount(folder), 0);
		fd = mount_at(folder, "mqueue", &is);
		if (is != was) {
			fd_close(fd);
			umount(folder);
		}
	}
	if (is == was) {
		assert_false(mounts_find(&m, fd));
		close(fd);
		assert_int_equal(umount(folder), 0);
		/* A new mount of a known type is accepted. */
		fd = mount_at(folder, "tmpfs", &next);
		assert_true(mounts_find(&m, fd));
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
		cmocka_unit_test(accepts_only_types_that_never_block),
		cmocka_unit_test(accepts_our_root_of_any_type),
		cmocka_unit_test(refuses_overlays_of_user_namespaces),
		cmocka_unit_test(finds_the_mount_of_a_descriptor),
		cmocka_unit_test(cut_text_keeps_complete_lines),
		cmocka_unit_test(finds_mounts_by_path),
		cmocka_unit_test(survives_a_mount_that_is_its_own_parent),
		cmocka_unit_test(accepts_a_root_only_on_a_known_mount),
		cmocka_unit_test(compares_devices_of_maps_and_stat),
		cmocka_unit_test(detects_reused_mount_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
