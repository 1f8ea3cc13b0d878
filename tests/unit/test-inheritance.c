/* SPDX-License-Identifier: Apache-2.0 */
/* In a child, whose descriptors are nobody else's. */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "confine/inheritance.h"

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

static void keeps_what_was_passed(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(try_closing());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_was_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
