/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/history-table.h: values against sums that the test computes. */
#include "config.h"

#include "tests/unit/web/history/past.h"

#include "base/cleanup.h"
#include "tests/unit/support/faults/allocation.h"
#include "web/history/history-table.h"

enum { T0 = 1800000000, SEED = 20260111, USERS = 8, ROOM = 8 << 20 };

static const struct history_sight all = {.recent = SIGHT_ALL, .older = SIGHT_ALL};

static const struct ring none_recorded = {0};

static struct history_query query_of(int64_t from_s, int64_t to_s, uint32_t step_s)
{
	return (struct history_query){.scope = METRIC_USER,
		.metric = history_metric_row(0),
		.from_s = from_s,
		.to_s = to_s,
		.step_s = step_s,
		.limit = 20};
}

/* Returns the row NAME of T, which has one. */
static const struct history_row *find_row(const struct history_table *t, const char *name)
{
	size_t i = 0;

	while (i < t->rows &&
		(t->row[i].kind != HISTORY_ROW_OWNER || strcmp(t->row[i].name, name) != 0))
		i++;
	assert_true(i < t->rows);
	return &t->row[i];
}

static void fill(struct history_table *t, const struct history_query *q, const struct ring *web,
	const struct ring *ledger, bool has_ledger)
{
	struct history_plan p;

	history_plan_make(q, web, &none_recorded, has_ledger, &p);
	assert_int_equal(history_table_fill(t, q, &p, &all, web, &none_recorded, ledger), 0);
}

static void assert_near(double found, double expected)
{
	if (isnan(expected) != isnan(found) || fabs(found - expected) > 1e-3 + 1e-6 * expected)
		fail_msg("%f, not %f", found, expected);
}

/* Makes COUNT points, every ten seconds but for jitter and gaps; users come and go. */
static void make_past(struct past_point *p, size_t count)
{
	uint64_t seed = SEED;

	for (size_t i = 0; i < count; i++) {
		p[i] = (struct past_point){.at_s = T0 - 10.0 * (double)(count - i) +
		                                   (double)(unit_random(&seed) % 900) / 1000,
			.length_s = 10};
		for (size_t k = 0; k < USERS; k++) {
			p[i].user[k] = unit_random(&seed) % 4
			                       ? (double)(1000 * (USERS - k) +
							  (size_t)unit_random(&seed) % 100)
			                       : -1;
			if (p[i].user[k] >= 0)
				p[i].host += p[i].user[k];
		}
		p[i].host += (double)(unit_random(&seed) % 50);
	}
}

/* The mean of user K (USERS: the host) over the points from FROM_S to before TO_S. */
static double mean_of(
	const struct past_point *p, size_t count, size_t k, double from_s, double to_s)
{
	double sum = 0;
	size_t points = 0, known = 0;

	for (size_t i = 0; i < count; i++) {
		double value = k < USERS ? p[i].user[k] : p[i].host;

		if (p[i].at_s < from_s || p[i].at_s >= to_s)
			continue;
		points++;
		if (value < 0)
			continue;
		known++;
		sum += value;
	}
	return known ? sum / (double)points : NAN;
}

static void check_table(
	const struct history_table *t, const struct past_point *p, size_t count, size_t limit)
{
	const struct history_row *other = &t->row[t->rows - 1];

	assert_int_equal(t->rows, limit + 1);
	assert_int_equal(other->kind, HISTORY_ROW_OTHER);
	for (size_t slot = 0; slot < t->slots; slot++) {
		double from_s = (double)t->slot[slot].time_ns / 1e9;
		double to_s = from_s + (double)t->slot[slot].length_ns / 1e9, sum = 0;
		double host;

		if (!(t->slot[slot].time_ns % (10 * NS_PER_SEC) == 0))
			to_s = from_s + 0.0005; /* the point itself */
		host = mean_of(p, count, USERS, from_s - 0.0005, to_s);
		for (size_t k = 0; k < limit; k++) {
			const char name[2] = {(char)('a' + k), 0};
			const struct history_row *row = find_row(t, name);

			assert_true(row == &t->row[k]); /* the largest first */
			assert_near(row->value[slot], mean_of(p, count, k, from_s - 0.0005, to_s));
			assert_near(row->low[slot], row->value[slot] / 2);
			assert_near(row->high[slot], row->value[slot] * 2);
			sum += isnan(row->value[slot]) ? 0 : row->value[slot];
		}
		assert_near(other->value[slot], isnan(host) ? host : host - sum);
	}
}

