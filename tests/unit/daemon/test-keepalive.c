/* SPDX-License-Identifier: Apache-2.0 */
/* Tests when the service manager is told that memtallyd is alive. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "daemon/keepalive.h"

static void idle_is_alive_until_a_pass_is_late(void **state)
{
	struct keepalive k = {0};

	(void)state;
	assert_true(keepalive_is_due(&k, false, 0, 100, 200, 50));
	assert_true(keepalive_is_due(&k, false, 0, 250, 200, 50));
	assert_false(keepalive_is_due(&k, false, 0, 251, 200, 50));
}

static void a_pass_is_alive_while_it_progresses(void **state)
{
	struct keepalive k = {0};

	(void)state;
	assert_true(keepalive_is_due(&k, true, 1, 100, 0, 10));
	assert_false(keepalive_is_due(&k, true, 1, 200, 0, 10));
	assert_true(keepalive_is_due(&k, true, 2, 300, 0, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_is_alive_until_a_pass_is_late),
		cmocka_unit_test(a_pass_is_alive_while_it_progresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
