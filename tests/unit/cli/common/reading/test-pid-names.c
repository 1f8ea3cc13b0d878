/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/reading/pid-names.h: how messages name processes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/reading/pid-names.h"

/* Returns what pid_names_say_blocked() writes for COUNT processes, the second one without a file. */
static void say(size_t count, char to[static 512])
{
	struct pid_names_blocked b = {0};
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t len;

	for (size_t i = 0; i < count; i++)
		pid_names_add_blocked(&b, (pid_t)(5 + i), i == 1 ? "" : "stat", 610 * NS_PER_MSEC);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	pid_names_say_blocked(&b, "left out");
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	close(ends[1]);
	len = read(ends[0], to, 511);
	close(ends[0]);
	assert_true(len >= 0);
	to[len] = 0;
	assert_int_equal(b.count, 0);
}

static void names_the_first_blocked_processes(void **state)
{
	static const char *const expected[] = {
		"",
		"memtally: warning: 1 process is left out, because the kernel blocks readers of its "
		"files in /proc: pid 5 (stat, for 610 ms)\n",
		"memtally: warning: 2 processes are left out, because the kernel blocks readers of "
		"their files in /proc: pid 5 (stat, for 610 ms), pid 6 (for 610 ms)\n",
		"memtally: warning: 3 processes are left out, because the kernel blocks readers of "
		"their files in /proc: pid 5 (stat, for 610 ms), pid 6 (for 610 ms), pid 7 (stat, for "
		"610 ms)\n",
		"memtally: warning: 4 processes are left out, because the kernel blocks readers of "
		"their files in /proc: pid 5 (stat, for 610 ms), pid 6 (for 610 ms), pid 7 (stat, for "
		"610 ms) and 1 more\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char said[512];

		say(i, said);
		assert_string_equal(said, expected[i]);
	}
}

static void names_pids(void **state)
{
	static const char *const expected[] = {"pid 5", "pids 5 and 6", "pids 5, 6 and 7",
		"pids 5, 6, 7 and 1 more", "pids 5, 6, 7 and 2 more"};
	static const pid_t pid[] = {5, 6, 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		AUTO_BUFFER struct buffer names = {0};

		pid_names_add(&names, pid, i + 1);
		buffer_add_char(&names, '\0');
		assert_string_equal(names.data, expected[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_first_blocked_processes),
		cmocka_unit_test(names_pids),
	};

	log_open("memtally", LOG_LEVEL_INFO);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
