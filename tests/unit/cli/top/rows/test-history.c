/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the history of rows: growth, trends, absence, exec, what is forgotten, and filled slots. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "cli/top/rows/history.h"

#define MIB      (INT64_C(1) << 20)
#define MINUTE   (60 * NS_PER_SEC)
#define START_NS (1000 * NS_PER_SEC)

/* Adds the PSS of ID at a time; the next snapshot comes after INTERVAL_NS. */
static void add_rare(struct history *h, uint64_t at_ns, uint64_t interval_ns,
	const struct history_id *id, uint64_t pss_bytes)
{
	if (!history_begin(h, at_ns, interval_ns))
		return;
	history_add(h, id, pss_bytes);
	history_end(h);
}

static void add(struct history *h, uint64_t at_ns, const struct history_id *id, uint64_t pss_bytes)
{
	add_rare(h, at_ns, NS_PER_SEC, id, pss_bytes);
}

/* Returns the outcome of history_growth(). */
static int growth_over(const struct history *h, const struct history_id *id, uint64_t now_ns,
	uint64_t span_ns, uint64_t pss_bytes, int64_t *ret)
{
	return history_growth(h, id, history_get(h, id), now_ns, span_ns, pss_bytes, ret);
}

/* Returns true if the growth is known. */
static bool has_growth(const struct history *h, const struct history_id *id, uint64_t now_ns,
	uint64_t span_ns, uint64_t pss_bytes, int64_t *ret)
{
	return growth_over(h, id, now_ns, span_ns, pss_bytes, ret) == 0;
}

static void get_trend(const struct history *h, const struct history_id *id, uint64_t now_ns,
	uint64_t pss_bytes, uint8_t ret[static HISTORY_TREND])
{
	history_trend(history_get(h, id), now_ns, pss_bytes, ret);
}

/* A PSS that grows by 1 MiB a second, seen every second for LONG_S seconds. */
static uint64_t grow(struct history *h, const struct history_id *id, uint64_t long_s)
{
	for (uint64_t s = 0; s <= long_s; s++)
		add(h, START_NS + s * NS_PER_SEC, id, (uint64_t)MIB * (1000 + s));
	return START_NS + long_s * NS_PER_SEC;
}

static void growth_is_absent_until_it_was_seen(void **state)
{
	static const struct {
		uint64_t seen_s, span_ns;
		bool has;
	} cases[] = {
		{0, MINUTE, false},
		{30, MINUTE, false},
		{59, MINUTE, false},
		{60, MINUTE, true},
		{67, MINUTE, true},
		{75, 10 * MINUTE, false},
		{599, 10 * MINUTE, false},
		{600, 10 * MINUTE, true},
		{607, 10 * MINUTE, true},
		{3000, 10 * MINUTE, true},
	};
	const struct history_id id = {.key = 42};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct history h = {0};
		uint64_t now_ns = grow(&h, &id, cases[i].seen_s);
		int64_t grown = 0, expected = (int64_t)(cases[i].span_ns / NS_PER_SEC) * MIB;

		assert_int_equal(has_growth(&h, &id, now_ns, cases[i].span_ns,
					 (uint64_t)MIB * (1000 + cases[i].seen_s), &grown),
			cases[i].has);
		/* However old the samples around that time are, the growth is of the span. */
		if (cases[i].has)
			assert_in_range(grown, expected - MIB / 1024, expected + MIB / 1024);
		history_done(&h);
	}
}

static void a_smaller_pss_is_a_negative_growth(void **state)
{
	const struct history_id id = {.key = 42};
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, START_NS, &id, 5 * (uint64_t)MIB);
	add(&h, START_NS + MINUTE, &id, 2 * (uint64_t)MIB);
	assert_true(has_growth(&h, &id, START_NS + MINUTE, MINUTE, 2 * (uint64_t)MIB, &grown));
	assert_int_equal(grown, -3 * MIB);
	history_done(&h);
}

/* Snapshots that are rarer than slots: the PSS of that time is between those before and after it. */
static void rare_snapshots_have_growth(void **state)
{
	const struct history_id id = {.key = 42};
	struct history h = {0};
	int64_t grown;

	(void)state;
	for (uint64_t i = 0; i <= 10; i++)
		add_rare(&h, START_NS + i * MINUTE, MINUTE, &id, (uint64_t)MIB * (10 + i));
	assert_true(has_growth(&h, &id, START_NS + 10 * MINUTE + 20 * NS_PER_SEC, MINUTE,
		(uint64_t)MIB * 20, &grown));
	assert_in_range(grown, MIB * 2 / 3 - 1024, MIB * 2 / 3 + 1024);
	history_done(&h);
}

