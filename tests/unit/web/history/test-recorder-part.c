/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/recorder-part.h: which snapshots are asked for, and what becomes of answers. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/snapshot/sample.h"
#include "web/history/recorder-part.h"

enum { T0 = 1700000000, STEP_S = 10 };

#define T0_NS UINT64_C(1700000000000000000)

static const struct history_sight all = {.recent = SIGHT_ALL, .older = SIGHT_ALL};
static const struct history_sight own = {.recent = SIGHT_OWN, .older = SIGHT_OWN, .uid = 1000};

static struct history_query query_of(enum metric_scope scope, int64_t from_s, int64_t to_s)
{
	return (struct history_query){.scope = scope,
		.metric = history_metric_row(0),
		.from_s = T0 + from_s,
		.to_s = T0 + to_s,
		.limit = 20};
}

/* Adds a point at T0 + AT_S to R. */
static void add_point(struct ring *r, int64_t at_s)
{
	ring_begin(r, (uint64_t)(T0 + at_s) * NS_PER_SEC, 0, STEP_S * NS_PER_SEC);
	assert_int_equal(ring_end(r), 0);
}

static void plan(struct recorder_part *p, const struct history_query *q, const struct ring *ring,
	const struct history_sight *sight)
{
	recorder_part_plan(p, q, ring, sight, STEP_S * NS_PER_SEC, 7);
}

/* Only what the ring lacks is asked for. */
static void asks_for_time_before_the_ring(void **state)
{
	struct history_query q = query_of(METRIC_HOST, -600, 0);
	struct ring ring = {.bytes_max = 1 << 20};
	struct past_request r;
	struct recorder_part p;

	(void)state;
	plan(&p, &q, &ring, &all);
	assert_false(p.is_done);
	assert_int_equal(p.to_ns, (uint64_t)(T0 + 1) * NS_PER_SEC);
	recorder_part_done(&p);
	add_point(&ring, -300);
	plan(&p, &q, &ring, &all);
	assert_true(p.is_series && !p.is_done);
	recorder_part_next(&p, &q, &r);
	assert_int_equal(r.pick, PAST_SERIES);
	assert_int_equal(r.at_ns, (uint64_t)(T0 - 600) * NS_PER_SEC);
	assert_int_equal(r.until_ns, (uint64_t)(T0 - 300) * NS_PER_SEC - 1);
	assert_int_equal(r.step_ns, STEP_S * NS_PER_SEC);
	assert_int_equal(r.scope, METRIC_HOST);
	assert_int_equal(r.quantity, SCOPE_PSS);
	recorder_part_done(&p);
	q.from_s = T0 - 320; /* two intervals */
	plan(&p, &q, &ring, &all);
	assert_true(p.is_done);
	recorder_part_done(&p);
	ring_done(&ring);
}

/* Series are for callers with sight of all rows. A name may be that of rows of several users. */
static void one_row_is_a_series(void **state)
{
	static const struct {
		enum owner_kind kind;
		size_t names;
		const struct history_sight *sight;
		bool is_series;
	} cases[] = {
		{OWNER_PROGRAM, 1, &all, true},
		{OWNER_PROGRAM, 0, &all, false},
		{OWNER_PROGRAM, 2, &all, false},
		{OWNER_PROGRAM, 1, &own, false},
		{OWNER_SESSION, 1, &all, false},
	};
	const struct ring none = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct history_query q = query_of(metric_owner_scope(cases[i].kind), -86400, 0);
		struct past_request r;
		struct recorder_part p;

		q.names = cases[i].names;
		memcpy(q.text, "nginx", sizeof("nginx"));
		plan(&p, &q, &none, cases[i].sight);
		recorder_part_next(&p, &q, &r);
		if (p.is_series != cases[i].is_series ||
			r.pick != (p.is_series ? PAST_SERIES : PAST_AT))
			fail_msg("%zu", i);
		if (p.is_series)
			assert_string_equal(r.name, "nginx");
		/* 60 snapshots or 300 points at most. */
		assert_in_range((p.to_ns - p.from_ns) / p.step_ns, 50, p.is_series ? 300 : 60);
		recorder_part_done(&p);
	}
}