/* For each step rows are means of the snapshots, and add up to the host with "(other)". */
static void rows_add_up_to_the_host(void **state)
{
	static const uint32_t steps[] = {0, 20, 60, 300};
	static const size_t limits[] = {USERS, 3, 1};
	struct past_point p[300];
	struct ring web = {.bytes_max = ROOM}, none = {0};

	(void)state;
	make_past(p, ARRAY_SIZE(p));
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		if (i < 100 || i > 120) /* a gap */
			past_add(&web, &p[i], true);
		else
			p[i].at_s = 0;
	for (size_t i = 0; i < ARRAY_SIZE(steps) * ARRAY_SIZE(limits); i++) {
		AUTO_HISTORY_TABLE struct history_table t = {0};
		struct history_query q = query_of(T0 - 3600, T0, steps[i % ARRAY_SIZE(steps)]);

		q.limit = (uint32_t)limits[i / ARRAY_SIZE(steps)];
		fill(&t, &q, &web, &none, false);
		check_table(&t, p, ARRAY_SIZE(p), q.limit);
		assert_true(q.step_s || t.slots == 280); /* 279 points, and the gap */
	}
	ring_done(&web);
}

static void selects_names(void **state)
{
	struct ring web = {.bytes_max = ROOM}, none = {0};
	struct history_query q = query_of(T0 - 100, T0, 0);

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		past_add(&web,
			&(struct past_point){T0 - 50 + 10 * i, 10, 100,
				{10, 20, 30, i == 1 ? 40 : -1, -1, -1, -1, -1}},
			true);
	memcpy(q.text, "d\0a\0x", 6);
	q.name[0] = 0;
	q.name[1] = 2;
	q.name[2] = 4;
	q.names = 3;
	{
		AUTO_HISTORY_TABLE struct history_table t = {0};

		fill(&t, &q, &web, &none, false);
		assert_int_equal(t.rows, 2); /* no "(other)" */
		assert_int_equal(t.slots, 5);
		assert_string_equal(t.row[0].name, "a");
		assert_int_equal(t.row[0].id, 1000);
		assert_string_equal(t.row[1].name, "d");
		for (size_t i = 0; i < 5; i++)
			assert_near(t.row[1].value[i], i == 1 ? 40 : (double)NAN);
	}
	ring_done(&web);
}

/* A name may match a row for each user, but there are not more rows than without names. */
static void limits_rows_with_names(void **state)
{
	enum { OWNERS = HISTORY_QUERY_ROWS_MAX + 50 };
	struct ring web = {.bytes_max = ROOM}, none = {0};
	struct history_query q = query_of(T0 - 100, T0, 0);
	AUTO_HISTORY_TABLE struct history_table t = {0};
	float amounts[RING_QUANTITIES] = {0};

	(void)state;
	q.scope = METRIC_SESSION;
	q.names = 1;
	q.text[0] = 'x';
	ring_begin(&web, (T0 - 50) * NS_PER_SEC, 0, 10 * NS_PER_SEC);
	for (unsigned int i = 0; i < OWNERS; i++) {
		char user[16];

		snprintf(user, sizeof(user), "%u", i);
		amounts[RING_PSS] = (float)(i + 1);
		ring_add(&web, METRIC_SESSION, 0, "x", user, amounts);
	}
	assert_int_equal(ring_end(&web), 0);
	fill(&t, &q, &web, &none, false);
	assert_int_equal(t.rows, HISTORY_QUERY_ROWS_MAX);
	assert_near(t.row[0].value[0], OWNERS); /* the largest ones */
	ring_done(&web);
}

static void shows_only_visible_rows(void **state)
{
	const struct history_sight own = {
		.recent = SIGHT_OWN, .older = SIGHT_OWN, .uid = 1001, .number = "1001"};
	struct ring web = {.bytes_max = ROOM}, none = {0};
	struct history_query q = query_of(T0 - 100, T0, 0);
	AUTO_HISTORY_TABLE struct history_table t = {0};
	struct history_plan p;

	(void)state;
	past_add(&web, &(struct past_point){T0 - 50, 10, 100, {10, 20, 30, -1, -1, -1, -1, -1}},
		true);
	history_plan_make(&q, &web, &none_recorded, false, &p);
	assert_int_equal(history_table_fill(&t, &q, &p, &own, &web, &none_recorded, &none), 0);
	assert_int_equal(t.rows, 1);
	assert_string_equal(t.row[0].name, "b");
	ring_done(&web);
}

/* Recorded points are between both others, and their rows are those of the same names. */
static void joins_recorded_points(void **state)
{
	static const double a[] = {100, 150, NAN}, b[] = {40, 60, 80}, left[] = {0, 20, 20};
	struct ring web = {.bytes_max = ROOM}, recorder = {.bytes_max = ROOM},
		    ledger = {.bytes_max = ROOM};
	struct history_query q = query_of(T0 - 3600, T0, 0);
	AUTO_HISTORY_TABLE struct history_table t = {0};
	struct history_plan p;

	(void)state;
	past_add(&ledger,
		&(struct past_point){T0 - 3600, 300, -1, {100, 40, -1, -1, -1, -1, -1, -1}}, false);
	past_add(&recorder,
		&(struct past_point){T0 - 3000, 60, 230, {150, 60, -1, -1, -1, -1, -1, -1}}, true);
	/* The ring has not seen "a". */
	past_add(&web, &(struct past_point){T0 - 100, 10, 100, {-1, 80, -1, -1, -1, -1, -1, -1}},
		true);
	history_plan_make(&q, &web, &recorder, true, &p);
	assert_int_equal(history_table_fill(&t, &q, &p, &all, &web, &recorder, &ledger), 0);
	assert_int_equal(t.slots, 3);
	assert_int_equal(t.slot[0].source, HISTORY_LEDGER);
	assert_int_equal(t.slot[1].source, HISTORY_RECORDER);
	assert_int_equal(t.slot[2].source, HISTORY_WEB);
	assert_int_equal(t.rows, 3);
	for (size_t i = 0; i < 3; i++) {
		/* Absent from a snapshot is 0 in a sum, and not known by itself. */
		assert_near(find_row(&t, "a")->value[i], a[i]);
		assert_near(find_row(&t, "b")->value[i], b[i]);
		assert_near(t.row[2].value[i], left[i]);
	}
	assert_near(find_row(&t, "a")->low[1], 75);
	ring_done(&web);
	ring_done(&recorder);
	ring_done(&ledger);
}