/* A gap of some minutes without snapshots is a gap in the history, too. */
static void gaps_are_absent(void **state)
{
	const struct history_id id = {.key = 42};
	uint8_t trend[HISTORY_TREND];
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, START_NS, &id, MIB);
	add(&h, START_NS + 5 * MINUTE, &id, MIB);
	assert_false(has_growth(&h, &id, START_NS + 5 * MINUTE, MINUTE, MIB, &grown));
	get_trend(&h, &id, START_NS + 5 * MINUTE, MIB, trend);
	assert_int_equal(trend[HISTORY_TREND - 2], 0);
	assert_int_not_equal(trend[HISTORY_TREND - 1], 0);
	/* A sample just before the span says nothing if the next one is as late as now. */
	assert_false(
		has_growth(&h, &id, START_NS + 5 * MINUTE, 5 * MINUTE - MINUTE / 12, MIB, &grown));
	/* as after a suspend of more than ten minutes */
	add(&h, START_NS + 60 * MINUTE, &id, MIB);
	for (uint64_t span = 1; span <= 10; span++)
		assert_false(
			has_growth(&h, &id, START_NS + 60 * MINUTE, span * MINUTE, MIB, &grown));
	history_done(&h);
}

static void an_exec_begins_anew(void **state)
{
	const struct history_id before = {.key = 42, .since_ns = 5},
				after = {.key = 42, .since_ns = 6};
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, START_NS, &before, MIB);
	/* before the next sample */
	assert_int_equal(
		growth_over(&h, &after, START_NS + MINUTE, MINUTE, MIB, &grown), HISTORY_NEW);
	add(&h, START_NS + MINUTE, &after, MIB);
	assert_false(has_growth(&h, &after, START_NS + MINUTE, MINUTE, MIB, &grown));
	add(&h, START_NS + 2 * MINUTE, &after, 3 * (uint64_t)MIB);
	assert_true(
		has_growth(&h, &after, START_NS + 2 * MINUTE, MINUTE, 3 * (uint64_t)MIB, &grown));
	assert_int_equal(grown, 2 * MIB);
	history_done(&h);
}

/* A reused pid has another start, and so another key: nothing of the old process is found. */
static void processes_that_are_gone_are_forgotten(void **state)
{
	const struct history_id process = {.key = 42}, next = {.key = 43},
				owner = {.key = 44, .is_lasting = true};
	struct history h = {0};

	(void)state;
	assert_true(history_begin(&h, START_NS, NS_PER_SEC));
	history_add(&h, &process, MIB);
	history_add(&h, &owner, MIB);
	history_end(&h);
	assert_int_equal(h.count, 2);
	for (uint64_t at = START_NS + MINUTE; at <= START_NS + 11 * MINUTE; at += MINUTE) {
		add(&h, at, &next, MIB);
		assert_int_equal(h.count, at <= START_NS + 10 * MINUTE ? 2 : 1);
	}
	history_done(&h);
}

/* As after a step back to an older snapshot: it changes nothing in what is remembered. */
static void an_older_snapshot_adds_nothing(void **state)
{
	const struct history_id id = {.key = 42};
	struct history h = {0};
	int64_t before, after;
	uint64_t now_ns;

	(void)state;
	now_ns = grow(&h, &id, 900);
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 1900 * (uint64_t)MIB, &before));
	for (uint64_t back_s = 900; back_s >= 15; back_s -= 15)
		add(&h, now_ns - back_s * NS_PER_SEC, &id, MIB);
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 1900 * (uint64_t)MIB, &after));
	assert_int_equal(before, after);
	history_done(&h);
}

