/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/rate.h"

#define START (100 * NS_PER_SEC)

/* How many of TRIES at NOW succeed. */
static unsigned int take(struct rate *r, unsigned int tries, uint64_t now_ns)
{
	unsigned int taken = 0;

	for (unsigned int i = 0; i < tries; i++)
		taken += rate_take(r, now_ns);
	return taken;
}

static void holds_a_burst(void **state)
{
	static const uint64_t bursts[] = {1, 2, 3, 50};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bursts); i++) {
		struct rate r;

		rate_init(&r, NS_PER_SEC, bursts[i]);
		assert_int_equal(take(&r, 100, START), bursts[i]);
		assert_int_equal(take(&r, 100, START), 0);
		/* Full again, and no fuller however long nobody came. */
		assert_int_equal(take(&r, 100, START + bursts[i] * NS_PER_SEC), bursts[i]);
		assert_int_equal(take(&r, 100, START + 1000 * NS_PER_SEC), bursts[i]);
	}
}

static void gets_one_in_an_interval(void **state)
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

/* Who is refused is none the worse for having tried. */
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

static void is_no_limit_without_an_interval(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 0, 0);
	assert_int_equal(take(&r, 1000, 0), 1000);
	assert_int_equal(take(&r, 1000, START), 1000);
}

/* The most that a configuration may say. */
static void holds_large_bursts(void **state)
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
		cmocka_unit_test(holds_a_burst),
		cmocka_unit_test(gets_one_in_an_interval),
		cmocka_unit_test(refusals_cost_nothing),
		cmocka_unit_test(is_no_limit_without_an_interval),
		cmocka_unit_test(holds_large_bursts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
