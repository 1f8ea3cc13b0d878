/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/span.h: options of spans, and which moments of a span are asked for. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/past/span.h"

#define NOW (UINT64_C(1795413600) * NS_PER_SEC)

struct parse_case {
	const char *operand[4];
	const char *from, *to, *by, *sort, *order;
	bool is_live;
	const char *error; /* the beginning of the message; NULL: none */
	enum metric_scope scope;
	enum change_field field;
	bool is_ascending;
};

static char *text(const char *t)
{
	return (char *)(uintptr_t)t;
}

static void check(const struct parse_case *c, bool is_diff)
{
	char *operands[4], error[CLI_OPTION_ERROR_SIZE] = "";
	struct settings s = {.from = text(c->from),
		.to = text(c->to),
		.by = text(c->by),
		.sort = text(c->sort),
		.order = text(c->order),
		.live = c->is_live};
	struct span span;
	int r;

	s.operands.item = operands;
	for (; s.operands.count < 4 && c->operand[s.operands.count]; s.operands.count++)
		operands[s.operands.count] = text(c->operand[s.operands.count]);
	r = span_parse(&s, is_diff, NOW, &span, error);
	if (c->error) {
		assert_int_equal(r, -EINVAL);
		if (strncmp(error, c->error, strlen(c->error)) != 0)
			fail_msg("'%s' instead of '%s'", error, c->error);
		return;
	}
	if (r != 0)
		fail_msg("%s", error);
	assert_int_equal(span.selection.scope, c->scope);
	assert_int_equal(span.sort, c->field);
	assert_int_equal(span.is_ascending, c->is_ascending);
	assert_int_equal(span.is_diff, is_diff);
	assert_true(span.from.is_oom || span.to.is_oom || span.from.at_ns < span.to.at_ns);
}

static void lists_take_from_and_to(void **state)
{
	static const struct parse_case cases[] = {
		{.from = "1h", .scope = METRIC_PROGRAM},
		{.operand = {"users"}, .from = "-1h", .to = "30m", .scope = METRIC_USER},
		{.operand = {"processes"},
			.from = "1h",
			.sort = "max",
			.scope = METRIC_PROCESS,
			.field = CHANGE_MAX},
		{.operand = {"users"},
			.from = "1h",
			.sort = "user",
			.scope = METRIC_USER,
			.field = CHANGE_NAME,
			.is_ascending = true},
		{.operand = {"users"},
			.from = "1h",
			.sort = "pss_first_bytes",
			.order = "asc",
			.scope = METRIC_USER,
			.field = CHANGE_FIRST,
			.is_ascending = true},
		{.operand = {"users"}, .from = "oom", .scope = METRIC_USER},
		{.operand = {"users"}, .from = "1h", .sort = "rss", .error = "--sort: expected "},
		{.operand = {"users"}, .from = "1h", .sort = "pid", .error = "--sort: expected "},
		{.operand = {"users"},
			.from = "1h",
			.to = "2h",
			.error = "--from is not before --to"},
		{.operand = {"users"}, .from = "now", .error = "--from is not before now"},
		{.operand = {"users"}, .to = "1h", .error = "--to needs --from"},
		{.operand = {"users"}, .from = "1x", .error = "--from: expected a time of day"},
		{.operand = {"users"}, .from = "2030-01-01", .error = "--from is in the future"},
		{.operand = {"users", "x"}, .from = "1h", .error = "unexpected argument 'x'"},
		{.operand = {"users"},
			.from = "1h",
			.is_live = true,
			.error = "--live does not go with --from"},
		{.operand = {"users"}, .from = "1h", .by = "user", .error = "--by is for "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i], false);
}

