/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/trace.h: growth of one row, and since when. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "cli/why/facts/trace.h"

enum { POINTS = 6, UNKNOWN = -1 };

static size_t fill(const int amount[POINTS], int doubt, struct trace_point to[POINTS])
{
	for (size_t i = 0; i < POINTS; i++)
		to[i] = (struct trace_point){
			.at_ns = i,
			.is_known = amount[i] != UNKNOWN,
			.has_low = true,
			.has_high = true,
			.bytes = (uint64_t)amount[i],
			.low_bytes = (uint64_t)(amount[i] - doubt),
			.high_bytes = (uint64_t)(amount[i] + doubt),
		};
	return POINTS;
}

static void growth_begins_where_the_row_was_smallest(void **state)
{
	static const struct {
		int amount[POINTS];
		uint64_t since, grown;
	} cases[] = {
		{{100, 100, 100, 100, 200, 300}, 3, 200}, /* late */
		{{100, 140, 180, 220, 260, 300}, 0, 200}, /* all the time */
		{{900, 800, 100, 110, 200, 300}, 3, 190}, /* after a fall; 5 % are no growth */
		{{100, 111, 100, 111, 200, 300}, 2, 200}, /* 11 of 200 are more than 5 % */
		{{100, 300, 100, 300, 100, 300}, 4, 200}, /* a sawtooth */
		{{UNKNOWN, 100, UNKNOWN, UNKNOWN, 200, 300}, 1, 200},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_point point[POINTS];
		struct trace_growth g = {0};

		assert_true(trace_measure(point, fill(cases[i].amount, 0, point), &g));
		assert_int_equal(g.since_ns, cases[i].since);
		assert_int_equal(g.bytes, cases[i].grown);
		assert_int_equal(g.to_bytes, 300);
		assert_int_equal(g.from_bytes, 300 - cases[i].grown);
	}
}

static void a_row_that_did_not_grow_has_no_growth(void **state)
{
	static const int cases[][POINTS] = {
		{300, 300, 300, 300, 300, 300}, {300, 290, 280, 270, 260, 250},
		{UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 300},
		{100, 200, 300, 400, 500, UNKNOWN}, /* its last amount is not known */
	};
	struct trace_growth g;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_point point[POINTS];

		assert_false(trace_measure(point, fill(cases[i], 0, point), &g));
	}
	assert_false(trace_measure(NULL, 0, &g));
}

static void bounds_are_those_of_both_ends(void **state)
{
	static const int amount[POINTS] = {100, 100, 100, 120, 140, 160};
	struct trace_point point[POINTS];
	struct trace_growth g = {0};

	(void)state;
	fill(amount, 40, point);
	assert_true(trace_measure(point, POINTS, &g));
	assert_true(g.has_low && g.has_high);
	assert_int_equal(g.low_bytes, (160 - 40) - (100 + 40));
	assert_int_equal(g.high_bytes, (160 + 40) - (100 - 40));
	point[2].has_low = false; /* then the growth may be any */
	point[5].has_low = false;
	assert_true(trace_measure(point, POINTS, &g));
	assert_false(g.has_low || g.has_high);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_begins_where_the_row_was_smallest),
		cmocka_unit_test(a_row_that_did_not_grow_has_no_growth),
		cmocka_unit_test(bounds_are_those_of_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