static void takes_a_series(void **state)
{
	const struct past_point points[] = {
		{.at_ns = T0_NS - 70 * NS_PER_SEC, .present = 1, .value = 1}, /* before the time */
		{.at_ns = T0_NS - 50 * NS_PER_SEC,
			.present = 3,
			.value = 100,
			.low = 90,
			.high = 120},
		{.at_ns = T0_NS - 40 * NS_PER_SEC},
		{.at_ns = T0_NS - 30 * NS_PER_SEC, .present = 1, .value = 300},
	};
	struct recorder_question answer = {.head.points = ARRAY_SIZE(points), .points = points};
	struct history_query q = query_of(METRIC_HOST, -60, 0);
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	const struct ring none = {0};
	const struct ring_sample *s;
	struct recorder_part p;
	size_t count;

	(void)state;
	plan(&p, &q, &none, &all);
	recorder_part_take(&p, &q, &answer);
	assert_true(p.is_done);
	assert_string_equal(p.problem, "");
	assert_int_equal(p.points.points, 3);
	assert_int_equal(ring_cursor_open(&c, &p.points), 0);
	assert_true(ring_cursor_next(&c));
	s = ring_cursor_samples(&c, METRIC_HOST, &count);
	assert_int_equal(count, 1);
	assert_true(
		s->q[RING_PSS] == 100 && s->q[RING_PSS_LOW] == 90 && s->q[RING_PSS_HIGH] == 120);
	assert_true(ring_cursor_next(&c));
	ring_cursor_samples(&c, METRIC_HOST, &count);
	assert_int_equal(count, 0); /* the snapshot has no such row */
	recorder_part_done(&p);
}

/* Answers with the snapshot of T0 + AT_S; 0: none. */
static void answer(
	struct recorder_part *p, const struct history_query *q, int64_t at_s, uint64_t userns)
{
	const struct sample_options options = {
		.realtime_ns = (uint64_t)(T0 + at_s) * NS_PER_SEC, .userns = userns};
	struct recorder_question a = {.view = at_s ? sample_open(&options) : NULL,
		.head = {.status = at_s ? PAST_GOOD : PAST_NONE,
			.first_ns = (uint64_t)(T0 - 500) * NS_PER_SEC,
			.at_ns = at_s ? (uint64_t)(T0 + at_s) * NS_PER_SEC : 0}};

	recorder_part_take(p, q, &a);
	view_unref(a.view);
}

static int64_t asked_for(const struct recorder_part *p, const struct history_query *q)
{
	struct past_request r;

	recorder_part_next(p, q, &r);
	assert_int_equal(r.pick, PAST_AT);
	return (int64_t)((r.at_ns + 1) / NS_PER_SEC) - T0;
}

/* From the last step on; steps without a snapshot are skipped. */
static void takes_a_snapshot_of_each_step(void **state)
{
	struct history_query q = query_of(METRIC_USER, -600, -1);
	const struct ring none = {0};
	struct recorder_part p;

	(void)state;
	q.step_s = 60;
	plan(&p, &q, &none, &all);
	assert_int_equal(asked_for(&p, &q), 0);
	answer(&p, &q, -5, 7);
	assert_int_equal(asked_for(&p, &q), -60);
	answer(&p, &q, -75, 7);
	assert_int_equal(asked_for(&p, &q), -120);
	answer(&p, &q, -310, 8); /* a gap; and the uids are those of others */
	assert_int_equal(asked_for(&p, &q), -360);
	answer(&p, &q, -361, 7);
	assert_false(p.is_done);
	assert_int_equal(p.points.points, 0);
	answer(&p, &q, 0, 7); /* that was the first one */
	assert_true(p.is_done);
	assert_string_equal(p.problem, "");
	assert_int_equal(p.points.points, 3);
	assert_int_equal(p.points.point[0]->realtime_ns, (uint64_t)(T0 - 361) * NS_PER_SEC);
	assert_int_equal(p.points.point[2]->realtime_ns, (uint64_t)(T0 - 5) * NS_PER_SEC);
	assert_int_equal(p.points.point[2]->length_ns, 60 * NS_PER_SEC);
	assert_true(ring_find(&p.points, METRIC_USER, "root", "") >= 0);
	assert_int_equal(p.points.row[ring_find(&p.points, METRIC_USER, "alice", "")].id, 1000);
	recorder_part_done(&p);
}

