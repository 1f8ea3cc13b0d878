/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/history/ring.h: the points of the last hour. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"
#include "web/history/ring.h"

#define SECOND NS_PER_SEC
#define T0     (1700000000 * SECOND)

enum { ROOM = 1 << 20 };

static const float unknown[RING_QUANTITIES] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

/* Adds a point at T0 + SECONDS with user NAME, whose PSS is VALUE. */
static int put(struct ring *r, unsigned int seconds, const char *name, float value)
{
	float q[RING_QUANTITIES];

	memcpy(q, unknown, sizeof(q));
	q[RING_PSS] = value;
	ring_begin(r, T0 + seconds * SECOND, seconds * SECOND, 10 * SECOND);
	ring_add(r, METRIC_HOST, 0, "", "", q);
	if (name)
		ring_add(r, METRIC_USER, 7, name, "", q);
	return ring_end(r);
}

/* Reads point I of R. The caller closes C. */
static void read_point(struct ring_cursor *c, const struct ring *r, size_t i)
{
	assert_int_equal(ring_cursor_open(c, r), 0);
	for (size_t k = 0; k <= i; k++)
		assert_true(ring_cursor_next(c));
}

/* Returns the PSS of user NAME in point I of R; NAN: it has none. */
static float pss_of(const struct ring *r, size_t i, const char *name)
{
	int64_t row = ring_find(r, METRIC_USER, name, "");
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	const struct ring_sample *s;
	size_t count;

	read_point(&c, r, i);
	s = ring_cursor_samples(&c, METRIC_USER, &count);
	for (size_t k = 0; row >= 0 && k < count; k++)
		if (s[k].row == (uint32_t)row)
			return s[k].q[RING_PSS];
	return NAN;
}

/* Asserts that .bytes and the numbers of points of rows are right. */
static void check(const struct ring *r)
{
	AUTO_FREE uint32_t *found = calloc(r->rows + 1, sizeof(*found));
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	size_t bytes = 0, free_places = 0;
	uint64_t last_ns = 0;

	assert_non_null(found);
	assert_int_equal(ring_cursor_open(&c, r), 0);

	for (size_t i = 0; i < r->points; i++) {
		const struct ring_point *p = r->point[i];

		assert_true(p->realtime_ns > last_ns);
		last_ns = p->realtime_ns;
		bytes += sizeof(*p) + p->words * sizeof(p->word[0]);
		assert_true(ring_cursor_next(&c));
		for (size_t k = 0; k < c.begin[METRIC_OWNERS_END]; k++)
			found[c.sample[k].row]++;
	}
	assert_false(ring_cursor_next(&c));
	for (size_t i = 0; i < r->rows; i++) {
		const struct ring_row *row = &r->row[i];

		assert_int_equal(row->points, found[i]);
		assert_int_equal(found[i] != 0, row->name != NULL);
		free_places += !row->name;
		assert_true(row->name || i >= r->first_free);
		if (row->name)
			bytes += sizeof(*row) + strlen(row->name) + strlen(row->user) + 2;
	}
	assert_int_equal(r->bytes, bytes);
	assert_int_equal(r->rows_free, free_places);
	assert_true(r->bytes <= r->bytes_max);
}

static const unsigned int scope_of[RING_QUANTITIES] = {SCOPE_PSS, SCOPE_PSS_LOW, SCOPE_PSS_HIGH,
	SCOPE_USS, SCOPE_RSS, SCOPE_SWAP_PSS, SCOPE_VM_SWAP, SCOPE_PROCESSES};

