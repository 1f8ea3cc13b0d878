/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/net/rate.h: the limit of requests. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/net/rate.h"

#define START (100 * NS_PER_SEC)

/* Returns how many of TRIES at NOW succeed. */
static unsigned int take(struct rate *r, unsigned int tries, uint64_t now_ns)
{
	unsigned int taken = 0;

	for (unsigned int i = 0; i < tries; i++)
		taken += rate_take(r, now_ns);
	return taken;
}

static void allows_a_burst(void **state)
{
	static const uint64_t bursts[] = {1, 2, 3, 50};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct rate r;

		rate_init(&r, NS_PER_SEC, bursts[i]);
		assert_int_equal(take(&r, 100, START), bursts[i]);
		assert_int_equal(take(&r, 100, START), 0);
		/* After a long pause the bucket is full, but not fuller. */
		assert_int_equal(take(&r, 100, START + bursts[i] * NS_PER_SEC), bursts[i]);
		assert_int_equal(take(&r, 100, START + 1000 * NS_PER_SEC), bursts[i]);
	}
}

static void allows_one_request_per_interval(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, NS_PER_SEC, 3);
	assert_int_equal(take(&r, 10, START), 3);
	assert_int_equal(take(&r, 10, START + NS_PER_SEC - 1), 0);
	assert_int_equal(take(&r, 10, START + NS_PER_SEC), 1);
	assert_int_equal(take(&r, 10, START + 2 * NS_PER_SEC - 1), 0);
	assert_int_equal(take(&r, 10, START + 4 * NS_PER_SEC - 1), 2);
	assert_int_equal(take(&r, 10, START + 4 * NS_PER_SEC), 1);
}

/* A refused request costs no tokens. */
static void refusals_cost_nothing(void **state)
{
	struct rate r;
	unsigned int taken = 0;

	(void)state;
	rate_init(&r, NS_PER_SEC, 2);
	for (uint64_t now = START; now < START + 10 * NS_PER_SEC; now += NS_PER_SEC / 8)
		taken += take(&r, 5, now);
	assert_int_equal(taken, 2 + 9);
}

static void without_an_interval_there_is_no_limit(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 0, 0);
	assert_int_equal(take(&r, 1000, 0), 1000);
	assert_int_equal(take(&r, 1000, START), 1000);
}

/* The largest configurable burst. */
static void allows_large_bursts(void **state)
{
	const uint64_t interval_ns = 3600 * NS_PER_SEC, burst = 1000000;
	struct rate r;

	(void)state;
	rate_init(&r, interval_ns, burst);
	assert_int_equal(take(&r, burst + 10, START), burst);
	assert_int_equal(take(&r, 10, START + interval_ns), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_a_burst),
		cmocka_unit_test(allows_one_request_per_interval),
		cmocka_unit_test(refusals_cost_nothing),
		cmocka_unit_test(without_an_interval_there_is_no_limit),
		cmocka_unit_test(allows_large_bursts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
