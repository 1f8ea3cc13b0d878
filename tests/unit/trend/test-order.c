/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/order.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/trend/near.h"
#include "trend/order.h"

enum { MOST = 40 };

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Values of few kinds, so that many are equal, and of many. */
static void selects_as_sorting_does(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(4000); round++) {
		size_t count = 1 + unit_random(&random) % MOST;
		uint64_t kinds = round % 2 ? 4 : 1000000;
		double value[MOST], sorted[MOST];
		size_t rank = unit_random(&random) % count;

		for (size_t i = 0; i < count; i++)
			sorted[i] = value[i] = (double)(unit_random(&random) % kinds);
		qsort(sorted, count, sizeof(*sorted), compare_doubles);
		near_assert(order_select(value, count, rank), sorted[rank], 0);
		for (size_t i = 0; i < count; i++)
			assert_true(i < rank ? value[i] <= value[rank] : value[i] >= value[rank]);
		near_assert(order_median(value, count),
			(sorted[(count - 1) / 2] + sorted[count / 2]) / 2, 0);
	}
}

static void quantiles_round_down(void **state)
{
	double value[] = {5, 1, 4, 2, 3, 6};

	(void)state;
	near_assert(order_quantile(value, 6, 0), 1, 0);
	near_assert(order_quantile(value, 6, 0.25), 2, 0);
	near_assert(order_quantile(value, 6, 0.95), 5, 0);
	near_assert(order_quantile(value, 6, 1), 6, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selects_as_sorting_does),
		cmocka_unit_test(quantiles_round_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
