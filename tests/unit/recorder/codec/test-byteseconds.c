/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "recorder/codec/byteseconds.h"
#include "snapshot/metric.h"

/* What owner_sums_end() and show_counters() of collectors/owners/owner-sums.c compute. */
struct counter {
	unsigned __int128 byte_ns;
	uint64_t last;
};

static uint64_t count(struct counter *c, uint64_t pss, uint64_t elapsed_ns)
{
	c->byte_ns += ((unsigned __int128)c->last + pss) * elapsed_ns;
	c->last = pss;
	return metric_real_bits((double)c->byte_ns / 2 / 1e9);
}

/* For counters of any size the time is found, and predicts the next value to a few units. */
static void test_predicts(void **state)
{
	uint64_t dice = 1;

	(void)state;
	for (unsigned int shift = 8; shift < 50; shift++) {
		struct counter c = {.last = 0};
		uint64_t old = (unit_random(&dice) >> (63 - shift)) | 1;
		uint64_t bits = count(&c, old, 1000000000000);

		for (unsigned int i = 0; i < 200; i++) {
			uint64_t elapsed_ns = 10000000000 + unit_random(&dice) % 100000000;
			uint64_t pss = old + unit_random(&dice) % 4096;
			uint64_t now = count(&c, pss, elapsed_ns);
			uint64_t guess_ns = byteseconds_guess(bits, now, old, pss);

			assert_in_range(
				saturate_distance(
					byteseconds_predict(bits, old, pss, elapsed_ns), now),
				0, 2);
			assert_in_range(saturate_distance(
						byteseconds_predict(bits, old, pss, guess_ns), now),
				0, 2);
			old = pss;
			bits = now;
		}
	}
}

static void test_special(void **state)
{
	static const double reals[] = {0, -1, 4e-310, HUGE_VAL, -HUGE_VAL, NAN};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
		assert_int_equal(byteseconds_predict(metric_real_bits(reals[i]), 1, 1, 1000000000),
			metric_real_bits(reals[i]));
	assert_int_equal(
		byteseconds_predict(metric_real_bits(1), UINT64_MAX, 1, 1), metric_real_bits(1));
	assert_int_equal(
		byteseconds_predict(metric_real_bits(1e-300), 1 << 20, 1 << 20, 1000000000),
		metric_real_bits(1e-300));
	assert_int_equal(byteseconds_predict(metric_real_bits(1e300), 1, 1, 1000000000),
		metric_real_bits(1e300));
	assert_int_equal(byteseconds_guess(metric_real_bits(2), metric_real_bits(1), 1, 1), 0);
	assert_int_equal(byteseconds_guess(metric_real_bits(1), metric_real_bits(2), 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_predicts),
		cmocka_unit_test(test_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
