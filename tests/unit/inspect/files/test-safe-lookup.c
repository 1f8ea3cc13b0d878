/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/files/safe-lookup.h with a directory of files and links as the root. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "inspect/files/safe-lookup.h"
#include "tests/unit/support/folder.h"

static char path[] = "/tmp/memtally-lookup.XXXXXX";
static int root = -1;
static struct mounts mounts; /* the mount of the directory */

/* Returns the inode that PATH leads to, or 0 and the reason in *RET_ERROR. */
static uint64_t look(const char *at, bool it_follows, int *ret_error)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	*ret_error = safe_lookup_open(&mounts, root, at, it_follows, &fd);
	if (*ret_error != 0)
		return 0;
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static uint64_t inode_of(const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(root, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_ino;
}

static void paths_stay_below_the_root(void **state)
{
	static const struct {
		const char *at, *is;
		bool it_follows;
	} cases[] = {
		{"/a/b/file", "a/b/file", false},
		{"a//b/./file", "a/b/file", false},
		{"/a/b/", "a/b", false},
		{"/", ".", false},
		{"", ".", true},
		/* Nothing leads above the root. */
		{"/../../a/b/file", "a/b/file", false},
		{"/a/b/../../a/./../file", "file", false},
		{"/up/file", "file", false},
		{"/absolute/file", "a/b/file", false},
		{"/a/beside/file", "a/b/file", false},
		{"/chain", "a/b/file", true},
		{"/chain", "chain", false},
		{"/a/dangling", "a/dangling", false},
	};
	unsigned int before = unit_descriptors();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int error;

		if (look(cases[i].at, cases[i].it_follows, &error) != inode_of(cases[i].is))
			fail_msg("%s: %d", cases[i].at, error);
	}
	assert_int_equal(unit_descriptors(), before);
}

static void failed_lookups_return_the_reason(void **state)
{
	static const struct {
		const char *at;
		int error;
	} cases[] = {
		{"/a/none", -ENOENT},
		{"/a/none/file", -ENOENT},
		{"/file/none", -ENOTDIR},
		{"/a/dangling", -ENOENT},
		{"/loop/file", -ELOOP},
	};
	char long_name[NAME_MAX + 3] = "/", *long_path = malloc(PATH_MAX + 1);
	int error;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(look(cases[i].at, true, &error), 0);
		assert_int_equal(error, cases[i].error);
	}
	memset(long_name + 1, 'x', NAME_MAX + 1);
	look(long_name, false, &error);
	assert_int_equal(error, -ENAMETOOLONG);
	memset(long_path, '/', PATH_MAX);
	long_path[PATH_MAX] = '\0';
	look(long_path, false, &error);
	assert_int_equal(error, -ENAMETOOLONG);
	free(long_path);
}

static void asks_no_unknown_mount(void **state)
{
	struct mounts known = mounts;
	int error;

	(void)state;
	mounts = (struct mounts){.count = 0};
	assert_int_equal(look("/file", false, &error), 0);
	assert_int_equal(error, SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(look("/a/none", false, &error), 0);
	assert_int_equal(error, SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(look("/", false, &error), 0);
	assert_int_equal(error, SAFE_LOOKUP_MAY_WAIT);
	mounts = known;
}

/*
 * Enters a mount namespace of the test's own and stores its mounts in RET. Returns false if this
 * is not permitted.
 */
static bool enter_namespace(int procfs, struct mounts *ret)
{
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) < 0)
		return false;
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mounts_read(ret, procfs, getpid()) == 0;
}

/* Mounts TYPE at NAME in the directory. Returns 0 or a negative errno. */
static int mount_at(const char *name, const char *type, const char *options)
{
	char place[64];

	snprintf(place, sizeof(place), "%s/%s", path, name);
	return mount("none", place, type, 0, options) < 0 ? -errno : 0;
}

static void unmount(const char *name)
{
	char place[64];

	snprintf(place, sizeof(place), "%s/%s", path, name);
	assert_int_equal(umount2(place, MNT_DETACH), 0);
}

/* Looks up NAME of the directory by its absolute path, from the root of mounts M. */
static int look_from_root(struct mounts *m, const char *name)
{
	AUTO_CLOSE int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	char place[64];

	snprintf(place, sizeof(place), "%s/%s", path, name);
	return safe_lookup_open(m, slash, place, false, &fd);
}

static bool can_refuse_mounts(void)
{
	struct open_how how = {.flags = O_PATH, .resolve = RESOLVE_NO_XDEV};
	long fd = syscall(__NR_openat2, AT_FDCWD, ".", &how, sizeof(how));

	return fd_close((int)fd) < 0 && fd >= 0;
}

