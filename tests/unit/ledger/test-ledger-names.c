/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/names.h: how many new names a day may bring. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "ledger/count/folding.h"
#include "ledger/store/names.h"

enum { DAY_S = 86400 };

static const int64_t midnight_s = INT64_C(19675) * DAY_S;

static void half_of_the_limit_is_free_at_midnight(void **state)
{
	struct names n = {.day = -1};
	size_t half = folding_rows_max(USAGE_PROGRAM);

	(void)state;
	assert_int_equal(names_left(&n, USAGE_PROGRAM, midnight_s), half);
	assert_int_equal(names_left(&n, USAGE_PROGRAM, midnight_s + DAY_S / 2), half + half / 2);
	assert_in_range(
		names_left(&n, USAGE_PROGRAM, midnight_s + DAY_S - 1), 2 * half - 1, 2 * half);
	assert_int_equal(names_left(&n, USAGE_USER, midnight_s), folding_rows_max(USAGE_USER));
}

static void limit_grows_during_the_day(void **state)
{
	struct names n = {.day = 19675};
	size_t taken = 0;

	(void)state;
	for (int64_t s = 0; s < DAY_S; s += 300) {
		size_t left = names_left(&n, USAGE_UNIT, midnight_s + s);

		assert_true(s == 0 || s % 600 || left > 0);
		n.taken[USAGE_UNIT] += left;
		taken += left;
	}
	assert_in_range(
		taken, 2 * folding_rows_max(USAGE_UNIT) - 2, 2 * folding_rows_max(USAGE_UNIT));
	/* Other kinds and other days have limits of their own. */
	assert_int_equal(
		names_left(&n, USAGE_PROGRAM, midnight_s), folding_rows_max(USAGE_PROGRAM));
	assert_int_equal(
		names_left(&n, USAGE_UNIT, midnight_s + DAY_S), folding_rows_max(USAGE_UNIT));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_limit_is_free_at_midnight),
		cmocka_unit_test(limit_grows_during_the_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