/* Rows of both sources are joined; a step without an answer's rows is not known. */
static void joins_both_sources(void **state)
{
	static const struct past_point older[] = {
		{T0 - 3600, 300, -1, {100, -1, 50, -1, -1, -1, -1, -1}},
		{T0 - 3300, 300, -1, {-1, -1, -1, -1, -1, -1, -1, -1}},
		{T0 - 3000, 300, -1, {110, -1, -1, -1, -1, -1, -1, 7}},
	};
	static const double host[] = {150, NAN, 117, 300}, a[] = {100, NAN, 110, 200},
			    b[] = {NAN, NAN, NAN, 80}, c[] = {50, NAN, NAN, NAN},
			    left[] = {0, NAN, 0, 20};
	struct ring web = {.bytes_max = ROOM}, ledger = {.bytes_max = ROOM};
	struct history_query q = query_of(T0 - 3600, T0, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(older); i++)
		past_add(&ledger, &older[i], false);
	past_add(&web, &(struct past_point){T0 - 2800, 10, 300, {200, 80, -1, -1, -1, -1, -1, -1}},
		true);
	q.limit = 4;
	for (unsigned int is_host = 0; is_host < 2; is_host++) {
		AUTO_HISTORY_TABLE struct history_table t = {0};

		q.scope = is_host ? METRIC_HOST : METRIC_USER;
		fill(&t, &q, &web, &ledger, true);
		assert_int_equal(t.slots, 4);
		assert_int_equal(t.slot[2].source, HISTORY_LEDGER);
		assert_int_equal(t.slot[3].source, HISTORY_WEB);
		assert_int_equal(t.rows, is_host ? 1 : 5);
		for (size_t i = 0; i < 4; i++) {
			if (is_host) {
				assert_near(t.row[0].value[i], host[i]);
				assert_near(t.row[0].low[i], i == 3 ? 150 : (double)NAN);
				continue;
			}
			assert_near(find_row(&t, "a")->value[i], a[i]);
			assert_near(find_row(&t, "b")->value[i], b[i]);
			assert_near(find_row(&t, "c")->value[i], c[i]);
			assert_near(find_row(&t, "a")->low[i], i == 3 ? 100 : (double)NAN);
			assert_near(t.row[4].value[i], left[i]);
		}
	}
	ring_done(&web);
	ring_done(&ledger);
}

/* A quantity that a row lacks in some snapshots is the mean of the others. */
static void skips_unknown_values(void **state)
{
	struct ring web = {.bytes_max = ROOM}, none = {0};
	struct history_query q = query_of(T0 - 100, T0, 60);
	AUTO_HISTORY_TABLE struct history_table t = {0};

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		past_add(&web,
			&(struct past_point){T0 - 60 + 10 * i, 10, 100,
				{i == 1 ? (double)NAN : 10, i == 1 ? -1 : 12, -1, -1, -1, -1, -1,
					-1}},
			true);
	fill(&t, &q, &web, &none, false);
	assert_near(find_row(&t, "a")->value[t.slots - 1], 10);
	assert_near(find_row(&t, "b")->value[t.slots - 1], 9);
	ring_done(&web);
}

static void reports_lack_of_memory(void **state)
{
	struct ring web = {.bytes_max = ROOM}, none = {0};
	struct history_query q = query_of(T0 - 100, T0, 0);
	struct history_plan p;

	(void)state;
	past_add(&web, &(struct past_point){T0 - 50, 10, 100, {10, 20, 30, -1, -1, -1, -1, -1}},
		true);
	history_plan_make(&q, &web, &none_recorded, false, &p);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_HISTORY_TABLE struct history_table t = {0};

		allocation_fail_at(n);
		allocation_check(history_table_fill(&t, &q, &p, &all, &web, &none_recorded, &none));
	}
	ring_done(&web);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up_to_the_host),
		cmocka_unit_test(selects_names),
		cmocka_unit_test(limits_rows_with_names),
		cmocka_unit_test(shows_only_visible_rows),
		cmocka_unit_test(joins_both_sources),
		cmocka_unit_test(joins_recorded_points),
		cmocka_unit_test(skips_unknown_values),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
