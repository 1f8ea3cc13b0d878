/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of recorder/verdicts.h, on real archives of small snapshots, five minutes apart. */
#include "config.h"

#include "tests/unit/support/recorder/taped.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "growth/growth-rows.h"
#include "recorder/verdicts.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/growing.h"

enum {
	HOUR = 3600 / FLOORS_SLOT_S,
	SNAPSHOTS = 40 * HOUR,
	LEAK_FROM = SNAPSHOTS - 6 * HOUR,
	WATCH_FROM = SNAPSHOTS - 12 * HOUR,
	LATE_FROM = SNAPSHOTS - 2 * HOUR,
	START_S = 1700000100,
	LAST_S = START_S + (SNAPSHOTS - 1) * FLOORS_SLOT_S,
	AGE_S = 900, /* the newest snapshot may be so old */
};

static int64_t at_s(size_t i)
{
	return START_S + (int64_t)i * FLOORS_SLOT_S;
}

/*
 * Snapshot I: process 7 is steady for a day and leaks, 8 has grown since its start, 9 is steady, 10
 * is too young. Owners have their sums.
 */
static struct view *make_view(size_t i)
{
	uint64_t leak = 200 + (i > LEAK_FROM ? 2 * (i - LEAK_FROM) : 0);
	uint64_t watch = i >= WATCH_FROM ? 100 + (i - WATCH_FROM) : 0;
	struct image_header head = growing_head(at_s(i));
	AUTO_SMALL struct small s = {0};

	head.sequence = i + 1;
	small_begin(&s);
	growing_add_owner(&s.builder, METRIC_USER, "alice", 1000, leak + watch);
	growing_add_owner(&s.builder, METRIC_USER, "bob", 1001, 50);
	growing_add_owner(&s.builder, METRIC_PROGRAM, "leaky", OWNER_NO_ID, leak);
	growing_add_owner(&s.builder, METRIC_UNIT, "steady.service", OWNER_NO_ID, 50);
	growing_add_owner(&s.builder, METRIC_SLICE, "not.slice", OWNER_NO_ID, leak);
	growing_add_process(&s.builder, 7, "alice", "leaky", START_S - 9000, leak);
	if (watch)
		growing_add_process(&s.builder, 8, "alice", "new", at_s(WATCH_FROM), watch);
	growing_add_process(&s.builder, 9, "bob", "steady", START_S - 9000, 50);
	if (i >= LATE_FROM)
		growing_add_process(&s.builder, 10, "bob", "late", at_s(LATE_FROM), 60);
	return small_view(&s.builder, &head);
}

static void record(struct taped *t, const struct view *view)
{
	assert_int_equal(archive_add(t->recording.archive, view, 0, 0), 0);
}

static void record_all(struct taped *t)
{
	for (size_t i = 0; i < SNAPSHOTS; i++) {
		AUTO_VIEW struct view *view = make_view(i);

		record(t, view);
	}
}

/* Lets V make a step at NOW_NS. It is REALTIME_S, and the host has run for UP_S. */
static void run_at(struct verdicts *v, uint64_t now_ns, int64_t realtime_s, int64_t up_s)
{
	const struct verdicts_now now = {
		.monotonic_ns = now_ns,
		.realtime_ns = (uint64_t)realtime_s * NS_PER_SEC,
		.boottime_ns = (uint64_t)up_s * NS_PER_SEC,
	};

	verdicts_run(v, &now);
}

/* Makes steps of V until a round ends, at REALTIME_S. Returns when the last step was due. */
static uint64_t run_round_at(struct verdicts *v, int64_t realtime_s, int64_t up_s)
{
	uint64_t now_ns;

	do {
		now_ns = verdicts_due_ns(v);
		run_at(v, now_ns, realtime_s, up_s);
		assert_true(verdicts_due_ns(v) > now_ns);
	} while (v->round);
	return now_ns;
}

/* As run_round_at(), soon after snapshot I. */
static uint64_t run_round(struct verdicts *v, size_t i)
{
	return run_round_at(v, at_s(i) + 10, at_s(i) - START_S + 9000);
}

