/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/theil-sen.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/trend/near.h"
#include "tests/unit/trend/series.h"
#include "trend/theil-sen.h"

enum { HOUR_S = 3600 };

static void check_series(const double value[static SERIES_COUNT], int64_t gap, double variance,
	double slope, double low, double high)
{
	struct trend_floor floor[SERIES_COUNT];
	double slopes[THEIL_SEN_PAIRS(SERIES_COUNT)], least, most;

	series_make(value, gap, floor);
	near_assert(HOUR_S * theil_sen_slope(floor, SERIES_COUNT, slopes), slope, 1e-7);
	theil_sen_bounds(slopes, SERIES_COUNT, variance, &least, &most);
	near_assert(HOUR_S * least, low, 1e-7);
	near_assert(HOUR_S * most, high, 1e-7);
}

static void agrees_with_the_reference(void **state)
{
	(void)state;
	check_series(series_growing, 3, 1623.333333, 16.55769231, 15.42857143, 18);
	check_series(series_wandering, 0, 2.366902174 * 1597.666667, 3.215311005, -2.117647059, 9);
}

/* A quarter of the points are far off, and the slope stays. */
static void outliers_do_not_matter(void **state)
{
	struct trend_floor floor[SERIES_COUNT];
	double slopes[THEIL_SEN_PAIRS(SERIES_COUNT)];

	(void)state;
	for (int64_t i = 0; i < SERIES_COUNT; i++)
		floor[i] = (struct trend_floor){
			.at_s = FLOORS_SLOT_S * i, .value = i % 4 == 1 ? 1e6 : 100 + (double)i};
	near_assert(theil_sen_slope(floor, SERIES_COUNT, slopes), 1.0 / FLOORS_SLOT_S, 1e-9);
}

/* With few points the bounds would be of ranks that do not exist: they are the extremes. */
static void bounds_are_slopes_of_pairs(void **state)
{
	const struct trend_floor floor[] = {{0, 1}, {300, 3}, {600, 2}, {900, 5}};
	double slopes[THEIL_SEN_PAIRS(4)], low, high;

	(void)state;
	theil_sen_slope(floor, 4, slopes);
	theil_sen_bounds(slopes, 4, 100, &low, &high);
	near_assert(low, -1.0 / 300, 1e-12);
	near_assert(high, 3.0 / 300, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_reference),
		cmocka_unit_test(outliers_do_not_matter),
		cmocka_unit_test(bounds_are_slopes_of_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
