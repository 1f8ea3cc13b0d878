/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/history-plan.h: which source gives which part of the time. */
#include "config.h"

#include "tests/unit/web/history/past.h"

#include "base/cleanup.h"
#include "web/history/history-plan.h"

enum { T0 = 1800000000 }; /* eight hours after midnight, a multiple of an hour */

static const struct ring none_recorded = {0};

/* Adds points to R every INTERVAL_S from FROM_S to before TO_S. */
static void fill(struct ring *r, int64_t from_s, int64_t to_s, unsigned int interval_s)
{
	*r = (struct ring){.bytes_max = (size_t)64 << 20};
	for (int64_t s = from_s; s < to_s; s += interval_s) {
		struct past_point p = {.at_s = (double)s + 0.25,
			.length_s = interval_s,
			.host = 1,
			.user = {-1, -1, -1, -1, -1, -1, -1, -1}};

		past_add(r, &p, true);
	}
}

/* Times are relative to T0. */
struct expected {
	int64_t ledger_from, ledger_to; /* steps begin before .ledger_to */
	uint32_t ledger_step, web_step;
	bool has_web;
	int64_t web_from;
};

static const struct {
	const char *what;
	int64_t first, interval; /* of the ring */
	int64_t from, to;
	uint32_t step;
	bool has_ledger, lacks_past;
	struct expected expected;
} cases[] = {
	{"the last hour from the ring", -3600, 10, -3600, 0, 0, true, false,
		{0, 0, 0, 0, true, -3600}},
	{"a step below the interval", -3600, 10, -3600, 0, 5, true, false,
		{0, 0, 0, 0, true, -3600}},
	{"a step that would often be empty", -3600, 10, -3600, 0, 15, true, false,
		{0, 0, 0, 20, true, -3600}},
	{"the client's own step", -3600, 10, -3590, 0, 45, true, false, {0, 0, 0, 45, true, -3600}},
	{"too many points", -3600, 1, -3600, 0, 0, true, false, {0, 0, 0, 5, true, -3600}},
	{"after a restart", -1000, 10, -3600, 0, 0, true, true,
		{-3600, -1000, 300, 0, true, -1000}},
	{"after a restart, without the ledger", -1000, 10, -3600, 0, 0, false, true,
		{0, 0, 0, 0, true, -1000}},
	{"a step below the ledger's", -1000, 10, -3600, 0, 60, true, true,
		{-3600, -1020, 300, 60, true, -1020}},
	{"a partial step is the ledger's", -1000, 10, -3600, 0, 300, true, true,
		{-3600, -900, 300, 300, true, -900}},
	{"a partial step without the ledger", -1000, 10, -3600, 0, 300, false, true,
		{0, 0, 0, 300, true, -1200}},
	{"the ring has most of the last slot", -1100, 10, -3600, 0, 0, true, true,
		{-3600, -1200, 300, 0, true, -1100}},
	{"half a day", -3600, 10, -43200, 0, 0, true, true, {-43200, -3600, 300, 0, true, -3600}},
	{"a day", -3600, 10, -86400, 0, 0, true, true, {-86400, -3600, 600, 0, true, -3600}},
	{"a day by five minutes", -3600, 10, -86400, 0, 300, true, true,
		{-86400, -3600, 600, 600, true, -3600}},
	{"a month", -3600, 10, -30 * 86400, 0, 0, true, true,
		{-30 * 86400, -3600, 21600, 0, true, -3600}},
	{"by days", -3600, 10, -30 * 86400, 0, 86400, true, true,
		{-30 * 86400 - 28800, 0, 86400, 86400, false, 0}},
	{"only the ledger", -3600, 10, -7200, -5000, 0, true, true,
		{-7200, -5000, 300, 0, false, 0}},
	{"an odd step of the ledger", -3600, 10, -7200, -5000, 700, true, true,
		{-7200, -5000, 900, 0, false, 0}},
	{"steps of days and more", -3600, 10, -30 * 86400, -86400, 90000, true, true,
		{-30 * 86400 - 28800, -86400, 172800, 0, false, 0}},
};

static int64_t relative(uint64_t ns)
{
	return (int64_t)(ns / NS_PER_SEC) - T0;
}

