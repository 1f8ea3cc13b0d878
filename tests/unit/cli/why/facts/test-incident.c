/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/incident.h: OOM kills and memory pressure among the marks of a recording. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/why/facts/incident.h"

enum { O = PAST_MARK_OOM, P = PAST_MARK_PRESSURE, S = PAST_MARK_START, MARKS = 8, BASE_S = 10000 };

struct scene {
	struct {
		uint64_t at_s;
		uint32_t marks;
	} mark[MARKS];   /* up to the first with .at_s 0 */
	uint64_t near_s; /* 0: the last incident */
	bool only_oom;
	enum incident_kind kind;
	uint64_t first_s, last_s, pressure_first_s, pressure_last_s, earlier_s, later_s;
	uint64_t next_s; /* the first snapshot at .near_s or later; 0: it is not near an OOM kill */
};

static uint64_t ns_of(uint64_t s)
{
	return s ? (BASE_S + s) * NS_PER_SEC : 0;
}

static bool find(const struct scene *s, struct incident *ret)
{
	struct past_point point[MARKS] = {{0}};
	size_t count = 0;

	for (; count < MARKS && s->mark[count].at_s; count++)
		point[count] = (struct past_point){
			.at_ns = ns_of(s->mark[count].at_s), .marks = s->mark[count].marks};
	return s->near_s ? incident_near(point, count, ns_of(s->near_s), ns_of(s->next_s), ret)
	                 : incident_last(point, count, s->only_oom, ret);
}

static void finds_incidents(void **state)
{
	static const struct scene scenes[] = {
		/* the last one, whatever it is */
		{{{10, O}, {500, P}, {501, P}, {600, S}}, 0, false, INCIDENT_PRESSURE, 500, 501,
			500, 501},
		{{{10, O}, {500, P}, {501, P}}, 0, true, INCIDENT_OOM, 10, 10, 0, 0},
		/* pressure around a kill belongs to it, also if it comes last */
		{{{100, P}, {160, P}, {165, O | P}, {200, P}}, 0, false, INCIDENT_OOM, 165, 165,
			100, 200},
		/* each kill is an incident; the nearest one is found */
		{{{100, O}, {137, O}, {230, O}}, 101, false, INCIDENT_OOM, 100, 100, 0, 0, 0, 137},
		{{{100, O}, {137, O}, {230, O}}, 136, false, INCIDENT_OOM, 137, 137, 0, 0, 100,
			230},
		{{{100, O}, {137, O}, {230, O}}, 0, false, INCIDENT_OOM, 230, 230, 0, 0, 137, 0},
		/* pressure of another kill is not that of this one */
		{{{100, O | P}, {101, P}, {382, O}}, 382, false, INCIDENT_OOM, 382, 382, 0, 0, 100,
			0},
		{{{100, O}, {380, P}, {381, O | P}}, 100, false, INCIDENT_OOM, 100, 100, 0, 0, 0,
			381},
		{{{100, O | P}, {101, P}, {140, O | P}, {141, P}}, 140, false, INCIDENT_OOM, 140,
			140, 101, 141, 100, 0},
		/* near a time: a kill before any pressure, then the nearest */
		{{{100, P}, {401, O}}, 110, false, INCIDENT_OOM, 401, 401, 0, 0},
		/* brief passes pause while the pressure goes on */
		{{{100, P}, {160, P}, {400, P}, {460, P}}, 0, false, INCIDENT_PRESSURE, 100, 460,
			100, 460},
		{{{100, P}, {500, O}}, 110, false, INCIDENT_PRESSURE, 100, 100, 100, 100},
		{{{100, O}, {380, O}}, 230, false, INCIDENT_OOM, 100, 100, 0, 0, 0, 380},
		/* a kill before the next snapshot is that of the time, although another mark is nearer */
		{{{100, O}, {109, O}}, 104, false, INCIDENT_OOM, 109, 109, 0, 0, 100, 0, 109},
		{{{100, O}, {109, O}}, 100, false, INCIDENT_OOM, 100, 100, 0, 0, 0, 109, 109},
		{{{100, O}, {109, P}}, 104, false, INCIDENT_OOM, 100, 100, 109, 109, 0, 0, 109},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		const struct scene *s = &scenes[i];
		struct incident got;

		assert_true(find(s, &got));
		assert_int_equal(got.kind, s->kind);
		assert_int_equal(got.first_ns, ns_of(s->first_s));
		assert_int_equal(got.last_ns, ns_of(s->last_s));
		assert_int_equal(got.pressure_first_ns, ns_of(s->pressure_first_s));
		assert_int_equal(got.pressure_last_ns, ns_of(s->pressure_last_s));
		assert_int_equal(got.earlier_kill_ns, ns_of(s->earlier_s));
		assert_int_equal(got.later_kill_ns, ns_of(s->later_s));
	}
}

static void finds_nothing_where_nothing_is(void **state)
{
	static const struct scene scenes[] = {
		{.only_oom = false},
		{{{10, S}, {20, PAST_MARK_GAP}}, .near_s = 0},
		{{{10, P}}, .only_oom = true},
		{{{10, O}}, .near_s = 311},
		{{{400, O}}, .near_s = 99},
	};
	struct incident got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
		assert_false(find(&scenes[i], &got));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_incidents),
		cmocka_unit_test(finds_nothing_where_nothing_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
