/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/change.h: what grew, is new, or is gone between snapshots. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "cli/past/change.h"
#include "snapshot/owner.h"
#include "tests/unit/support/cli/past-rows.h"
#include "tests/unit/support/faults/allocation.h"

#define MIB PAST_ROWS_MIB

/* Finds the row of NAME; if PID is not 0, that of the process. */
static const struct change_row *row_of(const struct change *c, const char *name, uint32_t pid)
{
	for (size_t i = 0; i < c->rows; i++)
		if (!strcmp(change_text(c, c->row[i].name), name) && c->row[i].pid == pid)
			return &c->row[i];
	fail_msg("there is no row of %s", name);
	return NULL;
}

/* Checks amount FIELD of the row in MiB; INT64_MIN: it is absent. */
static void check(const struct change_row *row, enum change_field field, int64_t expected_mib)
{
	int64_t bytes = 0;
	bool is_known = change_get(row, field, &bytes);

	assert_int_equal(is_known, expected_mib != INT64_MIN);
	if (is_known)
		assert_int_equal(bytes / (int64_t)MIB, expected_mib);
}

static const struct past_row morning[] = {
	{"alice", "python3", 1000, 10, 1, 100, 90, 110, .is_denied = false},
	{"bob", "bash", 1001, 20, 1, 50, 50, 50, .is_denied = false},
	{"eve", "vim", 1002, 30, 1, 0, 0, 0, .is_denied = true},
	{"old", "cat", 1003, 35, 1, 0, 0, 0, .is_empty = true},
};
static const struct past_row noon[] = {
	{"alice", "python3", 1000, 10, 1, 400, 390, 420, .is_denied = false},
	{"eve", "vim", 1002, 30, 1, 7, 7, 7, .is_denied = false},
	{"carl", "make", 1004, 40, 2, 600, 600, 600, .is_denied = false},
};
static const struct past_row evening[] = {
	{"alice", "python3", 1000, 10, 1, 300, 280, 0, .is_denied = false},
	{"eve", "vim", 1002, 30, 1, 9, 9, 9, .is_denied = false},
	{"dora", "nginx", 1005, 50, 3, 25, 25, 25, .is_denied = false},
};

static void take_day(struct change *c)
{
	past_rows_take(c, morning, ARRAY_SIZE(morning));
	past_rows_take(c, noon, ARRAY_SIZE(noon));
	past_rows_take(c, evening, ARRAY_SIZE(evening));
}

static void users_grow_come_and_go(void **state)
{
	static const struct {
		const char *name;
		int64_t growth, first, last, min, max;
	} cases[] = {
		{"alice", 200, 100, 300, 100, 400}, {"bob", -50, 50, INT64_MIN, 50, 50}, /* gone */
		{"eve", INT64_MIN, INT64_MIN, 9, 7, 9},      /* not measured at first */
		{"carl", 0, INT64_MIN, INT64_MIN, 600, 600}, /* came and went */
		{"dora", 25, INT64_MIN, 25, 25, 25},         /* new */
	};
	AUTO_CHANGE struct change c = {.scope = METRIC_USER};

	(void)state;
	take_day(&c);
	assert_int_equal(c.snapshots, 3);
	assert_int_equal(c.rows, ARRAY_SIZE(cases)); /* "old" never had a process */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct change_row *row = row_of(&c, cases[i].name, 0);

		check(row, CHANGE_GROWTH, cases[i].growth);
		check(row, CHANGE_FIRST, cases[i].first);
		check(row, CHANGE_LAST, cases[i].last);
		check(row, CHANGE_MIN, cases[i].min);
		check(row, CHANGE_MAX, cases[i].max);
	}
	assert_true(row_of(&c, "bob", 0)->first.is_there && !row_of(&c, "bob", 0)->last.is_there);
	assert_false(row_of(&c, "dora", 0)->first.is_there);
}

/* The bounds of a growth contain all differences of what the figures may be. */
static void growth_is_within_the_bounds_of_both_figures(void **state)
{
	AUTO_CHANGE struct change c = {.scope = METRIC_USER};
	struct change_growth g;

	(void)state;
	past_rows_take(&c, morning, ARRAY_SIZE(morning));
	past_rows_take(&c, noon, ARRAY_SIZE(noon));
	change_growth(&row_of(&c, "alice", 0)->first, &row_of(&c, "alice", 0)->last, &g);
	assert_true(g.is_known && g.has_low && g.has_high);
	assert_int_equal(g.bytes, 300 * MIB);
	assert_int_equal(g.low, 280 * MIB);
	assert_int_equal(g.high, 330 * MIB);

	past_rows_take(&c, evening, ARRAY_SIZE(evening));
	change_growth(&row_of(&c, "alice", 0)->first, &row_of(&c, "alice", 0)->last, &g);
	assert_true(g.has_low && !g.has_high); /* its last PSS has no upper bound */
	assert_int_equal(g.low, 170 * MIB);
}