static void plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct history_query q = {.from_s = T0 + cases[i].from,
			.to_s = T0 + cases[i].to,
			.step_s = cases[i].step};
		const struct expected *e = &cases[i].expected;
		struct history_plan p;
		struct ring r;

		fill(&r, T0 + cases[i].first, T0, (unsigned int)cases[i].interval);
		history_plan_make(&q, &r, &none_recorded, cases[i].has_ledger, &p);
		assert_int_equal(p.lacks_past, cases[i].lacks_past);
		if (p.ledger_step_s != e->ledger_step || p.web_step_s != e->web_step ||
			(p.web_from_ns < p.web_to_ns) != e->has_web ||
			(e->has_web && relative(p.web_from_ns) != e->web_from) ||
			(e->ledger_step && p.ledger_to_s - T0 != e->ledger_to))
			fail_msg("%s: the ledger by %u from %lld to %lld, the ring by %u from %lld",
				cases[i].what, p.ledger_step_s, (long long)p.ledger_from_s - T0,
				(long long)p.ledger_to_s - T0, p.web_step_s,
				(long long)relative(p.web_from_ns));
		if (e->ledger_step && e->has_web) {
			/* No slot has more time of the ring than time before it. */
			assert_int_equal(p.ledger_end_s % HISTORY_LEDGER_STEP_S, 0);
			assert_true(p.ledger_end_s - T0 - e->web_from <= HISTORY_LEDGER_STEP_S / 2);
			assert_true(p.ledger_end_s >= p.ledger_to_s);
		}
		if (e->ledger_step) {
			assert_int_equal(p.ledger_from_s % p.ledger_step_s, 0);
			assert_true(p.ledger_from_s <= q.from_s);
			assert_true(q.from_s - p.ledger_from_s < p.ledger_step_s);
		}
		ring_done(&r);
	}
}

/* Whatever is asked for, there are not too many points and questions. */
static void limits_points(void **state)
{
	static const uint32_t step[] = {0, 1, 7, 10, 60, 299, 301, 3600, 86400, 100000, 31622400};
	static const int64_t span[] = {1, 10, 100, 3600, 4000, 86400, 10000000, T0};
	static const unsigned int interval[] = {1, 3, 10, 60, 600};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(step) * ARRAY_SIZE(span) * ARRAY_SIZE(interval); i++) {
		struct history_query q = {.to_s = T0,
			.step_s = step[i % ARRAY_SIZE(step)],
			.from_s = T0 - span[i / ARRAY_SIZE(step) % ARRAY_SIZE(span)]};
		struct history_plan p;
		uint64_t ledger = 0, web;
		struct ring r;

		fill(&r, T0 - 3000, T0, interval[i / ARRAY_SIZE(step) / ARRAY_SIZE(span)]);
		history_plan_make(&q, &r, &none_recorded, true, &p);
		if (p.ledger_to_s > p.ledger_from_s)
			ledger = (uint64_t)(p.ledger_to_s - p.ledger_from_s + p.ledger_step_s - 1) /
			         p.ledger_step_s;
		web = p.web_step_s ? (p.web_to_ns - p.web_from_ns) / NS_PER_SEC / p.web_step_s : 0;
		for (size_t k = 0; !p.web_step_s && k < r.points; k++)
			web += r.point[k]->realtime_ns >= p.web_from_ns;
		assert_true(ledger <= HISTORY_LEDGER_POINTS_MAX);
		/* Times of points ascend. */
		assert_true(!ledger || p.web_from_ns == p.web_to_ns ||
			    (uint64_t)p.ledger_to_s * NS_PER_SEC <= p.web_from_ns);
		assert_true(ledger + web <= HISTORY_POINTS_MAX);
		assert_true(p.web_from_ns == p.web_to_ns ||
			    p.resolution_s >= step[i % ARRAY_SIZE(step)]);
		ring_done(&r);
	}
}

/* The ledger has the time before the recorder's points, and nothing if these reach back far enough. */
static void recorded_points_are_before_the_ring(void **state)
{
	struct history_query q = {.from_s = T0 - 7200, .to_s = T0};
	struct ring ring, recorder;
	struct history_plan p;

	(void)state;
	fill(&ring, T0 - 600, T0, 10);
	fill(&recorder, T0 - 3000, T0 - 610, 60);
	history_plan_make(&q, &ring, &recorder, true, &p);
	assert_true(p.lacks_past);
	assert_int_equal(p.ledger_from_s, T0 - 7200);
	assert_int_equal(p.ledger_to_s, T0 - 3000);
	assert_int_equal(p.ledger_end_s, T0 - 3000);
	assert_int_equal(relative(p.web_from_ns), -600);
	q.from_s = T0 - 3060;
	history_plan_make(&q, &ring, &recorder, true, &p);
	assert_false(p.lacks_past);
	assert_int_equal(p.ledger_from_s, p.ledger_to_s);
	ring_done(&ring);
	ring_done(&recorder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans),
		cmocka_unit_test(limits_points),
		cmocka_unit_test(recorded_points_are_before_the_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
