/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the histogram of how long walks hold the lock of an address space. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/process/state/lock-hold.h"
#include "snapshot/metric.h"

static void counts_by_length(void **state)
{
	const struct metric_histogram *m = metric_histogram(HISTOGRAM_HOLD);
	struct lock_hold h = {0};

	(void)state;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		lock_hold_add(&h, (uint64_t)(m->bounds[i] * (double)NS_PER_SEC) - 1);
		assert_int_equal(h.times.bucket[i], 1);
	}
	lock_hold_add(&h, 3600 * NS_PER_SEC);
	assert_int_equal(h.times.bucket[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(h.times.count, HISTOGRAM_BUCKETS);
	assert_true(h.times.sum_ns > 3600 * NS_PER_SEC);
	assert_int_equal(h.above, 0); /* no limit was set */
	lock_hold_add(&h, UINT64_MAX);
	assert_int_equal(h.times.sum_ns, INT64_MAX); /* the maximum that a snapshot allows */
}

static void counts_holds_above_the_limit(void **state)
{
	struct lock_hold h = {.limit_ns = 20 * NS_PER_MSEC};

	(void)state;
	lock_hold_add(&h, 20 * NS_PER_MSEC);
	assert_int_equal(h.above, 0);
	lock_hold_add(&h, 20 * NS_PER_MSEC + 1);
	lock_hold_add(&h, 30 * NS_PER_SEC);
	assert_int_equal(h.above, 2);
	assert_int_equal(h.times.count, 3);
}

/*
 * The default of budget.stall, the hold from which a walk is sliced, and the length of a slice are
 * bucket bounds, so a query for them needs no interpolation.
 */
static void common_limits_are_bucket_bounds(void **state)
{
	const struct metric_histogram *m = metric_histogram(HISTOGRAM_HOLD);
	static const double asked[] = {0.001, 0.002, 0.02};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		bool any = false;

		for (size_t k = 0; k < HISTOGRAM_BUCKETS - 1; k++)
			any = any || m->bounds[k] == asked[i];
		assert_true(any);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_length),
		cmocka_unit_test(counts_holds_above_the_limit),
		cmocka_unit_test(common_limits_are_bucket_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