/* Of older time a snapshot a minute is recorded, then one in five minutes: that is no gap. */
static void sparse_snapshots_have_longer_steps(void **state)
{
	static const struct {
		int64_t at_s;
		uint64_t length_s;
	} cases[] = {
		{-5, 10}, {-15, 10}, {-76, 60}, {-135, 60}, {-440, 300}, {-739, 300}, {-1890, 10}};
	struct history_query q = query_of(METRIC_USER, -3600, -1);
	struct past_point points[ARRAY_SIZE(cases)];
	struct recorder_question series = {.head.points = ARRAY_SIZE(points), .points = points};
	const struct ring none = {0};
	struct recorder_part p;

	(void)state;
	for (unsigned int is_series = 0; is_series < 2; is_series++) {
		plan(&p, &q, &none, &all);
		p.step_ns = STEP_S * NS_PER_SEC;
		p.is_series = is_series;
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			points[ARRAY_SIZE(cases) - 1 - i] = (struct past_point){
				.at_ns = (uint64_t)(T0 + cases[i].at_s) * NS_PER_SEC};
		for (size_t i = 0; !is_series && i < ARRAY_SIZE(cases); i++)
			answer(&p, &q, cases[i].at_s, 7);
		if (is_series)
			recorder_part_take(&p, &q, &series);
		else
			answer(&p, &q, 0, 7);
		assert_true(p.is_done);
		assert_int_equal(p.points.points, ARRAY_SIZE(cases));
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_int_equal(
				p.points.point[ARRAY_SIZE(cases) - 1 - i]->length_ns / NS_PER_SEC,
				cases[i].length_s);
		recorder_part_done(&p);
	}
}

/* Snapshots are not exactly an interval apart. */
static void takes_each_snapshot_of_a_short_time(void **state)
{
	static const int64_t times[] = {-5, -16, -24, -35, -46, -54, -0};
	struct history_query q = query_of(METRIC_USER, -60, -1);
	const struct ring none = {0};
	struct recorder_part p;

	(void)state;
	plan(&p, &q, &none, &all);
	for (size_t i = 0; times[i]; i++) {
		assert_false(p.is_done);
		assert_in_range(asked_for(&p, &q) - times[i], 1, STEP_S);
		answer(&p, &q, times[i], 7);
	}
	if (!p.is_done)
		answer(&p, &q, 0, 7);
	assert_true(p.is_done);
	assert_int_equal(p.points.points, 6);
	recorder_part_done(&p);
}

/* If time does not suffice, the oldest part is missing, which the ledger may have. */
static void keeps_the_newest_snapshots(void **state)
{
	struct history_query q = query_of(METRIC_USER, -600, -1);
	const struct ring none = {0};
	struct recorder_part p;

	(void)state;
	plan(&p, &q, &none, &all);
	answer(&p, &q, -5, 7);
	answer(&p, &q, -15, 7);
	recorder_part_give_up(&p);
	assert_true(p.is_done);
	assert_int_equal(p.points.points, 2);
	assert_int_equal(p.points.point[0]->realtime_ns, (uint64_t)(T0 - 15) * NS_PER_SEC);
	recorder_part_done(&p);
	plan(&p, &q, &none, &all);
	answer(&p, &q, -5, 7);
	recorder_part_done(&p); /* the client is gone */
}

