/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/history-query.h: the parameters of /api/v1/history. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/buffer.h"
#include "web/history/history-query.h"

enum { NOW_S = 1800000000 };

static int parse(const char *text, struct history_query *ret, char error[static QUERY_ERROR_SIZE])
{
	return history_query_parse(text, strlen(text), NOW_S, ret, error);
}

static void has_defaults(void **state)
{
	struct history_query q;
	char error[QUERY_ERROR_SIZE];

	(void)state;
	assert_int_equal(history_query_parse(NULL, 0, NOW_S, &q, error), 0);
	assert_int_equal(q.scope, METRIC_USER);
	assert_string_equal(q.metric->name, "pss_bytes");
	assert_int_equal(q.from_s, NOW_S - 3600);
	assert_int_equal(q.to_s, NOW_S);
	assert_int_equal(q.step_s, 0);
	assert_int_equal(q.limit, 20);
	assert_int_equal(q.names, 0);
}

static void reads_all_parameters(void **state)
{
	struct history_query q;
	char error[QUERY_ERROR_SIZE];

	(void)state;
	assert_int_equal(parse("scope=user_unit&name=a.service&name=b%20c&metric=processes&"
			       "from=1700000000&to=1700003600&step=5m&limit=7",
				 &q, error),
		0);
	assert_int_equal(q.scope, METRIC_USER_UNIT);
	assert_string_equal(q.metric->name, "processes");
	assert_int_equal(q.from_s, 1700000000);
	assert_int_equal(q.to_s, 1700003600);
	assert_int_equal(q.step_s, 300);
	assert_int_equal(q.limit, 7);
	assert_int_equal(q.names, 2);
	assert_string_equal(history_query_name(&q, 0), "a.service");
	assert_string_equal(history_query_name(&q, 1), "b c");
}

static void reads_times(void **state)
{
	static const struct {
		const char *text;
		int64_t from_s, to_s;
	} cases[] = {
		{"from=2h", NOW_S - 7200, NOW_S},
		{"from=2h&to=1h", NOW_S - 7200, NOW_S - 3600},
		{"to=1h", NOW_S - 7200, NOW_S - 3600},
		{"to=1900000000", NOW_S - 3600, NOW_S}, /* the future has no points */
		{"from=0&to=now", 0, NOW_S},
		{"to=1000", 0, 1000},
		{"from=2027-01-15T07:00:00", NOW_S - 3600, NOW_S},
		{"from=today", NOW_S - 8 * 3600, NOW_S},
	};
	struct history_query q;
	char error[QUERY_ERROR_SIZE];

	(void)state;
	setenv("TZ", "UTC0", 1);
	tzset();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (parse(cases[i].text, &q, error) != 0 || q.from_s != cases[i].from_s ||
			q.to_s != cases[i].to_s)
			fail_msg("%s: %lld to %lld", cases[i].text, (long long)q.from_s,
				(long long)q.to_s);
}

static void refuses_faults(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"scope=x", "'scope' must be host, user"},
		{"scope=process", "'scope' must be host, user"},
		{"metric=pss", "'metric' must be pss_bytes, uss_bytes"},
		{"from=tomorrow", "'from' must be seconds since 1970"},
		{"from=-1", "'from' must be seconds since 1970"},
		{"to=99999999999999", "'to' must be seconds since 1970"},
		{"from=1900000000", "'from' must be before 'to' and in the past"},
		{"from=1h&to=2h", "'from' must be before 'to' and in the past"},
		{"from=5&to=5", "'from' must be before 'to' and in the past"},
		{"step=0", "'step' must be whole seconds"},
		{"step=500ms", "'step' must be whole seconds"},
		{"step=1500ms", "'step' must be whole seconds"},
		{"step=367d", "'step' must be whole seconds"},
		{"step=x", "'step' must be whole seconds"},
		{"limit=0", "'limit' must be a whole number from 1 to 100"},
		{"limit=101", "'limit' must be a whole number from 1 to 100"},
		{"limit=1&limit=2", "parameter 'limit' is given twice"},
		{"scope=user&scope=user", "parameter 'scope' is given twice"},
		{"scope=host&name=a", "'name' does not go with scope=host"},
		{"sort=x",
			"unknown parameter 'sort'; known here: scope, name, metric, from, to, step, limit"},
		{"scope", "parameters must be of the form"},
		{"name=%zz", "a parameter's value has a '%'"},
	};
	struct history_query q;
	char error[QUERY_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		error[0] = 0;
		if (parse(cases[i].text, &q, error) != -EINVAL ||
			strncmp(error, cases[i].error, strlen(cases[i].error)) != 0)
			fail_msg("%s: %s", cases[i].text, error);
	}
}

static void limits_names(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	char error[QUERY_ERROR_SIZE];
	struct history_query q;

	(void)state;
	for (int i = 0; i < HISTORY_QUERY_NAMES_MAX; i++)
		buffer_add_text(&text, i ? "&name=x" : "name=x");
	assert_int_equal(text.error, 0);
	assert_int_equal(history_query_parse(text.data, text.len, NOW_S, &q, error), 0);
	assert_int_equal(q.names, HISTORY_QUERY_NAMES_MAX);
	buffer_add_text(&text, "&name=x");
	assert_int_equal(history_query_parse(text.data, text.len, NOW_S, &q, error), -EINVAL);
	assert_string_equal(error, "more than 64 names, or they are too long");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_defaults),
		cmocka_unit_test(reads_all_parameters),
		cmocka_unit_test(reads_times),
		cmocka_unit_test(refuses_faults),
		cmocka_unit_test(limits_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