/* Counts the verdicts in one go, by the rows of the last snapshot. */
static void count_at_once(struct past_growth to[static PAST_GROWTH_SCOPES])
{
	AUTO_GROWTH_ROWS struct growth_rows g = {0};
	AUTO_VIEW struct view *newest = make_view(SNAPSHOTS - 1);

	memset(to, 0, PAST_GROWTH_SCOPES * sizeof(*to));
	for (size_t k = 0; k < PAST_GROWTH_SCOPES; k++)
		for (uint32_t i = 0; i < view_count(newest, past_growth_scope[k]); i++)
			assert_int_equal(growth_rows_take(&g, newest, past_growth_scope[k], i), 0);
	assert_int_equal(growth_rows_ready(&g, VERDICTS_ROWS_MAX), 0);
	for (size_t i = 0; i < SNAPSHOTS; i++) {
		AUTO_VIEW struct view *view = make_view(i);

		if (at_s(i) >= at_s(SNAPSHOTS - 1) - GROWTH_ROWS_SPAN_S)
			assert_int_equal(growth_rows_add(&g, view), 0);
	}
	assert_int_equal(growth_rows_judge(&g), 0);
	for (size_t i = 0; i < g.rows; i++)
		for (size_t k = 0; k < PAST_GROWTH_SCOPES; k++) {
			if (g.row[i].scope != past_growth_scope[k] || !g.row[i].is_judged)
				continue;
			if (g.row[i].trend.verdict == TREND_NONE)
				to[k].none++;
			else if (g.row[i].trend.verdict == TREND_WATCH)
				to[k].watch++;
			else
				to[k].leak++;
		}
}

static void counts_as_one_pass_does(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES], expected[PAST_GROWTH_SCOPES];
	struct verdicts v;
	struct taped t;
	uint64_t now_ns;

	(void)state;
	taped_begin(&t);
	record_all(&t);
	verdicts_init(&v, t.recording.reader);
	assert_int_equal(verdicts_due_ns(&v), 0);
	now_ns = run_round(&v, SNAPSHOTS - 1);
	assert_true(verdicts_count(&v, now_ns, growth));
	count_at_once(expected);
	assert_memory_equal(growth, expected, sizeof(growth));
	assert_memory_equal(&growth[3], &((struct past_growth){.none = 1, .watch = 1, .leak = 1}),
		sizeof(growth[3]));
	assert_int_equal(growth[1].leak, 1);
	assert_int_equal(growth[2].none, 1);
	verdicts_done(&v);
	taped_end(&t);
}

/* Counts are unknown until a round ends, stay while the next one is made, and are forgotten. */
static void knows_counts_for_a_time(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES];
	struct verdicts v;
	struct taped t;
	uint64_t now_ns, due_ns;

	(void)state;
	taped_begin(&t);
	record_all(&t);
	verdicts_init(&v, t.recording.reader);
	assert_false(verdicts_count(&v, 0, growth));
	run_at(&v, 0, LAST_S, LAST_S);
	assert_non_null(v.round);
	assert_false(verdicts_count(&v, 0, growth));
	now_ns = run_round(&v, SNAPSHOTS - 1);
	due_ns = verdicts_due_ns(&v);
	assert_true(due_ns - now_ns >= VERDICTS_PAUSE_LEAST_NS);
	assert_true(due_ns - now_ns <= VERDICTS_PAUSE_MOST_NS);
	run_at(&v, due_ns - 1, LAST_S, LAST_S);
	assert_null(v.round);
	run_at(&v, due_ns, LAST_S, LAST_S);
	assert_non_null(v.round);
	assert_true(verdicts_count(&v, due_ns, growth));
	assert_true(verdicts_count(&v, now_ns + 2 * (due_ns - now_ns) - 1, growth));
	assert_false(verdicts_count(&v, now_ns + 2 * (due_ns - now_ns), growth));
	verdicts_done(&v);
	taped_end(&t);
}

/* The first snapshot comes soon after the start. Nothing is judged then. */
static void an_empty_archive_is_tried_again_soon(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES], none[PAST_GROWTH_SCOPES] = {0};
	AUTO_VIEW struct view *view = make_view(0);
	struct verdicts v;
	struct taped t;
	uint64_t now_ns;

	(void)state;
	taped_begin(&t);
	verdicts_init(&v, t.recording.reader);
	run_round(&v, 0);
	assert_false(verdicts_count(&v, 0, growth));
	assert_true(verdicts_due_ns(&v) <= 60 * NS_PER_SEC);
	record(&t, view);
	now_ns = run_round(&v, 0);
	assert_true(verdicts_count(&v, now_ns, growth));
	assert_memory_equal(growth, none, sizeof(none));
	verdicts_done(&v);
	taped_end(&t);
}

/*
 * The counts are unknown if the newest snapshot is old, from before the start of the host, or from
 * the future. The next round begins soon after a new snapshot.
 */