/* Slow answers make the steps longer, so that the whole time has some points. */
static void slow_answers_make_longer_steps(void **state)
{
	struct history_query q = query_of(METRIC_USER, -6000, -1);
	const struct ring none = {0};
	struct recorder_part p;
	size_t asked = 1;

	(void)state;
	plan(&p, &q, &none, &all);
	answer(&p, &q, -5, 7);
	recorder_part_hurry(&p, NS_PER_MSEC, 2 * NS_PER_SEC);
	assert_int_equal(p.step_ns, 101 * NS_PER_SEC);
	recorder_part_hurry(&p, 100 * NS_PER_MSEC, 1900 * NS_PER_MSEC); /* 13 more */
	assert_in_range(p.step_ns / NS_PER_SEC, 450, 460);
	for (; !p.is_done; asked++)
		answer(&p, &q, asked_for(&p, &q) - 1, 7);
	assert_in_range(asked, 13, 15);
	assert_int_equal(p.points.points, asked);
	recorder_part_done(&p);
}

/* However the recorder answers, the questions end. */
static void always_ends(void **state)
{
	static const int64_t answers[] = {-9999, -601, -600, -599, 0, -1, 5};
	const struct ring none = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		struct history_query q = query_of(METRIC_USER, -600, 0);
		struct recorder_part p;
		size_t asked = 0;

		plan(&p, &q, &none, &all);
		while (!p.is_done && asked++ < 1000)
			answer(&p, &q, answers[i], 7);
		assert_in_range(asked, 1, RECORDER_PART_SNAPSHOTS_MAX + 1);
		recorder_part_done(&p);
	}
	for (int64_t span = 21; span < 4000; span += 37) {
		struct history_query q = query_of(METRIC_USER, -span - 100, -100);
		struct recorder_part p;
		size_t asked = 0;

		plan(&p, &q, &none, &all);
		for (; !p.is_done && asked < 1000; asked++)
			answer(&p, &q, asked_for(&p, &q) - 1, 7);
		assert_in_range(asked, 1, RECORDER_PART_SNAPSHOTS_MAX + 1);
		assert_in_range(p.points.points, asked - 1, asked);
		recorder_part_done(&p);
	}
}

static void explains_failures(void **state)
{
	static const struct {
		struct recorder_question answer;
		const char *problem;
		bool is_done;
	} cases[] = {
		{{.wait = {.problem = "gone", .is_absent = true}}, "gone", true},
		{{.head.status = PAST_BUSY}, "memtally-recorder is busy", true},
		{{.head.status = PAST_DAMAGED}, "a recorded snapshot is damaged", false},
		{{.head.status = PAST_BAD_REQUEST}, "memtally-recorder does not show the past to ",
			true},
	};
	const struct ring none = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct history_query q = query_of(METRIC_USER, -600, 0);
		struct recorder_part p;

		plan(&p, &q, &none, &all);
		recorder_part_take(&p, &q, &cases[i].answer);
		if (strncmp(p.problem, cases[i].problem, strlen(cases[i].problem)) != 0 ||
			p.is_done != cases[i].is_done ||
			p.is_absent != cases[i].answer.wait.is_absent)
			fail_msg("%zu: %s", i, p.problem);
		recorder_part_give_up(&p);
		assert_true(p.is_done);
		recorder_part_done(&p);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_for_time_before_the_ring),
		cmocka_unit_test(one_row_is_a_series),
		cmocka_unit_test(takes_a_series),
		cmocka_unit_test(takes_a_snapshot_of_each_step),
		cmocka_unit_test(sparse_snapshots_have_longer_steps),
		cmocka_unit_test(takes_each_snapshot_of_a_short_time),
		cmocka_unit_test(keeps_the_newest_snapshots),
		cmocka_unit_test(slow_answers_make_longer_steps),
		cmocka_unit_test(always_ends),
		cmocka_unit_test(explains_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