/* An mqueue file system stands in for NFS: both have types that may not answer. */
static void enters_no_mount_that_may_block(void **state)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	unsigned int before;

	(void)state;
	if (!enter_namespace(procfs, &m) || look_from_root(&m, "a") != 0 ||
		mount_at("a", "mqueue", NULL) < 0)
		skip();
	before = unit_descriptors();
	assert_int_equal(look_from_root(&m, "a"), SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(look_from_root(&m, "a/b/file"), SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(look_from_root(&m, "up/a/b"), SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(look_from_root(&m, "file"), 0);
	unmount("a");
	assert_int_equal(look_from_root(&m, "a/b/file"), 0);
	assert_int_equal(mount_at("a", "tmpfs", NULL), 0);
	assert_int_equal(look_from_root(&m, "a"), 0);
	assert_int_equal(look_from_root(&m, "a/b"), -ENOENT);
	assert_int_equal(mount_at("a", "mqueue", NULL), 0);
	assert_int_equal(look_from_root(&m, "a"), SAFE_LOOKUP_MAY_WAIT);
	unmount("a");
	unmount("a");
	/* The kernel does not report renames, so mountinfo may show a mount at its former path. */
	assert_int_equal(mount_at("a/b", "tmpfs", NULL), 0);
	assert_int_equal(look_from_root(&m, "a/b"), 0);
	assert_int_equal(renameat(root, "a", root, "moved"), 0);
	if (can_refuse_mounts())
		assert_int_equal(look_from_root(&m, "moved/b"), SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(renameat(root, "moved", root, "a"), 0);
	unmount("a/b");
	assert_int_equal(look_from_root(&m, "a/b/file"), 0);
	assert_int_equal(unit_descriptors(), before);
}

/* The child exits with this test. */
static pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* These links of /proc look like paths but lead elsewhere. */
static void refuses_magic_links_of_proc(void **state)
{
	AUTO_CLOSE int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	AUTO_MOUNTS struct mounts m = {.count = 0};

	(void)state;
	assert_int_equal(mounts_read(&m, -1, 0), 0);
	assert_int_equal(safe_lookup_open(&m, slash, "/proc/self/root/proc", true, &fd),
		SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(
		safe_lookup_open(&m, slash, "/proc/self/exe", true, &fd), SAFE_LOOKUP_MAY_WAIT);
	assert_int_equal(safe_lookup_open(&m, slash, "/proc/self/status", true, &fd), 0);
}

static void end_child(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* An autofs mount with a daemon that never answers. */
static void does_not_wait_for_autofs(void **state)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_MOUNTS struct mounts m = {.count = 0};
	char options[96], place[64];
	struct pollfd asked = {.events = POLLIN};
	pid_t daemon, asking;
	int ends[2], r;

	(void)state;
	if (!enter_namespace(procfs, &m) || look_from_root(&m, "a") != 0)
		skip();
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_DIRECT), 0);
	daemon = fork_child();
	if (daemon == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(setpgid(daemon, daemon), 0);
	snprintf(options, sizeof(options), "fd=%d,pgrp=%d,minproto=5,maxproto=5,direct", ends[1],
		(int)daemon);
	r = mount_at("a", "autofs", options);
	if (r == 0) {
		snprintf(place, sizeof(place), "%s/a/x", path);
		asking = fork_child();
		if (asking == 0)
			_exit(open(place, O_RDONLY | O_CLOEXEC) >= 0);
		asked.fd = ends[0];
		assert_int_equal(poll(&asked, 1, 20000), 1);
		alarm(20);
		assert_int_equal(look_from_root(&m, "a"), SAFE_LOOKUP_MAY_WAIT);
		assert_int_equal(look_from_root(&m, "a/x"), SAFE_LOOKUP_MAY_WAIT);
		alarm(0);
		end_child(asking);
		unmount("a");
	}
	end_child(daemon);
	close(ends[0]);
	close(ends[1]);
	if (r < 0)
		skip();
}

static int make_folder(void **state)
{
	static const char *const links[][2] = {{"..", "a/up"}, {"a/up", "up"}, {"/a/b", "absolute"},
		{"b", "a/beside"}, {"/link", "chain"}, {"a/../a/beside/file", "link"},
		{"nowhere", "a/dangling"}, {"loop", "loop"}};
	char text[128];
	uint64_t id;

	(void)state;
	root = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root < 0 || mkdirat(root, "a", 0700) < 0 || mkdirat(root, "a/b", 0700) < 0 ||
		mknodat(root, "file", S_IFREG | 0600, 0) < 0 ||
		mknodat(root, "a/b/file", S_IFREG | 0600, 0) < 0 || mounts_find_id(root, &id) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (symlinkat(links[i][0], root, links[i][1]) < 0)
			return -1;
	snprintf(text, sizeof(text), "%llu 1 8:1 / /x rw - ext4 none rw\n", (unsigned long long)id);
	return mounts_add(&mounts, text, strlen(text), MOUNTS_THEIRS);
}

static int remove_folder(void **state)
{
	(void)state;
	mounts_done(&mounts);
	close(root);
	return folder_remove(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_stay_below_the_root),
		cmocka_unit_test(failed_lookups_return_the_reason),
		cmocka_unit_test(asks_no_unknown_mount),
		cmocka_unit_test(enters_no_mount_that_may_block),
		cmocka_unit_test(refuses_magic_links_of_proc),
		cmocka_unit_test(does_not_wait_for_autofs),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
