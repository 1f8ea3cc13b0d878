/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/past-session.h: what is said of times without a recording. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "cli/common/past-session.h"

#define NOW (UINT64_C(1795413600) * NS_PER_SEC) /* 2026-11-23T06:00:00Z */

static void absences_name_the_covered_time(void **state)
{
	static const struct {
		struct past_request q;
		struct past_head head;
		const char *text;
	} cases[] = {
		{{.pick = PAST_AT, .at_ns = NOW - 86400 * NS_PER_SEC},
			{.first_ns = NOW - 3600 * NS_PER_SEC, .last_ns = NOW - 5 * NS_PER_SEC},
			"nothing is recorded for 2026-11-22 06:00:00: the recording covers "
			"2026-11-23 05:00:00 to now"},
		{{.pick = PAST_OOM, .at_ns = NOW},
			{.first_ns = NOW - 3600 * NS_PER_SEC, .last_ns = NOW - 600 * NS_PER_SEC},
			"no OOM kill is recorded: the recording covers 2026-11-23 05:00:00 to "
			"2026-11-23 05:50:00"},
		{{.pick = PAST_AT, .at_ns = NOW}, {.first_ns = 0}, "nothing is recorded yet"},
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer text = {0};

		past_session_add_absence(&cases[i].q, &cases[i].head, NOW, &text);
		buffer_add_char(&text, '\0');
		assert_string_equal(text.data, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absences_name_the_covered_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
