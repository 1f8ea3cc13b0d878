/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the pause between failed attempts. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/backoff.h"
#include "base/cleanup.h"

#define MAX_NS (5 * NS_PER_SEC)

static void doubles_to_the_end(void **state)
{
	static const uint64_t expected_ms[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000};
	struct backoff b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected_ms); i++)
		assert_int_equal(backoff_next(&b, MAX_NS, 0), expected_ms[i] * NS_PER_MSEC);
	assert_int_equal(backoff_next(&b, 2 * MAX_NS, 0), 2 * MAX_NS); /* another limit */
	assert_int_equal(backoff_next(&b, MAX_NS, 0), MAX_NS);
	backoff_reset(&b);
	assert_int_equal(backoff_next(&b, MAX_NS, 0), BACKOFF_FIRST_NS);
}

/* Randomness shortens a delay by a quarter at most, and does not affect later delays. */
static void delays_are_randomized(void **state)
{
	struct backoff b = {0};
	uint64_t random = 5;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t delay = backoff_next(&b, MAX_NS, (uint32_t)unit_random(&random));

		assert_true(delay <= b.delay_ns);
		assert_true(delay > b.delay_ns / 4 * 3 - 2);
	}
	assert_int_equal(b.delay_ns, MAX_NS);
	assert_true(backoff_next(&b, MAX_NS, UINT32_MAX) < MAX_NS / 100 * 76);
	assert_true(backoff_next(&b, MAX_NS, UINT32_MAX / 2) > MAX_NS / 100 * 86);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles_to_the_end),
		cmocka_unit_test(delays_are_randomized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
