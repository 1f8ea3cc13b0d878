/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/model/family/cow-suspected.h: suspected copy-on-write breaks. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/cow-suspected.h"

/* Suspected copy-on-write breaks of others count, except of processes measured since. */
static void counts_suspicions_of_others(void **state)
{
	struct cow_suspected s = {.bytes = 0};

	(void)state;
	assert_int_equal(cow_suspected_since(&s, 0, 0), 0);
	cow_suspected_move(&s, 0, 100, 20);
	cow_suspected_move(&s, 0, 50, 30);
	assert_int_equal(cow_suspected_since(&s, 0, 29), 150);
	assert_int_equal(cow_suspected_since(&s, 100, 29), 50);
	assert_int_equal(cow_suspected_since(&s, 0, 30), 0);
	cow_suspected_move(&s, 100, 0, 40); /* a measurement is no new suspicion */
	assert_int_equal(cow_suspected_since(&s, 0, 29), 50);
	assert_int_equal(cow_suspected_since(&s, 0, 30), 0);
}

/*
 * If suspicions were wrong lately, little of a new one counts, and more again after one was right.
 */
static void weighs_suspicions_by_experience(void **state)
{
	struct cow_suspected s = {.bytes = 0};

	(void)state;
	cow_suspected_move(&s, 0, 6400, 10);
	cow_suspected_answer(&s, 0, 1000);
	assert_int_equal(cow_suspected_since(&s, 0, 0), 6400);
	for (int i = 0; i < 8; i++)
		cow_suspected_answer(&s, 1000, 0);
	assert_int_equal(cow_suspected_since(&s, 0, 0), 99); /* a 64th */
	for (int i = 0; i < 8; i++)
		cow_suspected_answer(&s, 1000, 250);
	assert_in_range(
		cow_suspected_since(&s, 0, 0), 1600, 3300); /* twice the part that was right */
	for (int i = 0; i < 8; i++)
		cow_suspected_answer(&s, 1000, 5000);
	assert_int_equal(cow_suspected_since(&s, 0, 0), 6400);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_suspicions_of_others),
		cmocka_unit_test(weighs_suspicions_by_experience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