static void diff_takes_two_times(void **state)
{
	static const struct parse_case cases[] = {
		{.operand = {"diff", "1h"}, .scope = METRIC_PROGRAM},
		{.operand = {"diff", "2h", "1h"}, .by = "process", .scope = METRIC_PROCESS},
		{.operand = {"diff", "-2h", "oom"}, .by = "user", .scope = METRIC_USER},
		{.operand = {"diff", "2h"}, .by = "users", .scope = METRIC_USER},
		{.operand = {"diff", "2h"}, .by = "processes", .scope = METRIC_PROCESS},
		{.operand = {"diff", "2h"},
			.by = "usr",
			.error = "--by: expected program, process, user, unit or another kind of "
				 "owner, got 'usr'; did you mean 'user'?"},
		{.operand = {"diff", "2h"}, .by = "namegroup", .scope = METRIC_NAMEGROUP},
		{.operand = {"diff"}, .error = "diff needs a time"},
		{.operand = {"diff", "2h", "1h", "now"}, .error = "unexpected argument 'now'"},
		{.operand = {"diff", "1h", "2h"},
			.error = "the first time is not before the second time"},
		{.operand = {"diff", "2h", "x"}, .error = "the second time: expected"},
		{.operand = {"diff", "2h"}, .by = "host", .error = "--by: expected program"},
		{.operand = {"diff", "2h"}, .from = "3h", .error = "--from does not go with diff"},
		{.operand = {"diff", "2h"},
			.is_live = true,
			.error = "--live does not go with diff"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i], true);
}

static void by_names_each_kind_once(void **state)
{
	unsigned int count = 0;

	(void)state;
	for (; span_by(count); count++)
		for (unsigned int i = 0; i < count; i++)
			assert_string_not_equal(span_by(i), span_by(count));
	assert_int_equal(count, OWNER_KINDS + 1);
	assert_string_equal(span_by(0), "program");
}

/* Asks for a span with a snapshot in each INTERVAL_NS. Returns the number of questions. */
static unsigned int ask(uint64_t from_ns, uint64_t to_ns, uint64_t interval_ns)
{
	uint64_t at_ns = from_ns, shown_ns = from_ns, last_ns;
	unsigned int asked = 1;

	last_ns = from_ns + (to_ns - from_ns) / interval_ns * interval_ns;
	while ((at_ns = span_next_ns(from_ns, to_ns,
			shown_ns + interval_ns <= last_ns ? shown_ns + interval_ns : 0))) {
		uint64_t found_ns = from_ns + (at_ns - from_ns) / interval_ns * interval_ns;

		assert_in_range(at_ns, from_ns, to_ns);
		assert_true(found_ns > shown_ns); /* never the same snapshot again */
		shown_ns = found_ns;
		asked++;
	}
	assert_int_equal(shown_ns, last_ns);
	return asked;
}

/* All snapshots if these are few, else SPAN_SNAPSHOTS_MAX of them; always the first and the last. */
static void snapshots_are_bounded_and_end_with_the_last(void **state)
{
	static const uint64_t s = NS_PER_SEC;

	(void)state;
	assert_int_equal(ask(NOW, NOW + 3000 * s, 10 * s), 300);
	assert_int_equal(ask(NOW, NOW + 100 * s, 10 * s), 11);
	assert_int_equal(ask(NOW, NOW + 5 * s, 10 * s), 1);
	assert_int_equal(ask(NOW, NOW + 86400 * s, 10 * s), 300);
	assert_in_range(ask(NOW, NOW + 3333 * s, 10 * s), 250, 300);
	assert_in_range(ask(NOW, NOW + 86401 * s, 7 * s), 250, 300);
	assert_int_equal(ask(NOW, NOW + 1, 1), 2);
	assert_int_equal(span_next_ns(NOW, NOW + 10, 0), 0);
	assert_int_equal(span_next_ns(NOW, NOW + 10, NOW + 11), 0);
	assert_int_equal(span_next_ns(NOW, NOW + 10, NOW - 5), NOW);
	assert_int_equal(span_next_ns(NOW, NOW, NOW), NOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_take_from_and_to),
		cmocka_unit_test(diff_takes_two_times),
		cmocka_unit_test(by_names_each_kind_once),
		cmocka_unit_test(snapshots_are_bounded_and_end_with_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
