/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/mann-kendall.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/trend/near.h"
#include "tests/unit/trend/series.h"
#include "trend/mann-kendall.h"

static void agrees_with_the_reference(void **state)
{
	struct trend_floor floor[SERIES_COUNT];
	double room[2 * SERIES_COUNT];
	struct mann_kendall m;

	(void)state;
	series_make(series_growing, 3, floor);
	mann_kendall_test(floor, SERIES_COUNT, 16.55769231 / 3600, room, &m);
	near_assert(m.s, 252, 0);
	near_assert(m.variance, 1623.333333, 1e-6);
	near_assert(m.correction, 1, 0);
	near_assert(m.z, 6.229739234, 1e-8);
}

static void corrects_for_autocorrelation(void **state)
{
	struct trend_floor floor[SERIES_COUNT];
	double room[2 * SERIES_COUNT];
	struct mann_kendall m;

	(void)state;
	series_make(series_wandering, 0, floor);
	mann_kendall_test(floor, SERIES_COUNT, 3.215311005 / 3600, room, &m);
	near_assert(m.s, 81, 0);
	near_assert(m.correction, 2.366902174, 1e-8);
	near_assert(m.variance, 2.366902174 * 1597.666667, 1e-5);
	near_assert(m.z, 1.300938438, 1e-8);
}

static void a_falling_series_has_a_negative_z(void **state)
{
	struct trend_floor floor[SERIES_COUNT];
	double room[2 * SERIES_COUNT];
	struct mann_kendall m;

	(void)state;
	series_make(series_growing, 3, floor);
	for (size_t i = 0; i < SERIES_COUNT; i++)
		floor[i].value = -floor[i].value;
	mann_kendall_test(floor, SERIES_COUNT, -16.55769231 / 3600, room, &m);
	near_assert(m.s, -252, 0);
	near_assert(m.z, -6.229739234, 1e-8);
}

/* All values are equal: the variance is 0, and so is the autocorrelation. */
static void a_constant_has_no_trend(void **state)
{
	struct trend_floor floor[SERIES_COUNT] = {{0}};
	double room[2 * SERIES_COUNT];
	struct mann_kendall m;

	(void)state;
	for (int64_t i = 0; i < SERIES_COUNT; i++)
		floor[i] = (struct trend_floor){.at_s = FLOORS_SLOT_S * i, .value = 7};
	mann_kendall_test(floor, SERIES_COUNT, 0, room, &m);
	near_assert(m.s, 0, 0);
	near_assert(m.variance, 0, 0);
	near_assert(m.z, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_reference),
		cmocka_unit_test(corrects_for_autocorrelation),
		cmocka_unit_test(a_falling_series_has_a_negative_z),
		cmocka_unit_test(a_constant_has_no_trend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