static void trends_have_the_shape_of_the_pss(void **state)
{
	const struct history_id id = {.key = 42};
	uint8_t trend[HISTORY_TREND];
	struct history h = {0};
	uint64_t now_ns;

	(void)state;
	now_ns = grow(&h, &id, 700);
	get_trend(&h, &id, now_ns, (uint64_t)MIB * 1700, trend);
	assert_int_equal(trend[0], 1);
	assert_int_equal(trend[HISTORY_TREND - 1], HISTORY_LEVELS);
	for (size_t i = 1; i < HISTORY_TREND; i++)
		assert_in_range(trend[i], trend[i - 1], HISTORY_LEVELS);
	/* A change of a hundredth of the PSS is nearly flat. */
	history_done(&h);
	for (uint64_t s = 0; s <= 600; s += 15)
		add(&h, START_NS + s * NS_PER_SEC, &id, 1000 * (uint64_t)MIB + s * MIB / 60);
	get_trend(&h, &id, START_NS + 10 * MINUTE, 1010 * (uint64_t)MIB, trend);
	for (size_t i = 0; i < HISTORY_TREND; i++)
		assert_in_range(trend[i], 1, 2);
	/* Without a PSS. */
	history_done(&h);
	get_trend(&h, &id, START_NS, 0, trend);
	assert_int_equal(trend[HISTORY_TREND - 1], 1);
	assert_int_equal(trend[0], 0);
}

/* A paused screen does not change while samples go on. */
static void the_past_stays_as_it_was(void **state)
{
	const struct history_id id = {.key = 42};
	uint8_t then[HISTORY_TREND], later[HISTORY_TREND];
	struct history h = {0};
	int64_t grown, grown_later;
	uint64_t now_ns;

	(void)state;
	now_ns = grow(&h, &id, 600);
	get_trend(&h, &id, now_ns, 1600 * (uint64_t)MIB, then);
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 1600 * (uint64_t)MIB, &grown));
	for (uint64_t s = 1; s <= 60; s++)
		add(&h, now_ns + s * NS_PER_SEC, &id, 5 * (uint64_t)MIB);
	get_trend(&h, &id, now_ns, 1600 * (uint64_t)MIB, later);
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 1600 * (uint64_t)MIB, &grown_later));
	assert_memory_equal(then, later, sizeof(then));
	assert_int_equal(grown, grown_later);
	history_done(&h);
}

/* Rows come and go at random; the entries stay those of the rows that are there. */
static void entries_stay_in_order(void **state)
{
	struct history h = {0};
	uint64_t random = 3;

	(void)state;
	for (uint64_t round = 0; round < unit_rounds(300); round++) {
		uint64_t at_ns = START_NS + round * HISTORY_SLOT_NS, present = 0;
		bool is_in[64] = {false};

		assert_true(history_begin(&h, at_ns, NS_PER_SEC));
		for (uint64_t i = 0; i < 64; i++) {
			const struct history_id id = {
				.key = (i + 1) * UINT64_C(0x9e3779b97f4a7c15)};

			is_in[i] = unit_random(&random) % 4;
			if (!is_in[i])
				continue;
			history_add(&h, &id, (i + 1) * (uint64_t)MIB);
			present++;
		}
		history_end(&h);
		assert_int_equal(h.count, present);
		for (uint64_t i = 0; i < 64; i++) {
			const struct history_id id = {
				.key = (i + 1) * UINT64_C(0x9e3779b97f4a7c15)};
			int64_t grown = -1;

			assert_int_equal(
				has_growth(&h, &id, at_ns, 0, (i + 2) * (uint64_t)MIB, &grown),
				is_in[i]);
			if (is_in[i])
				assert_int_equal(grown, MIB);
		}
	}
	history_done(&h);
}

/* Sums leave room for processes. */
static void sums_do_not_take_all_room(void **state)
{
	struct history h = {0};

	(void)state;
	assert_true(history_begin(&h, START_NS, NS_PER_SEC));
	assert_true(history_begin_sums(&h, START_NS, 7));
	for (uint64_t i = 1; i <= HISTORY_ROWS_MAX; i++) {
		const struct history_id id = {
			.key = i * 0x9e3779b97f4a7c15, .salt = 7, .is_lasting = true};

		history_add(&h, &id, MIB);
	}
	assert_int_equal(h.count, HISTORY_SUMS_MAX);
	history_add(&h, &(struct history_id){.key = 1}, MIB);
	assert_int_equal(h.count, HISTORY_SUMS_MAX + 1);
	/* Those of another choice are forgotten at once. */
	assert_true(history_begin(&h, START_NS + HISTORY_SLOT_NS, NS_PER_SEC));
	assert_true(history_begin_sums(&h, START_NS + HISTORY_SLOT_NS, 8));
	assert_false(history_begin_sums(&h, START_NS + HISTORY_SLOT_NS, 7));
	assert_int_equal(h.count, 1);
	history_done(&h);
}

