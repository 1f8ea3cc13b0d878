/* SPDX-License-Identifier: Apache-2.0 */
/* What test-remnant and test-memfiles have of it is theirs; here it begins where no /proc is. */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "inside/remnants.h"

enum { CANT_TEST = 77 };

/* In a child: in mounts of its own, where nothing is in /proc, and PROCFS_FD is the one that was there. */
static int open_without_proc(int procfs_fd)
{
	struct remnants r = {.procfs_fd = -1};
	int e;

	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return CANT_TEST;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", "/proc", "tmpfs", 0, NULL) < 0 || access("/proc/self", F_OK) == 0)
		return CANT_TEST;
	e = remnants_open(&r, procfs_fd);
	remnants_done(&r);
	return -e;
}

/* As in a container where the host's is mounted elsewhere. */
static void needs_no_proc_but_the_one_given(void **state)
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_no_proc_but_the_one_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
