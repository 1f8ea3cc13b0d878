/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of growth/growth-rows.h: which rows are followed, and as which. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "growth/growth-rows.h"
#include "tests/unit/support/snapshot/growing.h"
#include "tests/unit/support/faults/allocation.h"

enum { START_S = 1700000100, SLOT_S = FLOORS_SLOT_S, MOST = 100 };

/* A user and a process, and rows that are not followed. */
static struct view *make_view(int64_t at_s, uint64_t pss)
{
	const struct image_header head = growing_head(at_s);
	AUTO_SMALL struct small s = {0};
	struct snapshot_scope *other;
	struct snapshot_process *swapped, *unread;

	small_begin(&s);
	growing_add_owner(&s.builder, METRIC_USER, "alice", 1000, pss);
	growing_add_owner(&s.builder, METRIC_USER, "small", 1001, 15);
	growing_add_owner(&s.builder, METRIC_UNIT, "(none)", 0, 500);
	other = growing_add_owner(&s.builder, METRIC_USER, "(other)", OWNER_NO_ID, 500);
	other->flags = SCOPE_OTHER;
	swapped = growing_add_process(&s.builder, 7, "alice", "db", START_S, pss);
	ROW_SET(swapped, PROCESS_SWAP_PSS, 3 * GROWING_MIB);
	unread = growing_add_process(&s.builder, 8, "alice", "secret", START_S, 600);
	unread->outcome = OUTCOME_DENIED;
	growing_add_process(&s.builder, 9, "alice", "tiny", START_S, 15);
	return small_view(&s.builder, &head);
}

static int take_all(struct growth_rows *g, const struct view *view)
{
	int r = 0;

	for (enum metric_scope scope = METRIC_USER; scope <= METRIC_PROCESS; scope++)
		for (uint32_t i = 0; r == 0 && i < view_count(view, scope); i++)
			r = growth_rows_take(g, view, scope, i);
	return r == 0 ? growth_rows_ready(g, MOST) : r;
}

static void follows_large_rows_alone(void **state)
{
	AUTO_VIEW struct view *view = make_view(START_S, 100);
	AUTO_GROWTH_ROWS struct growth_rows g = {0};

	(void)state;
	assert_int_equal(take_all(&g, view), 0);
	assert_int_equal(g.rows, 2);
	/* The largest first: the process, with its swap. */
	assert_int_equal(g.row[0].scope, METRIC_PROCESS);
	assert_int_equal(g.row[0].bytes, 103 * GROWING_MIB);
	assert_int_equal(g.row[0].pid, 7);
	assert_string_equal(growth_rows_text(&g, g.row[0].name), "db");
	assert_string_equal(growth_rows_text(&g, g.row[0].user), "alice");
	assert_int_equal(g.row[1].scope, METRIC_USER);
	assert_string_equal(growth_rows_text(&g, g.row[1].name), "alice");
	assert_string_equal(growth_rows_text(&g, g.row[1].user), "");
	assert_int_equal(g.row[1].id, 1000);
}

static void keeps_floors_of_the_same_rows(void **state)
{
	AUTO_VIEW struct view *first = make_view(START_S, 200),
			      *last = make_view(START_S + SLOT_S, 100);
	AUTO_GROWTH_ROWS struct growth_rows g = {0};

	(void)state;
	assert_int_equal(take_all(&g, last), 0);
	assert_int_equal(growth_rows_add(&g, first), 0);
	assert_int_equal(growth_rows_add(&g, last), 0);
	assert_int_equal(g.snapshots, 2);
	assert_int_equal(g.first_s, START_S);
	assert_int_equal(g.last_s, START_S + SLOT_S);
	for (size_t i = 0; i < g.rows; i++) {
		assert_int_equal(g.row[i].floors.count, 2);
		assert_true(g.row[i].floors.item[0].value >= 200.0 * GROWING_MIB);
		assert_true(g.row[i].floors.item[1].value < 200.0 * GROWING_MIB);
	}
}

