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

/* Of little of a large process, so that no part of it matters. */
static void learn_little(struct judgement *j, unsigned int times, uint64_t changed)
{
	for (unsigned int i = 0; i < times; i++)
		judgement_learn(j, MIB, changed, MIB << 20);
}

/* By the mean and four deviations, in 1024ths: 2048 + 4 * 136 after eight times twice as much as was likely. */
static void doubts_the_mean_and_four_deviations(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	learn_little(&j, 8, 2 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), MIB / 1024 * 2592);
	/* An eighth of the way to what is found, and a quarter of it to how far off that is: 1792 + 4 * 614. */
	learn_little(&j, 1, 0);
	assert_int_equal(judgement_doubt(&j, MIB), MIB / 1024 * 4248);
	/* Where it has always been the same there is nothing to deviate from at last. */
	learn_little(&j, 100, 3 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 3 * MIB);
}

/* As much as where nobody has experience, though it was more each time. */
static void doubts_no_more_than_at_first(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	learn_little(&j, 8, 15 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	learn_little(&j, 100, 15 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 15 * MIB);
	learn_little(&j, 100, 40 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
}

/* A 64th of the PSS is next to nothing, and no more than that. */
static void doubts_all_beyond_a_part(void **state)
{
	struct judgement j = {.lessons = 0};

	(void)state;
	learn(&j, 100, 8 * MIB, 2 * MIB);
	assert_int_equal(judgement_doubt(&j, MIB), MIB);
	learn(&j, 100, 8 * MIB, 9 * MIB / 4);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
	/* Of one that has nothing all has changed. */
	j = (struct judgement){.lessons = 0};
	for (unsigned int i = 0; i < 8; i++)
		judgement_learn(&j, MIB, MIB, 0);
	assert_int_equal(judgement_doubt(&j, MIB), 16 * MIB);
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
		cmocka_unit_test(doubts_the_mean_and_four_deviations),
		cmocka_unit_test(doubts_no_more_than_at_first),
		cmocka_unit_test(doubts_all_beyond_a_part),
		cmocka_unit_test(doubts_where_much_changes),
		cmocka_unit_test(has_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
