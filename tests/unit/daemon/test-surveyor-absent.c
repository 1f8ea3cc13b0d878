/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/surveyor-absent.c: nothing is ever due, and an interval is said to be unused. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "daemon/surveyor.h"

enum { PERCENT_PPM = 10000 };

/* Lines logged so far. */
static unsigned int lines;

ssize_t __wrap_write(int fd, const void *buf, size_t size);

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	assert_int_equal(fd, STDERR_FILENO);
	assert_non_null(memmem(buf, size, "files.interval has no effect", 28));
	lines++;
	return (ssize_t)size;
}

static void is_never_due(void **state)
{
	struct surveyor s;

	(void)state;
	surveyor_init(&s, NULL, 1, NS_PER_SEC);
	assert_true(surveyor_next_ns(&s) == UINT64_MAX);
	surveyor_set(&s, NS_PER_SEC, PERCENT_PPM, NS_PER_SEC);
	assert_true(surveyor_next_ns(&s) == UINT64_MAX);
	assert_int_equal(surveyor_turn(&s), 0);
	assert_true(surveyor_next_ns(&s) == UINT64_MAX);
	surveyor_done(&s);
}

/* A reload without a change logs nothing. */
static void logs_an_unused_interval_once(void **state)
{
	struct surveyor s;

	(void)state;
	lines = 0;
	surveyor_init(&s, NULL, 1, NS_PER_SEC);
	surveyor_set(&s, 0, PERCENT_PPM, NS_PER_SEC);
	assert_int_equal(lines, 0);
	surveyor_set(&s, 60 * NS_PER_SEC, PERCENT_PPM, NS_PER_SEC);
	assert_int_equal(lines, 1);
	surveyor_set(&s, 60 * NS_PER_SEC, 2 * PERCENT_PPM, NS_PER_SEC);
	assert_int_equal(lines, 1);
	surveyor_set(&s, 0, PERCENT_PPM, NS_PER_SEC);
	surveyor_set(&s, 90 * NS_PER_SEC, PERCENT_PPM, NS_PER_SEC);
	assert_int_equal(lines, 2);
	surveyor_done(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_never_due),
		cmocka_unit_test(logs_an_unused_interval_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