/* A row that snapshots of that time lack is new; without such snapshots nothing is known. */
static void rows_that_appear_are_new(void **state)
{
	const struct history_id old = {.key = 42}, fresh = {.key = 43};
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, START_NS, &old, MIB);
	assert_true(history_begin(&h, START_NS + 30 * NS_PER_SEC, NS_PER_SEC));
	history_add(&h, &old, MIB);
	history_add(&h, &fresh, MIB);
	history_end(&h);
	assert_int_equal(
		growth_over(&h, &fresh, START_NS + MINUTE, MINUTE, MIB, &grown), HISTORY_NEW);
	assert_int_equal(
		growth_over(&h, &fresh, START_NS + MINUTE, MINUTE / 2, 2 * (uint64_t)MIB, &grown),
		0);
	assert_int_equal(grown, MIB);
	assert_int_equal(growth_over(&h, &fresh, START_NS + MINUTE, 2 * MINUTE, MIB, &grown),
		HISTORY_NOT_KNOWN);
	/* Not even a row that has no sample yet. */
	assert_int_equal(growth_over(&h, &(struct history_id){.key = 44}, START_NS + MINUTE, MINUTE,
				 MIB, &grown),
		HISTORY_NEW);
	history_done(&h);
}

/* Recorded snapshots give the rows that are there now the time before, in any order. */
static void older_snapshots_fill_slots(void **state)
{
	static const uint64_t before_s[] = {60, 600, 45, 30, 75};
	const struct history_id process = {.key = 42, .since_ns = 7}, gone = {.key = 43},
				exec = {.key = 42, .since_ns = 6},
				owner = {.key = 44, .is_lasting = true};
	uint64_t now_ns = START_NS + 7 * NS_PER_SEC;
	uint8_t trend[HISTORY_TREND];
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, now_ns, &process, 1000 * (uint64_t)MIB);
	assert_int_equal(history_oldest(&h, now_ns, 0), now_ns);
	for (size_t i = 0; i < ARRAY_SIZE(before_s); i++) {
		uint64_t at_ns = now_ns - before_s[i] * NS_PER_SEC;

		assert_true(history_fill(&h, at_ns, 0));
		history_fill_add(&h, &process, (uint64_t)MIB * (1000 - before_s[i]));
		history_fill_add(&h, &gone, MIB);
		if (before_s[i] == 600)
			history_fill_add(&h, &owner, MIB);
		/* The slot has samples now. */
		assert_false(history_fill(&h, at_ns, 0));
	}
	assert_int_equal(h.count, 2);
	assert_int_equal(history_oldest(&h, now_ns, 0), now_ns - 600 * NS_PER_SEC);
	assert_int_equal(
		growth_over(&h, &process, now_ns, MINUTE, 1000 * (uint64_t)MIB, &grown), 0);
	assert_int_equal(grown, 60 * MIB);
	assert_int_equal(
		growth_over(&h, &process, now_ns, 10 * MINUTE, 1000 * (uint64_t)MIB, &grown), 0);
	assert_int_equal(grown, 600 * MIB);
	/* An owner without processes now has not just appeared when it comes back. */
	assert_int_equal(growth_over(&h, &owner, now_ns, 10 * MINUTE, MIB, &grown), 0);
	assert_int_equal(grown, 0);
	get_trend(&h, &process, now_ns, 1000 * (uint64_t)MIB, trend);
	assert_in_range(trend[HISTORY_TREND - 1], trend[HISTORY_TREND - 2] + 1, HISTORY_LEVELS);
	assert_int_equal(trend[2], 0);
	/* The process before its exec is another one. */
	assert_true(history_fill(&h, now_ns - 300 * NS_PER_SEC, 0));
	history_fill_add(&h, &exec, MIB);
	assert_int_equal(growth_over(&h, &process, now_ns, 5 * MINUTE, MIB, &grown), HISTORY_NEW);
	/* Neither the present nor what is forgotten. */
	assert_false(history_fill(&h, now_ns + HISTORY_SLOT_NS, 0));
	assert_false(history_fill(&h, now_ns - 800 * NS_PER_SEC, 0));
	/* The next snapshot goes on. */
	add(&h, now_ns + 2 * HISTORY_SLOT_NS, &process, 1030 * (uint64_t)MIB);
	assert_int_equal(growth_over(&h, &process, now_ns + 2 * HISTORY_SLOT_NS, MINUTE,
				 1030 * (uint64_t)MIB, &grown),
		0);
	assert_int_equal(grown, 60 * MIB);
	history_done(&h);
}