/* Every exported row of the snapshot is in the point, with the same amounts. */
static void takes_exported_rows(void **state)
{
	const struct sample_options options = {.more = 50, .exported = 20};
	AUTO_VIEW struct view *view = sample_open(&options);
	struct ring r = {.bytes_max = ROOM};
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	unsigned int absent = 0, hidden = 0;

	(void)state;
	assert_int_equal(ring_take(&r, view), 0);
	assert_int_equal(r.points, 1);
	assert_int_equal(r.point[0]->realtime_ns, view->header->realtime_ns);
	assert_int_equal(r.point[0]->length_ns, view->header->interval_ns);
	read_point(&c, &r, 0);
	for (unsigned int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		size_t count, next = 0;
		const struct ring_sample *sample = ring_cursor_samples(
			&c, (enum metric_scope)scope, &count);

		for (uint32_t i = 0; i < view_count(view, (enum metric_scope)scope); i++) {
			const struct snapshot_scope *s = view_scope(
				view, (enum metric_scope)scope, i);
			const struct ring_row *row;

			if (scope != METRIC_HOST && !(s->flags & SCOPE_EXPORTED)) {
				hidden++;
				continue;
			}
			assert_true(next < count);
			row = &r.row[sample[next].row];
			assert_int_equal(row->scope, scope);
			assert_string_equal(
				row->name, scope == METRIC_HOST ? "" : view_text(view, s->name));
			assert_string_equal(row->user, view_text(view, s->user));
			for (size_t k = 0; k < RING_QUANTITIES; k++) {
				bool is_known = (s->present >> scope_of[k]) & 1;

				absent += !is_known;
				assert_int_equal(is_known, !isnan(sample[next].q[k]));
				if (is_known)
					assert_true(sample[next].q[k] == (float)s->q[scope_of[k]]);
			}
			next++;
		}
		assert_int_equal(next, count);
	}
	assert_true(absent && hidden);
	check(&r);
	ring_done(&r);
	assert_int_equal(r.bytes, 0);
}

static void keeps_the_past_of_vanished_rows_for_an_hour(void **state)
{
	struct ring r = {.bytes_max = ROOM};

	(void)state;
	assert_int_equal(put(&r, 0, "alice", 1), 0);
	assert_int_equal(put(&r, 10, "bob", 2), 0);
	assert_int_equal(put(&r, 3600, "carol", 3), 0);
	assert_int_equal(r.points, 3);
	assert_true(pss_of(&r, 0, "alice") == 1.0F);
	assert_true(isnan(pss_of(&r, 1, "alice")));
	check(&r);
	assert_int_equal(put(&r, 3601, "carol", 4), 0);
	assert_int_equal(r.points, 3);
	assert_int_equal(ring_find(&r, METRIC_USER, "alice", ""), -1);
	assert_true(pss_of(&r, 0, "bob") == 2.0F);
	check(&r);
	assert_int_equal(put(&r, 3602, "dave", 5), 0); /* in the place of alice */
	assert_int_equal(r.rows, 4);
	check(&r);
	ring_done(&r);
}

/* A snapshot that arrives twice is one point; after the clock was set back time ascends, too. */
static void times_ascend(void **state)
{
	struct ring r = {.bytes_max = ROOM};

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(put(&r, i * 10, "alice", (float)i), 0);
	assert_int_equal(put(&r, 40, "alice", 9), 0);
	assert_int_equal(r.points, 5);
	assert_true(pss_of(&r, 4, "alice") == 9.0F);
	assert_int_equal(put(&r, 15, "bob", 7), 0);
	assert_int_equal(r.points, 3);
	assert_int_equal(r.point[2]->realtime_ns, T0 + 15 * SECOND);
	check(&r);
	ring_done(&r);
}

/* An amount that only a dropped point had is new again. */
static void forgets_the_amounts_of_dropped_points(void **state)
{
	static const unsigned int at[] = {0, 10, 3605, 3700, 3650};
	static const float amounts[] = {1, 1, 1, 2, 2};
	struct ring r = {.bytes_max = ROOM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		assert_int_equal(put(&r, at[i], "alice", amounts[i]), 0);
	assert_int_equal(r.points, 2);
	assert_true(pss_of(&r, 0, "alice") == 1.0F);
	assert_true(pss_of(&r, 1, "alice") == 2.0F);
	check(&r);
	ring_done(&r);
}

static void drops_the_oldest_beyond_its_limit(void **state)
{
	struct ring r = {.bytes_max = 2000};
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "user%u", i);
		assert_int_equal(put(&r, i * 10, name, (float)i), 0);
		check(&r);
		assert_true(r.points >= 1);
		assert_int_equal(r.point[r.points - 1]->realtime_ns, T0 + i * 10 * SECOND);
	}
	assert_true(r.points > 3 && r.points < 20 && r.rows < 20);
	r.bytes_max = 100; /* no point fits */
	assert_int_equal(put(&r, 1000, "alice", 1), 0);
	assert_int_equal(r.points, 0);
	check(&r);
	ring_done(&r);
}

