/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the sorting of unlisted sharers into lingering, lasting and unseen ones. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/fork-families-private.h"

/*
 * Expects WANTED if a measurement in PASS implies SHARERS where KNOWN are listed, and ENDED may
 * still be freeing their memory.
 */
static void assert_found(const struct unlisted_sharers *e, uint64_t pass, uint64_t sharers,
	uint32_t known, uint32_t ended, struct unlisted_sharers_found wanted)
{
	struct unlisted_sharers_found found = unlisted_sharers_find(e, pass, sharers, known, ended);

	assert_int_equal(found.lingering, wanted.lingering);
	assert_int_equal(found.lasting, wanted.lasting);
	assert_int_equal(found.unseen, wanted.unseen);
}

static void learn(
	struct unlisted_sharers *e, uint64_t pass, uint64_t sharers, uint32_t known, uint32_t ended)
{
	struct unlisted_sharers_found found = unlisted_sharers_find(e, pass, sharers, known, ended);

	unlisted_sharers_learn(e, pass, &found);
}

/* Unlisted sharers in the first measurements count as lasting. */
static void counts_the_first_as_lasting(void **state)
{
	const struct unlisted_sharers e = {0};

	(void)state;
	assert_found(&e, 1, 5, 5, 0, (struct unlisted_sharers_found){0});
	assert_found(&e, 1, 3, 5, 2, (struct unlisted_sharers_found){0});
	assert_found(&e, 1, 7, 5, 0, (struct unlisted_sharers_found){.lasting = 2});
	assert_found(&e, 1, 7, 5, 1, (struct unlisted_sharers_found){.lingering = 1, .lasting = 1});
	assert_found(&e, 1, 7, 5, 9, (struct unlisted_sharers_found){.lingering = 2});
}

/* Unlisted sharers that the former pass did not have are new, whichever members find them. */
static void finds_new_sharers(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	learn(&e, 1, 6, 5, 0);
	assert_found(&e, 2, 8, 5, 0, (struct unlisted_sharers_found){.lasting = 1, .unseen = 2});
	assert_found(&e, 2, 8, 5, 2, (struct unlisted_sharers_found){.lingering = 2, .lasting = 1});
	learn(&e, 2, 8, 5, 0);
	assert_found(&e, 2, 8, 5, 0, (struct unlisted_sharers_found){.lasting = 1, .unseen = 2});
	assert_found(&e, 2, 5, 5, 0, (struct unlisted_sharers_found){0});
	/* In the next pass they are lasting, if all measured members found them. */
	assert_found(&e, 3, 8, 5, 0, (struct unlisted_sharers_found){.lasting = 3});
	learn(&e, 2, 7, 5, 0);
	assert_found(&e, 3, 8, 5, 0, (struct unlisted_sharers_found){.lasting = 2, .unseen = 1});
}

/* Lingering processes are gone in the next pass. */
static void forgets_lingering_sharers(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 2);
	assert_found(&e, 2, 7, 5, 0, (struct unlisted_sharers_found){.unseen = 2});
}

/* A lasting sharer that is gone is not expected back. */
static void follows_lasting_sharers_that_exit(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	learn(&e, 1, 6, 5, 0);
	learn(&e, 2, 5, 5, 0);
	assert_found(&e, 3, 6, 5, 0, (struct unlisted_sharers_found){.unseen = 1});
}

/*
 * A later measurement without a lasting sharer shows that it is gone, also for members measured
 * before.
 */
static void counts_lost_sharers(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 0);
	assert_int_equal(unlisted_sharers_lost(&e, 2), 0);
	learn(&e, 2, 6, 5, 0);
	assert_int_equal(unlisted_sharers_lost(&e, 2), 1);
	assert_int_equal(unlisted_sharers_lost(&e, 1), 0);
	learn(&e, 3, 8, 5, 0);
	assert_int_equal(unlisted_sharers_lost(&e, 2), 0);
}

/* One pass does not confirm a lasting sharer. */
static void confirms_in_another_pass(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 0);
	learn(&e, 1, 7, 5, 0);
	assert_false(e.is_confirmed);
	learn(&e, 2, 7, 5, 0);
	assert_true(e.is_confirmed);
}

static void keeps_within_numbers(void **state)
{
	struct unlisted_sharers e = {0};

	(void)state;
	assert_found(
		&e, 1, UINT64_MAX, 5, 0, (struct unlisted_sharers_found){.lasting = UINT32_MAX});
	learn(&e, 1, UINT64_MAX, 5, 0);
	assert_found(&e, 2, UINT64_MAX, 0, UINT32_MAX,
		(struct unlisted_sharers_found){.lingering = UINT32_MAX});
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_the_first_as_lasting),
		cmocka_unit_test(finds_new_sharers),
		cmocka_unit_test(forgets_lingering_sharers),
		cmocka_unit_test(follows_lasting_sharers_that_exit),
		cmocka_unit_test(counts_lost_sharers),
		cmocka_unit_test(confirms_in_another_pass),
		cmocka_unit_test(keeps_within_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
