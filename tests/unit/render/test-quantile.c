/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of render/quantile.h: quantiles of histograms. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "render/quantile.h"
#include "snapshot/metric.h"

enum { LAST = HISTOGRAM_BUCKETS - 1 };

static void quantiles_are_upper_bounds(void **state)
{
	static const struct {
		uint64_t first, fourth, last; /* number of observations in these buckets */
		unsigned int per_mille;
		int bucket; /* the bucket of the quantile */
	} cases[] = {
		{1, 0, 0, 0, 0},
		{1, 0, 0, 990, 0},
		{1, 0, 0, 1000, 0},
		{0, 1, 0, 1, 3},
		{0, 0, 1, 1, LAST},
		{1, 0, 1, 500, 0},
		{1, 0, 1, 501, LAST},
		{1, 198, 1, 5, 0},
		{1, 198, 1, 6, 3},
		{1, 198, 1, 995, 3},
		{1, 198, 1, 996, LAST},
		/* a thousand times this does not fit into 64 bits */
		{UINT64_C(1) << 62, UINT64_C(1) << 62, 0, 500, 0},
		{UINT64_C(1) << 62, UINT64_C(1) << 62, 0, 501, 3},
	};

	(void)state;
	for (unsigned int id = 0; id < HISTOGRAM_COUNT_; id++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct snapshot_histogram h = {.id = id};
			double found = 777;

			h.bucket[0] = cases[i].first;
			h.bucket[3] = cases[i].fourth;
			h.bucket[LAST] = cases[i].last;
			h.count = cases[i].first + cases[i].fourth + cases[i].last;
			assert_true(quantile_of(&h, cases[i].per_mille, &found));
			if (cases[i].bucket == LAST)
				assert_true(isinf(found));
			else
				assert_true(found == metric_histogram(id)->bounds[cases[i].bucket]);
		}
}

/* An empty histogram, and one of a kind from a newer minor version. */
static void empty_histograms_have_no_quantile(void **state)
{
	struct snapshot_histogram empty = {.id = HISTOGRAM_HOLD};
	struct snapshot_histogram newer = {.id = HISTOGRAM_COUNT_, .count = 1, .bucket[0] = 1};
	double found = 777;

	(void)state;
	assert_false(quantile_of(&empty, 500, &found));
	assert_false(quantile_of(&newer, 500, &found));
	assert_true(found == 777);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_upper_bounds),
		cmocka_unit_test(empty_histograms_have_no_quantile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
