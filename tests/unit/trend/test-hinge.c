/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/hinge.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "trend/hinge.h"

enum { COUNT = 100 };

/* A level that turns into a line at TURN, with noise that has no pattern. */
static void make_hinge(struct trend_floor *floor, int turn)
{
	uint64_t random = 7;

	for (int i = 0; i < COUNT; i++)
		floor[i] = (struct trend_floor){.at_s = 1000000 + (int64_t)i * FLOORS_SLOT_S,
			.value = 500 + (i > turn ? i - turn : 0) +
		                 (double)(unit_random(&random) % 1000) / 500};
}

static void finds_where_a_level_turns(void **state)
{
	static const int turns[] = {0, 10, 50, 80};
	struct trend_floor floor[COUNT];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
		int64_t at_s = 1000000 + (int64_t)turns[i] * FLOORS_SLOT_S, found_s;

		make_hinge(floor, turns[i]);
		found_s = hinge_find(floor, COUNT);
		assert_in_range(found_s, at_s > 1000000 ? at_s - 900 : at_s, at_s + 900);
	}
}

static void a_constant_begins_at_its_start(void **state)
{
	const struct trend_floor floor[] = {{300, 5}, {600, 5}, {900, 5}, {1200, 5}};

	(void)state;
	assert_int_equal(hinge_find(floor, ARRAY_SIZE(floor)), 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_where_a_level_turns),
		cmocka_unit_test(a_constant_begins_at_its_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
