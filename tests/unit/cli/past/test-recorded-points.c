/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/recorded-points.h: fewer points without losing what matters. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <string.h>

#include "base/array.h"
#include "cli/past/recorded-points.h"

enum { SECONDS = 1000, MAX = 50 };

/* Makes one point a second; point BURST is the largest, and those of KILL have OOM kills. */
static void make(struct recorded_points *p, size_t burst, const size_t kill[static 2])
{
	assert_int_equal(ARRAY_RESERVE(p->point, p->room, SECONDS), 0);
	for (size_t i = 0; i < SECONDS; i++)
		p->point[p->points++] = (struct past_point){
			.at_ns = (i + 1) * UINT64_C(1000000000),
			.present = i < 100 ? 0 : 1, /* there is no such row at first */
			.marks = (i == kill[0] || i == kill[1] ? PAST_MARK_OOM : 0) |
		                 (i == burst - 1 ? PAST_MARK_PRESSURE : 0),
			.value = i == burst ? 1000000 : i,
		};
}

static void few_points_stay(void **state)
{
	AUTO_RECORDED_POINTS struct recorded_points p = {0};

	(void)state;
	make(&p, 500, (const size_t[]){1, 2});
	recorded_points_thin(&p, SECONDS);
	assert_int_equal(p.points, SECONDS);
}

static void bursts_kills_and_ends_stay(void **state)
{
	AUTO_RECORDED_POINTS struct recorded_points p = {0};
	size_t kills = 0, bursts = 0;

	(void)state;
	make(&p, 503, (const size_t[]){700, 701});
	recorded_points_thin(&p, MAX);
	assert_in_range(p.points, MAX / 2, MAX + 6);
	assert_int_equal(p.point[0].at_ns, UINT64_C(1000000000));
	assert_int_equal(p.point[p.points - 1].value, SECONDS - 1);
	for (size_t i = 0; i < p.points; i++) {
		if (i)
			assert_true(p.point[i - 1].at_ns < p.point[i].at_ns);
		kills += (p.point[i].marks & PAST_MARK_OOM) != 0;
		if (p.point[i].value == 1000000) {
			bursts++;
			assert_int_equal(p.point[i].marks, PAST_MARK_PRESSURE);
		}
	}
	assert_int_equal(kills, 2);
	assert_int_equal(bursts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_points_stay),
		cmocka_unit_test(bursts_kills_and_ends_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
