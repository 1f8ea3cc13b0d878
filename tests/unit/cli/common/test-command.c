/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how memtally reports errors of output and missing results. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/log.h"
#include "cli/common/command.h"

/* Standard error since it was last emptied. */
static char said[512];

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	size_t had = strlen(said);

	if (fd != STDERR_FILENO)
		return __real_write(fd, data, len);
	snprintf(said + had, sizeof(said) - had, "%.*s", (int)len, (const char *)data);
	return (ssize_t)len;
}

static void output_errors_are_reported(void **state)
{
	static const struct {
		int r;
		const char *expected;
	} cases[] = {
		{0, ""},
		{-EPIPE, ""}, /* the reader closed the pipe */
		{-ENOSPC, "test: error: cannot print: No space left on device\n"},
		{-ENOMEM, "test: error: out of memory\n"},
	};

	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_open("test", LOG_LEVEL_INFO);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		said[0] = '\0';
		assert_int_equal(
			command_printed(cases[i].r), cases[i].r ? COMMAND_FAILED : COMMAND_GOOD);
		assert_string_equal(said, cases[i].expected);
	}
}

/* A positive result has been reported already. */
static void positive_results_are_not_reported_twice(void **state)
{
	(void)state;
	said[0] = '\0';
	assert_int_equal(command_shown(1), COMMAND_FAILED);
	assert_int_equal(command_shown(0), COMMAND_GOOD);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_errors_are_reported),
		cmocka_unit_test(positive_results_are_not_reported_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
