/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of confine/limits.h: resource limits of the daemons. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "confine/filter.h"
#include "confine/limits.h"

enum { MOST = 256 << 20 };

/* Returns 0 if the limits work as documented, otherwise the number of the failed check. */
static int try_limits(void)
{
	struct rlimit limit = {.rlim_cur = 100, .rlim_max = 200};

	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || limits_set(MOST, LIMITS_ANY) < 0)
		return 1;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur != 100 || limit.rlim_max != 100)
		return 2;
	if (getrlimit(RLIMIT_CORE, &limit) < 0 || limit.rlim_max != 0)
		return 3;
	if (mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		MAP_FAILED)
		return 4;
	/* A reserved mapping that is never written uses no memory. */
	if (mmap(NULL, MOST, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 5;
	if (limits_set((uint64_t)MOST * 2, LIMITS_ANY) < 0 || getrlimit(RLIMIT_DATA, &limit) < 0)
		return 6;
	if (limit.rlim_max != MOST)
		return 7;
	if (limits_set(MOST, 5) < 0 || getrlimit(RLIMIT_NPROC, &limit) < 0)
		return 8;
	return limit.rlim_max == 5 ? 0 : 9;
}

static void limits_cannot_be_raised_again(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	if (filter_is_wide())
		skip(); /* sanitizers need memory, and valgrind emulates limits itself */
	pid = fork();
	if (pid == 0)
		_exit(try_limits());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_cannot_be_raised_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
