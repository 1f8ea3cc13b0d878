/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/past-history.h: operands and options of memtally history. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/past/past-history.h"

#define NOW (UINT64_C(1795413600) * NS_PER_SEC)

struct parse_case {
	const char *operand[5];
	const char *from, *to, *sort;
	const char *error; /* the beginning of the message; NULL: none */
	enum metric_scope scope;
	const char *name;
	uint32_t pid;
	uint64_t from_s, to_s; /* ago */
};

static char *text(const char *t)
{
	return (char *)(uintptr_t)t;
}

static void check(const struct parse_case *c)
{
	char *operands[5], error[CLI_OPTION_ERROR_SIZE] = "";
	struct settings s = {.from = text(c->from), .to = text(c->to), .sort = text(c->sort)};
	struct past_history t;
	int r;

	s.operands.item = operands;
	for (; s.operands.count < 5 && c->operand[s.operands.count]; s.operands.count++)
		operands[s.operands.count] = text(c->operand[s.operands.count]);
	r = past_history_parse(&s, NOW, &t, error);
	if (c->error) {
		assert_int_equal(r, -EINVAL);
		if (strncmp(error, c->error, strlen(c->error)) != 0)
			fail_msg("'%s' instead of '%s'", error, c->error);
		return;
	}
	if (r != 0)
		fail_msg("%s", error);
	assert_int_equal(t.scope, c->scope);
	assert_int_equal(t.pid, c->pid);
	assert_string_equal(t.name ? t.name : "", c->name ? c->name : "");
	assert_int_equal((NOW - t.from.at_ns) / NS_PER_SEC, c->from_s);
	assert_int_equal((NOW - t.to.at_ns) / NS_PER_SEC, c->to_s);
}

static void histories_are_of_the_host_owners_or_processes(void **state)
{
	static const struct parse_case cases[] = {
		{{"history", "host"}, .scope = METRIC_HOST, .from_s = 86400},
		{{"history", "user", "alice"}, .scope = METRIC_USER, .name = "alice",
			.from_s = 86400},
		{{"history", "unit", "a.service"}, .from = "-2h", .to = "1h", .scope = METRIC_UNIT,
			.name = "a.service", .from_s = 7200, .to_s = 3600},
		{{"history", "host"}, .to = "2d", .scope = METRIC_HOST, .from_s = 3 * 86400,
			.to_s = 2 * 86400},
		{{"history", "process", "4711"}, .scope = METRIC_PROCESS, .pid = 4711,
			.from_s = 86400},
		{{"history"}, .error = "history needs a scope"},
		{{"history", "users"}, .error = "history: expected host, process, user"},
		{{"history", "user"}, .error = "history user needs a name"},
		{{"history", "process"}, .error = "history process needs a pid"},
		{{"history", "process", "0"}, .error = "history process: expected a pid"},
		{{"history", "process", "4294967297"}, .error = "history process: expected a pid"},
		{{"history", "process", "12x"}, .error = "history process: expected a pid"},
		{{"history", "user", "\x1b[2J"}, .error = "no owner can have this name"},
		{{"history", "user", ""}, .error = "no owner can have this name"},
		{{"history", "host", "x"}, .error = "unexpected argument 'x' after host"},
		{{"history", "user", "a", "b"}, .error = "unexpected argument 'b' after a"},
		{{"history", "host"}, .from = "1h", .to = "2h",
			.error = "--from is not before --to"},
		{{"history", "host"}, .from = "tomorrow", .error = "--from: expected a time"},
		{{"history", "host"}, .sort = "pss", .error = "--sort does not go with history"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histories_are_of_the_host_owners_or_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
