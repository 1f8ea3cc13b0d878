/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/judgement.h"

#define MIB (UINT64_C(1) << 20)

static void learn(struct judgement *j, unsigned int times, uint64_t likely, uint64_t changed)
{
	for (unsigned int i = 0; i < times; i++)
		judgement_learn(j, likely, changed, 128 * MIB);
}

/* Of what nobody has experience much is doubted. */
static void doubts_much_at_first(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	learn(&j, 7, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	learn(&j, 1, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
	assert_int_equal(judgement_doubt(&j, 0), 0);
}

/* Those of whom a little has changed, more than was likely. */
static void doubts_as_it_has_changed(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	learn(&j, 40, MIB / 2, MIB);
	assert_in_range(judgement_doubt(&j, MIB), 2 * MIB, 5 * MIB / 2);
	learn(&j, 60, MIB, MIB / 8);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
}

/* Where much changes, and be it only sometimes, all is doubted. */
static void doubts_where_much_changes(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	learn(&j, 20, MIB, 4 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	learn(&j, 60, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
	learn(&j, 1, MIB, 4 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	learn(&j, 60, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
}

/* Nothing counts more than so many times, and too little tells nothing. */
static void has_limits(void **state)
{
	struct judgement j = {0};

	(void)state;
	learn(&j, 20, 8 << 10, UINT64_MAX);
	assert_int_equal(j.lessons, 0);
	learn(&j, 20, MIB, UINT64_MAX);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	assert_int_equal(judgement_doubt(&j, UINT64_MAX), UINT64_MAX);
	learn(&j, 200, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubts_much_at_first),
		cmocka_unit_test(doubts_as_it_has_changed),
		cmocka_unit_test(doubts_where_much_changes),
		cmocka_unit_test(has_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
