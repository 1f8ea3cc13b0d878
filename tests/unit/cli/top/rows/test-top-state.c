/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the state: branches, orders, and the selected row while rows come and go. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/top/rows/top-state.h"

static uint64_t key_of(const void *rows, size_t i)
{
	return ((const uint64_t *)rows)[i];
}

static void branches_open_and_close(void **state)
{
	struct top_state s;

	(void)state;
	top_state_init(&s, TOP_VIEW_TREE);
	assert_true(top_state_is_open(&s.asks, 5));
	top_state_turn(&s.asks, 5);
	assert_false(top_state_is_open(&s.asks, 5));
	assert_true(top_state_is_open(&s.asks, 6));
	top_state_turn(&s.asks, 5);
	assert_true(top_state_is_open(&s.asks, 5));
	s.asks.is_opposite = true;
	assert_false(top_state_is_open(&s.asks, 5));
	top_state_init(&s, TOP_VIEW_NESTED);
	assert_false(top_state_is_open(&s.asks, 5));
	top_state_turn(&s.asks, 5);
	assert_true(top_state_is_open(&s.asks, 5));
}

/* The first branch is forgotten if there are too many. */
static void branches_are_limited(void **state)
{
	struct top_state s, same;

	(void)state;
	top_state_init(&s, TOP_VIEW_NESTED);
	for (uint64_t key = 1; key <= TOP_BRANCHES_MAX + 1; key++)
		top_state_turn(&s.asks, key);
	assert_false(top_state_is_open(&s.asks, 1));
	assert_true(top_state_is_open(&s.asks, 2));
	assert_true(top_state_is_open(&s.asks, TOP_BRANCHES_MAX + 1));
	for (uint64_t key = 2; key <= TOP_BRANCHES_MAX + 1; key++)
		top_state_turn(&s.asks, key);
	top_state_init(&same, TOP_VIEW_NESTED);
	assert_true(top_state_is_alike(&s.asks, &same.asks));
}

static void each_choice_makes_other_rows(void **state)
{
	struct top_state same, s[8];

	(void)state;
	top_state_init(&same, TOP_VIEW_TREE);
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = same;
	s[1].asks.view = TOP_VIEW_NESTED;
	s[2].asks.sort = TOP_COLUMN_USS;
	s[3].asks.is_turned = true;
	s[4].asks.is_opposite = true;
	snprintf(s[5].asks.user, sizeof(s[5].asks.user), "alice");
	snprintf(s[6].asks.filter, sizeof(s[6].asks.filter), "bash");
	top_state_turn(&s[7].asks, 5);
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		assert_int_equal(top_state_is_alike(&s[i].asks, &same.asks), i == 0);
	top_state_turn(&same.asks, 6);
	assert_false(top_state_is_alike(&s[7].asks, &same.asks));
}

static void a_second_sort_turns_the_order(void **state)
{
	struct top_state s;

	(void)state;
	top_state_init(&s, TOP_VIEW_USER);
	assert_int_equal(s.asks.sort, TOP_COLUMN_PSS);
	top_state_sort(&s.asks, TOP_COLUMN_USS);
	assert_false(s.asks.is_turned);
	top_state_sort(&s.asks, TOP_COLUMN_USS);
	assert_true(s.asks.is_turned);
	top_state_sort(&s.asks, TOP_COLUMN_PSS);
	assert_false(s.asks.is_turned);
}

/* A selected row stays selected wherever it moves; a row that is gone gives its place to another. */
static void the_selection_follows_its_row(void **state)
{
	static const struct {
		uint64_t rows[6];
		size_t count;
		uint64_t selected; /* before */
		size_t index, scroll, height;
		uint64_t then_selected;
		size_t then_index, then_scroll;
	} cases[] = {
		/* the first row, whichever it is */
		{{7, 8, 9}, 3, 0, 0, 0, 2, 0, 0, 0},
		{{7, 8, 9}, 3, 9, 0, 0, 2, 9, 2, 1},
		{{7, 8, 9}, 3, 7, 2, 1, 2, 7, 0, 0},
		{{7, 8, 9}, 3, 5, 1, 0, 2, 8, 1, 0},  /* gone: the row at its place */
		{{7, 8, 9}, 3, 5, 5, 3, 2, 9, 2, 1},  /* gone with others: the last row */
		{{0}, 0, 5, 3, 3, 2, 5, 0, 0},        /* no rows: the key is remembered */
		{{7, 8, 9}, 3, 9, 2, 2, 10, 9, 2, 0}, /* room for all: no scrolling */
		{{1, 2, 3, 4, 5, 6}, 6, 3, 2, 2, 3, 3, 2, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_state s;

		top_state_init(&s, TOP_VIEW_USER);
		s.selected = cases[i].selected;
		s.index = cases[i].index;
		s.scroll = cases[i].scroll;
		s.height = cases[i].height;
		top_state_settle(&s, cases[i].count, key_of, cases[i].rows);
		assert_int_equal(s.selected, cases[i].then_selected);
		assert_int_equal(s.index, cases[i].then_index);
		assert_int_equal(s.scroll, cases[i].then_scroll);
	}
}

static void views_have_names_and_scopes(void **state)
{
	(void)state;
	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		assert_non_null(top_state_view_name((enum top_view)v));
		assert_true(metric_is_owner(top_state_scope((enum top_view)v)) ||
			    top_state_scope((enum top_view)v) == METRIC_PROCESS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_open_and_close),
		cmocka_unit_test(branches_are_limited),
		cmocka_unit_test(each_choice_makes_other_rows),
		cmocka_unit_test(a_second_sort_turns_the_order),
		cmocka_unit_test(the_selection_follows_its_row),
		cmocka_unit_test(views_have_names_and_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