static void a_dead_recording_is_not_judged(void **state)
{
	static const struct {
		int64_t late_s; /* after the newest snapshot */
		int64_t up_s;   /* since the start of the host */
		bool is_current;
	} cases[] = {
		{0, 1, true},
		{AGE_S, AGE_S, true},
		{AGE_S + 1, 40 * AGE_S, false},
		{86400, 2 * 86400, false},
		{60, 59, false},
		{-1, 86400, false},
	};
	struct past_growth growth[PAST_GROWTH_SCOPES];
	AUTO_VIEW struct view *view = make_view(0);
	struct taped t;

	(void)state;
	taped_begin(&t);
	record(&t, view);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verdicts v;
		uint64_t now_ns, due_ns;

		verdicts_init(&v, t.recording.reader);
		now_ns = run_round(&v, 0);
		assert_true(verdicts_count(&v, now_ns, growth));
		due_ns = verdicts_due_ns(&v);
		now_ns = run_round_at(&v, START_S + cases[i].late_s, cases[i].up_s);
		assert_int_equal(verdicts_count(&v, now_ns, growth), cases[i].is_current);
		if (!cases[i].is_current) {
			assert_int_equal(now_ns, due_ns);
			assert_true(verdicts_due_ns(&v) - now_ns <= 60 * NS_PER_SEC);
		}
		now_ns = run_round(&v, 0);
		assert_true(verdicts_count(&v, now_ns, growth));
		verdicts_done(&v);
	}
	taped_end(&t);
}

/* Each row takes up to 8 KiB (growth/growth-rows.h). */
static void judges_the_largest_rows_alone(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES];
	struct verdicts v;
	struct taped t;
	uint64_t now_ns;

	(void)state;
	taped_begin(&t);
	for (size_t i = 0; i < 7 * HOUR; i++) {
		struct image_header head = growing_head(at_s(i));
		AUTO_VIEW struct view *view = NULL;
		AUTO_SMALL struct small s = {0};

		small_begin(&s);
		for (uint32_t k = 0; k < VERDICTS_ROWS_MAX + 5; k++)
			growing_add_process(&s.builder, k + 1, "alice", "many", START_S, 16);
		view = small_view(&s.builder, &head);
		record(&t, view);
	}
	verdicts_init(&v, t.recording.reader);
	now_ns = run_round(&v, 7 * HOUR - 1);
	assert_true(verdicts_count(&v, now_ns, growth));
	assert_int_equal(growth[3].none, VERDICTS_ROWS_MAX);
	verdicts_done(&v);
	taped_end(&t);
}

/* A round that fails leaves what was known. */
static void a_failure_ends_the_round(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES];
	struct verdicts v;
	struct taped t;
	uint64_t now_ns, later_ns;

	(void)state;
	taped_begin(&t);
	record_all(&t);
	verdicts_init(&v, t.recording.reader);
	now_ns = run_round(&v, SNAPSHOTS - 1);
	allocation_fail_at(1);
	later_ns = run_round(&v, SNAPSHOTS - 1);
	assert_true(allocation_end());
	assert_true(later_ns > now_ns);
	assert_true(verdicts_due_ns(&v) - later_ns >= VERDICTS_PAUSE_LEAST_NS);
	assert_true(verdicts_count(&v, later_ns, growth));
	assert_int_equal(growth[3].leak, 1);
	verdicts_done(&v);
	taped_end(&t);
}

/* All else is judged. */
static void skips_what_is_damaged(void **state)
{
	struct past_growth growth[PAST_GROWTH_SCOPES];
	char path[80];
	struct verdicts v;
	struct taped t;
	uint64_t now_ns;
	int fd;

	(void)state;
	taped_begin(&t);
	record_all(&t);
	for (unsigned int tier = 0; tier < ARCHIVE_TIERS; tier++) {
		snprintf(path, sizeof(path), "%s/tier%u-%020u.rec", t.dir, tier, 1U);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			fail_msg("%s", path);
		assert_int_equal(pwrite(fd, "damaged", 7, 3000), 7);
		close(fd);
	}
	verdicts_init(&v, t.recording.reader);
	now_ns = run_round(&v, SNAPSHOTS - 1);
	assert_true(verdicts_count(&v, now_ns, growth));
	verdicts_done(&v);
	taped_end(&t);
}

/* A failed allocation costs a round at most. */
static void survives_without_memory(void **state)
{
	AUTO_VIEW struct view *first = make_view(0), *second = make_view(1);
	struct past_growth growth[PAST_GROWTH_SCOPES];
	struct taped t;

	(void)state;
	taped_begin(&t);
	record(&t, first);
	record(&t, second);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct verdicts v;
		uint64_t now_ns;

		verdicts_init(&v, t.recording.reader);
		allocation_fail_at(n);
		run_round(&v, 1);
		allocation_end();
		now_ns = run_round(&v, 1);
		assert_true(verdicts_count(&v, now_ns, growth));
		verdicts_done(&v);
	}
	taped_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_as_one_pass_does),
		cmocka_unit_test(knows_counts_for_a_time),
		cmocka_unit_test(an_empty_archive_is_tried_again_soon),
		cmocka_unit_test(a_dead_recording_is_not_judged),
		cmocka_unit_test(judges_the_largest_rows_alone),
		cmocka_unit_test(a_failure_ends_the_round),
		cmocka_unit_test(skips_what_is_damaged),
		cmocka_unit_test(survives_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
