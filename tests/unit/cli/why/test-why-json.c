/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/why-json.h: the JSON of `memtally why`, tests/fixtures/golden/why-*.json. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "cli/why/why-json.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/golden.h"

static const struct incident oom_kill = {
	.kind = INCIDENT_OOM,
	.first_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
	.last_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
	.pressure_first_ns = (uint64_t)(EPISODE_TIME_S - 60) * NS_PER_SEC,
	.pressure_last_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
};

static void check(const struct episode *e, bool is_own_only, const char *golden)
{
	AUTO_BUFFER struct buffer body = {0};
	AUTO_EPISODE struct moments m;
	struct findings f;
	json_t *json;
	char *text;

	episode_open(e, &m);
	assert_int_equal(findings_make(&m, &oom_kill, is_own_only, &f), 0);
	json = why_json_make(&f, oom_kill.first_ns);
	assert_non_null(json);
	text = json_dumps(json, JSON_INDENT(1));
	assert_non_null(text);
	buffer_add_text(&body, text);
	buffer_add_char(&body, '\n');
	golden_check(golden, &body);
	free(text);
	json_decref(json);
}

static void everything_of_an_oom_kill(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[3].doubt_mib = 150;
	memset(e.instance + 4, 1, 4);
	check(&e, false, "why-session.json");
}

/* Unknown values are absent. */
static void an_oom_kill_of_which_little_is_known(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.is_public = true;
	e.has_balance = false;
	e.total_mib = 0;
	e.counters = 0;
	e.kills[6] = e.waited_s[7] = EPISODE_ABSENT;
	check(&e, true, "why-public.json");
}

static void failed_allocations_give_no_json(void **state)
{
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	json_set_alloc_funcs(malloc, free);
	episode_of_kill(&e);
	episode_open(&e, &m);
	assert_int_equal(findings_make(&m, &oom_kill, false, &f), 0);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		json_t *json;

		allocation_fail_at(n);
		json = why_json_make(&f, oom_kill.first_ns);
		assert_int_equal(json == NULL, allocation_check(json ? 0 : -ENOMEM));
		json_decref(json);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_of_an_oom_kill),
		cmocka_unit_test(an_oom_kill_of_which_little_is_known),
		cmocka_unit_test(failed_allocations_give_no_json),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