/* Another process had the pid before; the clock was set by a second; an owner has another uid. */
static void others_with_the_same_number_are_others(void **state)
{
	static const struct {
		int64_t start_s;
		uint32_t uid;
		size_t process, user;
	} cases[] = {
		{START_S, 1000, 1, 1},
		{START_S + 1, 1000, 1, 1},
		{START_S - 1, 1000, 1, 1},
		{START_S - 500, 1001, 0, 0},
		{START_S + 3, 1000, 0, 1},
		{0, 1000, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct image_header head = growing_head(START_S);
		AUTO_VIEW struct view *newest = make_view(START_S + SLOT_S, 100), *before = NULL;
		AUTO_GROWTH_ROWS struct growth_rows g = {0};
		AUTO_SMALL struct small s = {0};

		small_begin(&s);
		growing_add_owner(&s.builder, METRIC_USER, "alice", cases[i].uid, 90);
		growing_add_process(&s.builder, 7, "alice", "db", cases[i].start_s, 90);
		before = small_view(&s.builder, &head);
		assert_int_equal(take_all(&g, newest), 0);
		assert_int_equal(growth_rows_add(&g, before), 0);
		assert_int_equal(g.row[0].floors.count, cases[i].process);
		assert_int_equal(g.row[1].floors.count, cases[i].user);
	}
}

/* The floors of GROWTH_ROWS_SPAN_S take 8 KiB. */
static void a_row_takes_little_memory(void **state)
{
	AUTO_VIEW struct view *newest = make_view(START_S, 100);
	AUTO_GROWTH_ROWS struct growth_rows g = {0};

	(void)state;
	assert_int_equal(take_all(&g, newest), 0);
	for (int64_t at_s = 0; at_s <= GROWTH_ROWS_SPAN_S; at_s += SLOT_S) {
		AUTO_VIEW struct view *view = make_view(START_S + at_s, 100);

		assert_int_equal(growth_rows_add(&g, view), 0);
	}
	assert_int_equal(g.row[0].floors.count, GROWTH_ROWS_SPAN_S / SLOT_S + 1);
	assert_true(g.row[0].floors.room * sizeof(*g.row[0].floors.item) <= 8192);
}

static void leaves_out_the_smallest(void **state)
{
	enum { MORE = 10 };
	const struct image_header head = growing_head(START_S);
	AUTO_VIEW struct view *view = NULL;
	AUTO_GROWTH_ROWS struct growth_rows g = {0};
	AUTO_SMALL struct small s = {0};

	(void)state;
	small_begin(&s);
	for (uint32_t i = 0; i < MOST + MORE; i++)
		growing_add_process(&s.builder, i + 1, "alice", "many", START_S, 16 + i);
	view = small_view(&s.builder, &head);
	assert_int_equal(take_all(&g, view), 0);
	assert_int_equal(g.rows, MOST);
	assert_int_equal(g.left_out, MORE);
	assert_int_equal(g.row[MOST - 1].pid, MORE + 1);
}

static void judges_nothing_without_floors(void **state)
{
	AUTO_VIEW struct view *view = make_view(START_S, 100);
	AUTO_GROWTH_ROWS struct growth_rows g = {0};

	(void)state;
	assert_int_equal(growth_rows_judge(&g), 0);
	assert_int_equal(take_all(&g, view), 0);
	assert_int_equal(growth_rows_judge(&g), 0);
	assert_false(g.row[0].is_judged);
	assert_int_equal(growth_rows_count(&g, TREND_NONE), 0);
}

static void says_that_there_is_no_memory(void **state)
{
	AUTO_VIEW struct view *view = make_view(START_S, 100);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_GROWTH_ROWS struct growth_rows g = {0};
		int r;

		allocation_fail_at(n);
		r = take_all(&g, view);
		if (r == 0)
			r = growth_rows_add(&g, view);
		if (r == 0)
			r = growth_rows_judge(&g);
		allocation_check(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_large_rows_alone),
		cmocka_unit_test(keeps_floors_of_the_same_rows),
		cmocka_unit_test(others_with_the_same_number_are_others),
		cmocka_unit_test(a_row_takes_little_memory),
		cmocka_unit_test(leaves_out_the_smallest),
		cmocka_unit_test(judges_nothing_without_floors),
		cmocka_unit_test(says_that_there_is_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
