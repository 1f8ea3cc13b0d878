/* SPDX-License-Identifier: Apache-2.0 */
/* Tests in a child process, so that no other descriptors are closed. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "confine/inheritance.h"

static bool is_refused; /* close_range() fails, as on an old kernel or in a sandbox */

int __real_close_range(unsigned int first, unsigned int last, int flags);
int __wrap_close_range(unsigned int first, unsigned int last, int flags);

int __wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	if (first > last)
		_exit(6); /* an empty range needs neither close_range() nor /proc */
	if (!is_refused)
		return __real_close_range(first, last, flags);
	errno = ENOSYS;
	return -1;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int try_closing(void)
{
	for (int fd = 3; fd < 8; fd++)
		if (dup2(STDERR_FILENO, fd) != fd)
			return 1;
	if (dup2(STDERR_FILENO, 200) != 200 || inheritance_close(2) < 0)
		return 2;
	for (int fd = 0; fd < 5; fd++)
		if (!is_open(fd))
			return 3;
	if (is_open(5) || is_open(6) || is_open(7) || is_open(200))
		return 4;
	return inheritance_close(0) < 0 || is_open(3) || !is_open(STDERR_FILENO) ? 5 : 0;
}

static int try_closing_but(void)
{
	for (int fd = 3; fd < 8; fd++)
		if (dup2(STDERR_FILENO, fd) != fd)
			return 1;
	if (dup2(STDERR_FILENO, 200) != 200 || inheritance_close_but(5, -1) < 0)
		return 2;
	for (int fd = 0; fd < 8; fd++)
		if (is_open(fd) != (fd < 3 || fd == 5))
			return 3;
	/* also the first possible descriptor */
	if (is_open(200) || dup2(5, 3) != 3 || inheritance_close_but(3, -1) < 0)
		return 4;
	return is_open(5) || !is_open(3) || !is_open(STDERR_FILENO) ? 5 : 0;
}

static void run(int (*try)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(try());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void keeps_passed_descriptors(void **state)
{
	(void)state;
	run(try_closing);
}

static void keeps_one_descriptor(void **state)
{
	(void)state;
	run(try_closing_but);
}

static void does_without_close_range(void **state)
{
	(void)state;
	is_refused = true;
	run(try_closing);
	run(try_closing_but);
	is_refused = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_passed_descriptors),
		cmocka_unit_test(keeps_one_descriptor),
		cmocka_unit_test(does_without_close_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