/* Between two snapshots the PSS may jump: growth of a recording is since one of them. */
static void growth_may_be_since_a_snapshot(void **state)
{
	const struct history_id id = {.key = 42};
	uint64_t now_ns = START_NS + 7 * NS_PER_SEC;
	struct history h = {.is_exact = true};
	int64_t grown;

	(void)state;
	add(&h, now_ns, &id, 300 * (uint64_t)MIB);
	assert_true(history_fill(&h, now_ns - 68 * NS_PER_SEC, 0));
	history_fill_add(&h, &id, 100 * (uint64_t)MIB);
	assert_true(history_fill(&h, now_ns - 52 * NS_PER_SEC, 0));
	history_fill_add(&h, &id, 300 * (uint64_t)MIB);
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 300 * (uint64_t)MIB, &grown));
	assert_int_equal(grown, 200 * MIB);
	h.is_exact = false;
	assert_true(has_growth(&h, &id, now_ns, MINUTE, 300 * (uint64_t)MIB, &grown));
	assert_int_equal(grown, 100 * MIB);
	history_done(&h);
}

/* Sums over chosen processes are known since they were chosen, also if others are known longer. */
static void sums_are_known_since_their_choice(void **state)
{
	const struct history_id process = {.key = 42},
				sum = {.key = 43, .salt = 7, .is_lasting = true};
	uint64_t now_ns = START_NS + MINUTE;
	struct history h = {0};
	int64_t grown;

	(void)state;
	add(&h, START_NS, &process, MIB);
	assert_true(history_begin(&h, START_NS + MINUTE / 2, NS_PER_SEC));
	history_add(&h, &process, MIB);
	history_end(&h);
	assert_true(history_begin_sums(&h, START_NS + MINUTE / 2, 7));
	history_add(&h, &sum, MIB);
	assert_int_equal(history_oldest(&h, now_ns, 0), START_NS);
	assert_int_equal(history_oldest(&h, now_ns, 7), START_NS + MINUTE / 2);
	assert_int_equal(history_oldest(&h, now_ns, 8), now_ns);
	assert_int_equal(growth_over(&h, &process, now_ns, MINUTE, MIB, &grown), 0);
	assert_int_equal(growth_over(&h, &sum, now_ns, MINUTE, MIB, &grown), HISTORY_NOT_KNOWN);
	assert_int_equal(growth_over(&h, &sum, now_ns, MINUTE / 2, MIB, &grown), 0);
	/* Recorded snapshots may have them. */
	assert_true(history_fill(&h, START_NS - NS_PER_SEC * 15, 7));
	history_fill_add(&h, &sum, 3 * (uint64_t)MIB);
	assert_int_equal(growth_over(&h, &sum, now_ns, MINUTE + 15 * NS_PER_SEC, MIB, &grown), 0);
	assert_int_equal(grown, -2 * MIB);
	history_done(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_do_not_take_all_room),
		cmocka_unit_test(rows_that_appear_are_new),
		cmocka_unit_test(older_snapshots_fill_slots),
		cmocka_unit_test(growth_may_be_since_a_snapshot),
		cmocka_unit_test(sums_are_known_since_their_choice),
		cmocka_unit_test(growth_is_absent_until_it_was_seen),
		cmocka_unit_test(a_smaller_pss_is_a_negative_growth),
		cmocka_unit_test(rare_snapshots_have_growth),
		cmocka_unit_test(gaps_are_absent),
		cmocka_unit_test(an_exec_begins_anew),
		cmocka_unit_test(processes_that_are_gone_are_forgotten),
		cmocka_unit_test(an_older_snapshot_adds_nothing),
		cmocka_unit_test(trends_have_the_shape_of_the_pss),
		cmocka_unit_test(the_past_stays_as_it_was),
		cmocka_unit_test(entries_stay_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