/* The total is that of all rows with a known growth, so it adds up. */
static void totals_are_of_known_rows(void **state)
{
	AUTO_CHANGE struct change c = {.scope = METRIC_USER};
	struct change_figure first, last;

	(void)state;
	take_day(&c);
	assert_int_equal(change_sum(&c, &first, &last), 1); /* eve */
	assert_int_equal(first.pss, 150 * MIB);
	assert_int_equal(last.pss, 325 * MIB);
	assert_int_equal(first.low, 140 * MIB);
	assert_int_equal(first.high, 160 * MIB);
	assert_false(first.is_open);
	assert_true(last.is_open);
}

/* A pid that is used again is another process; exec makes none, and a clock that is set neither. */
static void processes_are_told_apart_by_their_start(void **state)
{
	static const uint64_t s = NS_PER_SEC;
	const struct past_row before[] = {
		{"a", "sh", 1, 10, 100 * s, 1, 1, 1, .is_denied = false},
		{"a", "sh", 1, 11, 100 * s, 2, 2, 2, .is_denied = false},
		{"a", "sh", 1, 12, 0, 3, 3, 3, .is_denied = false},
	};
	const struct past_row after[] = {
		{"a", "python3", 1, 10, 101 * s, 5, 5, 5, .is_denied = false},
		{"a", "sh", 1, 11, 200 * s, 7, 7, 7, .is_denied = false},
		{"a", "sh", 1, 12, 100 * s, 4, 4, 4, .is_denied = false},
	};
	AUTO_CHANGE struct change c = {.scope = METRIC_PROCESS};

	(void)state;
	past_rows_take(&c, before, ARRAY_SIZE(before));
	past_rows_take(&c, after, ARRAY_SIZE(after));
	assert_int_equal(c.rows, 4);
	check(row_of(&c, "python3", 10), CHANGE_GROWTH, 4);
	check(row_of(&c, "sh", 12), CHANGE_GROWTH, 1);
	change_sort(&c, CHANGE_GROWTH, false);
	check(&c.row[0], CHANGE_GROWTH, 7); /* the second process with pid 11 */
	check(&c.row[3], CHANGE_GROWTH, -2);
	assert_int_equal(c.row[0].pid, 11);
	assert_int_equal(c.row[3].pid, 11);
	assert_string_equal(change_text(&c, c.row[0].user), "a");
}

/* Owners with the same name and another id are different, as a user and a number that looks so. */
static void owners_are_told_apart_by_their_id(void **state)
{
	static const struct past_row rows[] = {
		{"x", "sh", 1, 10, 1, 1, 1, 1, .is_denied = false},
		{"x", "sh", 2, 11, 1, 2, 2, 2, .is_denied = false},
	};
	AUTO_CHANGE struct change c = {.scope = METRIC_USER};

	(void)state;
	past_rows_take(&c, rows, ARRAY_SIZE(rows));
	past_rows_take(&c, rows, ARRAY_SIZE(rows));
	assert_int_equal(c.rows, 2);
}

/* Checks that the users of the day are in the order of EXPECTED, each by its first letter. */
static void check_order(
	struct change *c, enum change_field field, bool is_ascending, const char *expected)
{
	char found[8] = "";

	change_sort(c, field, is_ascending);
	assert_int_equal(c->rows, strlen(expected));
	for (size_t i = 0; i < c->rows; i++)
		found[i] = change_text(c, c->row[i].name)[0];
	assert_string_equal(found, expected);
}

static void unknown_amounts_are_last_in_either_order(void **state)
{
	AUTO_CHANGE struct change c = {.scope = METRIC_USER};

	(void)state;
	take_day(&c);
	check_order(&c, CHANGE_GROWTH, false, "adcbe");
	check_order(&c, CHANGE_GROWTH, true, "bcdae");
	check_order(&c, CHANGE_MAX, false, "cabde");
	check_order(&c, CHANGE_FIRST, true, "bacde");
	check_order(&c, CHANGE_NAME, true, "abcde");
	check_order(&c, CHANGE_NAME, false, "edcba");
}

/* Each allocation fails in turn; then all works. */
static void failed_allocations_are_reported(void **state)
{
	AUTO_VIEW struct view *view = past_rows_view(noon, ARRAY_SIZE(noon));
	static const uint32_t rows[] = {0, 1, 2};

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_CHANGE struct change c = {.scope = METRIC_USER};

		allocation_fail_at(n);
		allocation_check(change_add(&c, view, rows, ARRAY_SIZE(rows)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_grow_come_and_go),
		cmocka_unit_test(growth_is_within_the_bounds_of_both_figures),
		cmocka_unit_test(totals_are_of_known_rows),
		cmocka_unit_test(processes_are_told_apart_by_their_start),
		cmocka_unit_test(owners_are_told_apart_by_their_id),
		cmocka_unit_test(unknown_amounts_are_last_in_either_order),
		cmocka_unit_test(failed_allocations_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
