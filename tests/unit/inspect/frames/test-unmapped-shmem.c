/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/frames/unmapped-shmem.h that test-unmapped-pages and test-shmem-files leave:
 * without a usable /proc, and with a process that has a file open.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "inspect/frames/unmapped-shmem.h"

enum {
	CANT_TEST = 77,
	PAGE = 4096,
	MAPPED_MINOR = 4242, /* minor device that maps shows for the file, */
	STAT_MINOR,          /* and the one of stat(); both have major 0, and neither is mounted */
};

static uint32_t stat_minor; /* statx() reports this minor device, with major 0; 0: the true one */

int __real_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret);
int __wrap_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret);

int __wrap_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret)
{
	int r = __real_statx(dirfd, path, flags, mask, ret);

	if (r == 0 && stat_minor) {
		ret->stx_dev_major = 0;
		ret->stx_dev_minor = stat_minor;
	}
	return r;
}

/* Runs in a child with a mount namespace where /proc is empty. PROCFS_FD is the original one. */
static int open_without_proc(int procfs_fd)
{
	struct unmapped_shmem r = {.procfs_fd = -1};
	int e;

	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return CANT_TEST;
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", "/proc", "tmpfs", 0, NULL) < 0 || access("/proc/self", F_OK) == 0)
		return CANT_TEST;
	e = unmapped_shmem_open(&r, procfs_fd);
	unmapped_shmem_done(&r);
	return -e;
}

/* As in a container that has the host's /proc at another path. */
static void uses_only_the_given_proc(void **state)
{
	AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid;
	int status;

	(void)state;
	assert_true(procfs_fd >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(open_without_proc(procfs_fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANT_TEST)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/*
 * Makes an unlinked file that this process has open. Returns its descriptor, owned by the caller,
 * and its inode.
 */
static int open_nameless(uint64_t *ret_inode)
{
	char path[] = "test-unmapped-shmem.XXXXXX";
	int fd = mkstemp(path);
	struct stat found;

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fstat(fd, &found), 0);
	*ret_inode = found.st_ino;
	return fd;
}

/* Another process, of group 0, maps the file. */
static void map_nameless(struct unmapped_shmem *r, uint64_t inode)
{
	static const char path[] = "/srv/file (deleted)";
	const struct mapping m = {.start = PAGE,
		.end = 2 * PAGE,
		.inode = inode,
		.minor = MAPPED_MINOR,
		.path = path,
		.path_len = sizeof(path) - 1};

	unmapped_shmem_begin(r, 1, 0);
	assert_int_equal(unmapped_shmem_map(&m, r), 0);
}

/* Reads the open files of this process, of group 1, with statx() reporting MINOR. */
static void hold_own(struct unmapped_shmem *r, const struct procfs *procfs, uint32_t minor)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};

	assert_int_equal(target_open(procfs, getpid(), &t), 0);
	unmapped_shmem_begin(r, getpid(), 1);
	stat_minor = minor;
	assert_int_equal(unmapped_shmem_hold(r, &t), 0);
	stat_minor = 0;
}

static bool is_shared(const struct unmapped_shmem *r, uint64_t inode)
{
	for (uint32_t i = 0; i < r->files.count; i++)
		if (r->files.file[i]->is_mapped && r->files.file[i]->inode == inode)
			return r->files.file[i]->is_shared;
	fail();
	return false;
}

/* On btrfs maps shows the device of the file system, and stat() that of the subvolume. */
static void unknown_device_keeps_a_file_on_disk(void **state)
{
	struct procfs procfs = {.fd = -1};
	struct unmapped_shmem r;
	uint64_t inode;
	AUTO_CLOSE int fd = open_nameless(&inode);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(procfs_open("/proc", &procfs), 0);
	assert_int_equal(unmapped_shmem_open(&r, procfs.fd), 0);
	assert_int_equal(shmem_devices_add(&r.devices, 0, MAPPED_MINOR, SHMEM_DEVICES_DISK), 0);
	assert_int_not_equal(r.files.index.seed, 0); /* users choose inode numbers */
	map_nameless(&r, inode);
	assert_false(is_shared(&r, inode));
	hold_own(&r, &procfs, STAT_MINOR);
	assert_true(is_shared(&r, inode));
	unmapped_shmem_done(&r);
	procfs_close(&procfs);
}

/* The process that has the file open is visited before any process that has its tmpfs mounted. */
static void tmpfs_found_later_keeps_its_file(void **state)
{
	struct procfs procfs = {.fd = -1};
	struct unmapped_shmem r;
	uint64_t inode;
	AUTO_CLOSE int fd = open_nameless(&inode);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(procfs_open("/proc", &procfs), 0);
	assert_int_equal(unmapped_shmem_open(&r, procfs.fd), 0);
	hold_own(&r, &procfs, MAPPED_MINOR);
	assert_int_equal(shmem_devices_add(&r.devices, 0, MAPPED_MINOR, SHMEM_DEVICES_YES), 0);
	map_nameless(&r, inode);
	assert_true(is_shared(&r, inode));
	unmapped_shmem_done(&r);
	procfs_close(&procfs);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(uses_only_the_given_proc),
		cmocka_unit_test(unknown_device_keeps_a_file_on_disk),
		cmocka_unit_test(tmpfs_found_later_keeps_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
