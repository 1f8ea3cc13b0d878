/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of base/os/standard.h. Each case runs in a child that reports by its exit status only,
 * because it may have no standard error.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/standard.h"

enum { GOOD = 0, NO_NULL, USABLE, CHANGED, NEXT, FAILED, ALL = 7 };

static bool is_null(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

/*
 * Runs in a child: closes the descriptors of the bit mask CLOSED, calls standard_fill() and
 * returns what was found.
 */
static int look(unsigned int closed)
{
	struct stat before[3], after;
	char c = 0;

	for (int fd = 0; fd < 3; fd++) {
		if (closed >> fd & 1)
			close(fd);
		else if (fstat(fd, &before[fd]) < 0)
			return FAILED;
	}
	if (standard_fill() < 0)
		return FAILED;
	for (int fd = 0; fd < 3; fd++)
		if (!(closed >> fd & 1)) {
			if (fstat(fd, &after) < 0 || after.st_ino != before[fd].st_ino ||
				after.st_rdev != before[fd].st_rdev)
				return CHANGED;
		} else if (!is_null(fd)) {
			return NO_NULL;
		} else if (fd == 0 ? read(fd, &c, 1) != -1 || errno != EBADF
				   : write(fd, &c, 1) != -1 || errno != EBADF) {
			return USABLE;
		}
	return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) > 2 ? GOOD : NEXT;
}

static void fills_closed_standard_descriptors(void **state)
{
	(void)state;
	for (unsigned int closed = 0; closed <= ALL; closed++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (!child) {
			for (int fd = 3; fd < 1024; fd++)
				close(fd);
			_exit(look(closed));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != GOOD)
			fail_msg("0x%x closed: %d", closed, WEXITSTATUS(status));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_closed_standard_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
