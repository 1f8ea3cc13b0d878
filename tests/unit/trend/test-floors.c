/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/floors.h. */
#include "config.h"

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "tests/unit/trend/near.h"
#include "trend/floors.h"

static void keeps_the_smallest_of_a_slot(void **state)
{
	static const struct {
		int64_t at_s;
		double value;
	} points[] = {{600, 5}, {610, 3}, {899, 4}, {900, 7}, {1199, 8}, {1500, 2}};
	static const struct trend_floor expected[] = {{600, 3}, {900, 7}, {1500, 2}};
	struct floors f = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		assert_int_equal(floors_add(&f, points[i].at_s, points[i].value), 0);
	assert_int_equal(f.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < f.count; i++) {
		assert_int_equal(f.item[i].at_s, expected[i].at_s);
		near_assert(f.item[i].value, expected[i].value, 0);
	}
	floors_done(&f);
	assert_int_equal(f.count, 0);
}

static void ignores_values_of_earlier_slots(void **state)
{
	struct floors f = {0};

	(void)state;
	floors_add(&f, 3000, 5);
	floors_add(&f, 2999, 1);
	assert_int_equal(f.count, 1);
	near_assert(f.item[0].value, 5, 0);
	floors_done(&f);
}

static void the_oldest_slot_makes_room(void **state)
{
	struct floors f = {0};

	(void)state;
	for (int i = 0; i < FLOORS_MAX + 2; i++)
		assert_int_equal(floors_add(&f, (int64_t)i * FLOORS_SLOT_S, i), 0);
	assert_int_equal(f.count, FLOORS_MAX);
	near_assert(f.item[0].value, 2, 0);
	assert_int_equal(f.item[FLOORS_MAX - 1].at_s, (FLOORS_MAX + 1) * FLOORS_SLOT_S);
	floors_done(&f);
}

static void coarsens_by_minima(void **state)
{
	const struct trend_floor from[] = {
		{0, 4}, {300, 2}, {600, 3}, {900, 9}, {1200, 6}, {1500, 7}, {1800, 5}};
	struct trend_floor to[3];

	(void)state;
	assert_int_equal(floors_coarsen(from, ARRAY_SIZE(from), 3, to), 3);
	assert_int_equal(to[0].at_s, 0);
	near_assert(to[0].value, 2, 0);
	assert_int_equal(to[1].at_s, 900);
	near_assert(to[1].value, 6, 0);
	assert_int_equal(to[2].at_s, 1800);
	near_assert(to[2].value, 5, 0);
	assert_int_equal(floors_coarsen(from, 3, 3, to), 3);
	near_assert(to[0].value, 4, 0);
	assert_int_equal(floors_coarsen(from, 0, 3, to), 0);
}

static void says_that_there_is_no_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		struct floors f = {0};
		int r;

		allocation_fail_at(n);
		r = floors_add(&f, 300, 1);
		allocation_check(r);
		assert_int_equal(f.count, r == 0);
		floors_done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_smallest_of_a_slot),
		cmocka_unit_test(ignores_values_of_earlier_slots),
		cmocka_unit_test(the_oldest_slot_makes_room),
		cmocka_unit_test(coarsens_by_minima),
		cmocka_unit_test(says_that_there_is_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
