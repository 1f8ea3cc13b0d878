/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/saturate.h: arithmetic at its limits. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/saturate.h"

static void sums_stop_at_the_limits(void **state)
{
	(void)state;
	assert_int_equal(saturate_add(1, 2), 3);
	assert_int_equal(saturate_add(UINT64_MAX, 1), UINT64_MAX);
	assert_int_equal(saturate_sum(-5, 3), -2);
	assert_int_equal(saturate_sum(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(saturate_sum(-INT64_MAX, -2), -INT64_MAX);
	assert_int_equal(saturate_sum(-INT64_MAX, -1), -INT64_MAX); /* so that its minus fits */
	assert_int_equal(saturate_u32(7), 7);
	assert_int_equal(saturate_u32(UINT64_C(1) << 32), UINT32_MAX);
}

static void differences_do_not_wrap(void **state)
{
	(void)state;
	assert_int_equal(saturate_less(5, 3), 2);
	assert_int_equal(saturate_less(3, 5), 0);
	assert_int_equal(saturate_distance(5, 3), 2);
	assert_int_equal(saturate_distance(0, UINT64_MAX), UINT64_MAX);
	assert_int_equal(saturate_difference(3, 5), -2);
	assert_int_equal(saturate_difference(0, UINT64_MAX), -INT64_MAX);
	assert_int_equal(saturate_size(-5), 5);
	assert_int_equal(saturate_size(INT64_MIN), UINT64_C(1) << 63);
}

static void clamps_to_a_range(void **state)
{
	(void)state;
	assert_int_equal(saturate_clamp(1, 3, 5), 3);
	assert_int_equal(saturate_clamp(4, 3, 5), 4);
	assert_int_equal(saturate_clamp(6, 3, 5), 5);
}

static void parts_are_exact(void **state)
{
	(void)state;
	assert_int_equal(saturate_part(10, 2, 3), 6);
	assert_int_equal(saturate_part(10, 2, 0), 0);
	assert_int_equal(saturate_part(UINT64_MAX, 3, 4), UINT64_MAX / 4 * 3 + 2);
	assert_int_equal(saturate_part(UINT64_MAX, 2, 1), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_stop_at_the_limits),
		cmocka_unit_test(differences_do_not_wrap),
		cmocka_unit_test(clamps_to_a_range),
		cmocka_unit_test(parts_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
