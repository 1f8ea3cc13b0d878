/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/growth.h"

static void takes_the_first_reading_as_baseline(void **state)
{
	struct growth g = {0};

	(void)state;
	assert_int_equal(growth_add_hwm(&g, 1000), 0);
	assert_int_equal(growth_add_swap(&g, 500), 0);
	assert_int_equal(g.hwm_bytes, 0);
	assert_int_equal(g.swap_bytes, 0);
}

/* As the kernel printed it: 83480 -> 83388 -> 83480 -> 83484 kB. */
static void adds_only_above_the_highest_mark(void **state)
{
	static const uint64_t marks[] = {83480, 83388, 83480, 83484};
	struct growth g = {0};
	uint64_t added = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		added += growth_add_hwm(&g, marks[i]);
	assert_int_equal(added, 4);
	assert_int_equal(g.hwm_bytes, 4);
}

static void adds_every_rise_of_swap(void **state)
{
	static const uint64_t swap[] = {100, 300, 0, 50, 50, 200};
	struct growth g = {0};
	uint64_t added = 0;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		added += growth_add_swap(&g, swap[i]);
	assert_int_equal(added, 200 + 50 + 150);
	assert_int_equal(g.swap_bytes, added);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_first_reading_as_baseline),
		cmocka_unit_test(adds_only_above_the_highest_mark),
		cmocka_unit_test(adds_every_rise_of_swap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