/* Rows of one name and user are one row; the same name of another user is another one. */
static void tells_rows_apart(void **state)
{
	float q[RING_QUANTITIES] = {10, 10, 10, 10, 10, 10, 10, 10};
	struct ring r = {.bytes_max = ROOM};
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	size_t count;

	(void)state;
	ring_begin(&r, T0, 0, SECOND);
	ring_add(&r, METRIC_USER, 1, "alice", "", q);
	ring_add(&r, METRIC_PROGRAM, 0, "alice", "", q);
	ring_add(&r, METRIC_USER_UNIT, 0, "app.service", "alice", q);
	ring_add(&r, METRIC_USER_UNIT, 0, "app.service", "bob", q);
	q[RING_RSS] = NAN;
	ring_add(&r, METRIC_USER_UNIT, 0, "app.service", "bob", q);
	assert_int_equal(ring_end(&r), 0);
	read_point(&c, &r, 0);
	ring_cursor_samples(&c, METRIC_USER_UNIT, &count);
	assert_int_equal(count, 2);
	ring_cursor_samples(&c, METRIC_GROUP, &count);
	assert_int_equal(count, 0);
	assert_int_equal(r.rows, 4);
	assert_true(c.sample[3].q[RING_PSS] == 20.0F);
	assert_true(isnan(c.sample[3].q[RING_RSS]));
	assert_int_equal(ring_find(&r, METRIC_USER_UNIT, "app.service", "bob"), 3);
	assert_int_equal(ring_find(&r, METRIC_USER_UNIT, "app.service", ""), -1);
	check(&r);
	ring_done(&r);
}

/*
 * A model of the ring, with amounts in full: whatever changes, vanishes and comes back, and whichever
 * points are dropped at either end, the ring has the same amounts.
 */
static void keeps_every_amount(void **state)
{
	enum { POINTS = 4000, USERS = 6, SEED = 20261128 };
	uint64_t seed = SEED;
	static float model[POINTS][USERS];
	static unsigned int at[POINTS];
	struct ring r = {.bytes_max = 1800};
	size_t first = 0, end = 0;
	unsigned int seconds = 0;

	(void)state;
	for (size_t n = 0; n < POINTS; n++) {
		float *row;

		seconds += 10;
		if (unit_random(&seed) % 6 == 0) { /* the clock is set back */
			seconds -= (unsigned int)(unit_random(&seed) % 50);
			while (end > first && at[end - 1] >= seconds)
				end--;
		}
		row = model[end];
		at[end] = seconds;
		ring_begin(&r, T0 + seconds * SECOND, n * 10 * SECOND, 10 * SECOND);
		for (unsigned int k = 0; k < USERS; k++) {
			const char name[2] = {(char)('a' + k), 0};
			float q[RING_QUANTITIES];

			memcpy(q, unknown, sizeof(q));
			row[k] = end > first && unit_random(&seed) % (k ? 3 : 30)
			                 ? model[end - 1][k]
			                 : (float)(unit_random(&seed) % (k > 2 ? 1000 : 3));
			if (k > 2 && unit_random(&seed) % 8 == 0)
				row[k] = NAN;
			q[RING_PSS] = row[k];
			if (!isnan(row[k]))
				ring_add(&r, METRIC_USER, k, name, "", q);
		}
		assert_int_equal(ring_end(&r), 0);
		end++;
		assert_true(r.points <= end - first);
		first = end - r.points;
		check(&r);
		for (size_t i = 0; i < r.points * USERS; i++) {
			const char name[2] = {(char)('a' + i % USERS), 0};
			float found = pss_of(&r, i / USERS, name);
			float expected = model[first + i / USERS][i % USERS];

			if (found != expected && !(isnan(found) && isnan(expected)))
				fail_msg("point %zu of %zu: %s is %f, not %f", i / USERS, r.points,
					name, (double)found, (double)expected);
		}
	}
	assert_true(first > 50); /* points were dropped */
	ring_done(&r);
}

