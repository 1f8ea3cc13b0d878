/* SPDX-License-Identifier: Apache-2.0 */
/* memtally top: its options, and what it says without a terminal. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/cli/invoked.h"

static void options_are_checked(void **state)
{
	static const struct {
		const char *args[INVOKED_ARGS];
		int status;
		const char *message;
	} cases[] = {
		{{"top", "--check-config"}, 0, ""},
		{{"top", "--by=nested", "--check-config"}, 0, ""},
		{{"top", "-s", "growth10", "-r", "--check-config"}, 0, ""},
		{{"top", "-s", "PSS_BYTES", "--check-config"}, 0, ""},
		{{"top", "-u", "alice", "-p", "1", "--live", "--check-config"}, 0, ""},
		{{"top", "--by=foo"}, 2,
			"--by: expected program, user, unit, container, process, tree or nested, got 'foo'"},
		{{"top", "--sort=groth10"}, 2, "did you mean 'growth10'?"},
		{{"top", "--sort=trend"}, 2, "got 'trend'"},
		{{"top", "--order=up"}, 2, "--order"},
		{{"top", "--json"}, 2, "--json does not go with top"},
		{{"top", "--at=1m"}, 2, "--at does not go with top; use --replay\n"},
		{{"top", "--limit=3"}, 2, "--limit does not go with top"},
		{{"top", "alice"}, 2, "unexpected argument 'alice' after top"},
		{{"top", "--pid=x"}, 2, "pid"},
		{{"top", "--replay=-15m", "--check-config"}, 0, ""},
		{{"top", "--replay=oom", "--check-config"}, 0, ""},
		{{"top", "--replay=soon"}, 2,
			"--replay: expected a time such as -15m, 03:12, '2026-11-23 08:00' or oom, got "
			"'soon'"},
		{{"programs", "--replay=-15m"}, 2, "--replay is for top"},
		/* standard input and output are no terminal */
		{{"top"}, 1, "top needs a terminal; memtally programs, users or processes print"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_RUNNING struct running r = {0};

		invoked_run(cases[i].args, &r);
		assert_int_equal(r.status, cases[i].status);
		running_check_says(&r, cases[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_checked),
	};

	return cmocka_run_group_tests(tests, invoked_enter, invoked_leave);
}
