/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/reading/hint.h: why a process cannot be read. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/log.h"
#include "cli/common/reading/hint.h"
#include "collectors/process/self/self-usage.h"
#include "inspect/maps/target.h"
#include "tests/unit/support/process/running.h"

static struct self_usage rights;

void __wrap_self_usage_read(struct self_usage *ret);

void __wrap_self_usage_read(struct self_usage *ret)
{
	*ret = rights;
}

/* Two processes are denied: the hint comes once. */
static int say_twice(void *context)
{
	struct procfs procfs = {.fd = -1};

	log_open("memtally", LOG_LEVEL_INFO);
	hint_say(context, &procfs, TARGET_DENIED);
	hint_say(context, &procfs, TARGET_DENIED);
	return 0;
}

/* Root of a user namespace, or of a container, may have all rights and yet be refused. */
static void asks_for_no_right_that_is_there(void **state)
{
	static const struct {
		const char *denied;
		bool has_sys_ptrace, has_dac_read_search;
		const char *said;
	} cases[] = {
		{NULL, false, true,
			"memtally: reading mappings of other users' processes requires CAP_SYS_PTRACE: run as root\n"},
		{NULL, true, false,
			"memtally: the kernel refuses this in spite of CAP_SYS_PTRACE\n"},
		{"pages require both", true, false, "memtally: pages require both\n"},
		{"pages require both", true, true,
			"memtally: the kernel refuses this in spite of CAP_SYS_PTRACE\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hint hint = {.denied = cases[i].denied};
		AUTO_RUNNING struct running r = {0};

		rights = (struct self_usage){.has_sys_ptrace = cases[i].has_sys_ptrace,
			.has_dac_read_search = cases[i].has_dac_read_search};
		running_do(say_twice, &hint, -1, &r);
		assert_string_equal(r.err.data, cases[i].said);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_for_no_right_that_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