static struct view *open_at(uint64_t seconds, uint8_t instance, uint64_t userns)
{
	struct image_header head = {.instance[0] = instance,
		.sequence = 1,
		.realtime_ns = T0 + seconds * SECOND,
		.boottime_ns = (seconds + 1) * SECOND,
		.stale_ns = (seconds + 30) * SECOND,
		.interval_ns = SECOND,
		.userns = userns};
	AUTO_SMALL struct small s = {0};
	struct snapshot_scope *user;

	small_begin(&s);
	user = builder_add_scope(&s.builder, METRIC_USER);
	assert_non_null(user);
	user->name = builder_add_text(&s.builder, "alice", 5);
	user->flags = SCOPE_EXPORTED;
	return small_view(&s.builder, &head);
}

/* Another memtallyd continues the rows, unless its uids are those of another user namespace. */
static void goes_on_after_a_restart(void **state)
{
	struct ring r = {.bytes_max = ROOM};

	(void)state;
	for (uint8_t i = 0; i < 3; i++) {
		AUTO_VIEW struct view *view = open_at(i, i, i < 2 ? 5 : 6);

		assert_int_equal(ring_take(&r, view), 0);
		assert_int_equal(r.points, i < 2 ? i + 1 : 1);
		assert_int_equal(r.rows - r.rows_free, 2);
		check(&r);
	}
	ring_done(&r);
}

/* Of a memtallyd with a very short interval two points a second are kept. */
static void skips_snapshots_that_come_too_soon(void **state)
{
	static const struct sample_options options[] = {
		{.sequence = 1, .boottime_ns = SAMPLE_BOOTTIME_NS, .interval_ns = 100},
		{.sequence = 2, .boottime_ns = SAMPLE_BOOTTIME_NS + RING_SPACING_NS - 1},
		{.sequence = 3, .boottime_ns = SAMPLE_BOOTTIME_NS + RING_SPACING_NS},
		{.sequence = 4, .boottime_ns = SAMPLE_BOOTTIME_NS}, /* of another boot */
	};
	static const size_t points[] = {1, 1, 2, 3};
	struct ring r = {.bytes_max = ROOM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct sample_options o = options[i];
		AUTO_VIEW struct view *view = NULL;

		o.realtime_ns = T0 + i * SECOND;
		view = sample_open(&o);
		assert_int_equal(ring_take(&r, view), 0);
		assert_int_equal(r.points, points[i]);
		check(&r);
	}
	assert_int_equal(r.point[0]->length_ns, RING_SPACING_NS);
	ring_done(&r);
}

static void a_failed_allocation_costs_a_point(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct ring r = {.bytes_max = ROOM};
		bool failed;

		assert_int_equal(put(&r, 0, "alice", 1), 0);
		allocation_fail_at(n);
		failed = allocation_check(put(&r, 10, "bob", 2));
		check(&r);
		assert_int_equal(r.points, failed ? 1 : 2);
		assert_int_equal(put(&r, 20, "bob", 3), 0);
		assert_int_equal(r.points, failed ? 2 : 3);
		check(&r);
		ring_done(&r);
	}
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct ring r = {.bytes_max = ROOM};

		allocation_fail_at(n);
		allocation_check(put(&r, 10, "bob", 2));
		check(&r);
		ring_done(&r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_exported_rows),
		cmocka_unit_test(keeps_the_past_of_vanished_rows_for_an_hour),
		cmocka_unit_test(times_ascend),
		cmocka_unit_test(forgets_the_amounts_of_dropped_points),
		cmocka_unit_test(drops_the_oldest_beyond_its_limit),
		cmocka_unit_test(tells_rows_apart),
		cmocka_unit_test(keeps_every_amount),
		cmocka_unit_test(goes_on_after_a_restart),
		cmocka_unit_test(skips_snapshots_that_come_too_soon),
		cmocka_unit_test(a_failed_allocation_costs_a_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
