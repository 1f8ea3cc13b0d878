/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the lines of the report about memtallyd's own work. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/lists/effort.h"
#include "tests/unit/support/cli/reported.h"
#include "tests/unit/support/snapshot/sample.h"

static uint64_t up_ns(const struct reported *c)
{
	return (c->up_s ? c->up_s : REPORTED_UP_S) * NS_PER_SEC;
}

/* One figure and the limit. A note follows only if the two do not match. */
static void cpu_is_compared_with_its_budget(void **state)
{
	static const struct {
		struct reported reported;
		const char *text;
	} cases[] = {
		{{.needed = 0.006}, "0.25 % of one core over the last 1 min 5 s; 1 % allowed\n"},
		{{.needed = 0.006, .waiting = 977, .guessed = 1},
			"0.25 % of one core over the last 1 min 5 s; 1 % allowed\n"},
		/* More than is allowed, but not after rounding. */
		{{.needed = 0.0100000001},
			"0.25 % of one core over the last 1 min 5 s; 1 % allowed\n"},
		{{.needed = 0.0101, .recent = 0.01004},
			"1 % of one core over the last 1 min 5 s; 1 % allowed, 1.1 % needed: raise budget.cpu\n"},
		/* Saved budget may have been used, and the start may be part of it. */
		{{.up_s = 361, .recent = 0.017},
			"1.7 % of one core over the last 1 min 5 s; 1 % allowed in the long run\n"},
		{{.up_s = 361, .recent = 0.017, .needed = 0.02},
			"1.7 % of one core over the last 1 min 5 s; 1 % allowed in the long run, 2 % "
			"needed: raise budget.cpu\n"},
		{{.up_s = 256, .span_ms = 252000, .recent = 0.21},
			"21 % of one core over the last 4 min 12 s; 1 % allowed in the long run, the "
			"start not counted\n"},
		{{.up_s = 1, .span_ms = 335, .recent = 0.98},
			"98 % of one core over the last 335 ms; 1 % allowed in the long run, the start "
			"not counted\n"},
		{{.up_s = 257, .span_ms = 252000, .recent = 0.21},
			"21 % of one core over the last 4 min 12 s; 1 % allowed in the long run\n"},
		{{.up_s = 256, .span_ms = 252000},
			"0.25 % of one core over the last 4 min 12 s; 1 % allowed\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = reported_open(&cases[i].reported);
		AUTO_BUFFER struct buffer b = {0}, expected = {0};

		effort_render(view, 0, up_ns(&cases[i].reported), &b);
		buffer_add_char(&b, '\0');
		buffer_printf(&expected, "CPU         %s", cases[i].text);
		buffer_add_char(&expected, '\0');
		if (strncmp(b.data, expected.data, expected.len - 1) != 0)
			fail_msg("not '%s' in '%s'", expected.data, b.data);
	}
}

/*
 * States that are in order and those that are not have different names. What another line says is
 * left out.
 */
static void lines_distinguish_order_from_trouble(void **state)
{
	static const struct {
		struct reported reported;
		const char *is, *is_not;
		uint64_t age_s; /* age of the snapshot */
	} cases[] = {
		{{.longest_ms = 300400},
			"\nDeferred    none; longest since measured or first seen 5 min 0 s, ",
			"\nOverdue "},
		{{.longest_ms = 301000}, "\nOverdue ", "\nDeferred "},
		{{.longest_ms = 281000}, "longest since measured or first seen 4 min 50 s, ",
			"\nOverdue ", 9},
		/* It may have been measured since, unless no pass comes. */
		{{.longest_ms = 298000}, "longest since measured or first seen 5 min 0 s, ",
			"\nOverdue ", 9},
		{{.longest_ms = 298000},
			"\nOverdue     longest since measured or first seen 5 min 11 s, allowed 5 min 0 s\n",
			"\nDeferred ", 13},
		{{.longest_ms = 1000, .stretched_s = 7200},
			"\nOverdue     longest since measured or first seen 10 min 1 s, ",
			"\nDeferred ", 600},
		{{0}, "\nDeferred    none\n", "longest"},
		{{.waiting = 1}, "\nDeferred    1 measurement waiting for CPU budget\n",
			"Deferred    none"},
		{{.waiting = 1066, .guessed = 1066, .backlog_s = 80},
			"\nDeferred    1066 measurements waiting for CPU budget, done in about 1 min "
			"20 s\n",
			"memory"},
		{{.waiting = 2, .backlog_s = 80}, " in about 1 min 11 s\n", "memory", 9},
		{{.waiting = 2, .backlog_s = 80}, " waiting for CPU budget\n", "about", 80},
		{{.pressed = 2, .backlog_s = 80},
			"\nDeferred    2 measurements waiting, because processes waited for memory\n",
			"budget"},
		/* The line about memory already says that these wait. */
		{{.guessed = 1}, "\nStalls ", "\nDeferred "},
		{{.pressure = 0.1}, "\nStalls ", "wait for memory"},
		{{.pressure = 0.11},
			"; processes wait for memory 11 % of the time, so memtallyd measures less\n",
			"only"},
		{{.pressure = 0.31}, " measures only the new", "less"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = reported_open(&cases[i].reported);
		AUTO_BUFFER struct buffer b = {0};

		effort_render(view, cases[i].age_s * NS_PER_SEC, up_ns(&cases[i].reported), &b);
		buffer_add_char(&b, '\0');
		if (!strstr(b.data, cases[i].is) || strstr(b.data, cases[i].is_not))
			fail_msg(
				"not '%s', or '%s', in '%s'", cases[i].is, cases[i].is_not, b.data);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_is_compared_with_its_budget),
		cmocka_unit_test(lines_distinguish_order_from_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
