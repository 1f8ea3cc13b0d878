/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the mixing of bits. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/mix.h"

/* The first two numbers of SplitMix64 from seed 0, as its authors publish them. */
static void equals_splitmix(void **state)
{
	const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

	(void)state;
	assert_true(mix_bits(step) == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(mix_bits(2 * step) == UINT64_C(0x6e789e6aa1b965f4));
}

/* A changed bit of the argument changes about half of the result, in any of its bits. */
static void each_bit_counts(void **state)
{
	uint64_t any = 0;

	(void)state;
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t changed = mix_bits(42) ^ mix_bits(42 ^ UINT64_C(1) << bit);

		assert_in_range(__builtin_popcountll(changed), 12, 52);
		any |= changed;
	}
	assert_true(any == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_splitmix),
		cmocka_unit_test(each_bit_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
