/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/excess.h"

/* SHARERS of KNOWN are found in PASS, where ENDED may linger. */
static void assert_found(const struct excess *e, uint64_t pass, uint64_t sharers, uint32_t known,
	uint32_t ended, struct excess_found wanted)
{
	struct excess_found found = excess_find(e, pass, sharers, known, ended);

	assert_int_equal(found.lingering, wanted.lingering);
	assert_int_equal(found.lasting, wanted.lasting);
	assert_int_equal(found.unseen, wanted.unseen);
}

static void learn(struct excess *e, uint64_t pass, uint64_t sharers, uint32_t known, uint32_t ended)
{
	struct excess_found found = excess_find(e, pass, sharers, known, ended);

	excess_learn(e, pass, &found);
}

/* Of whom nobody has known before it is taken that they have always been there. */
static void takes_the_first_as_they_are(void **state)
{
	const struct excess e = {0};

	(void)state;
	assert_found(&e, 1, 5, 5, 0, (struct excess_found){0});
	assert_found(&e, 1, 3, 5, 2, (struct excess_found){0});
	assert_found(&e, 1, 7, 5, 0, (struct excess_found){.lasting = 2});
	assert_found(&e, 1, 7, 5, 1, (struct excess_found){.lingering = 1, .lasting = 1});
	assert_found(&e, 1, 7, 5, 9, (struct excess_found){.lingering = 2});
}

/* Who is found in one pass and was not in the one before is new, whoever else finds it. */
static void knows_who_is_new(void **state)
{
	struct excess e = {0};

	(void)state;
	learn(&e, 1, 6, 5, 0);
	assert_found(&e, 2, 8, 5, 0, (struct excess_found){.lasting = 1, .unseen = 2});
	assert_found(&e, 2, 8, 5, 2, (struct excess_found){.lingering = 2, .lasting = 1});
	learn(&e, 2, 8, 5, 0);
	assert_found(&e, 2, 8, 5, 0, (struct excess_found){.lasting = 1, .unseen = 2});
	assert_found(&e, 2, 5, 5, 0, (struct excess_found){0});
	/* In the next pass they are always there, if all that were measured have found them. */
	assert_found(&e, 3, 8, 5, 0, (struct excess_found){.lasting = 3});
	learn(&e, 2, 7, 5, 0);
	assert_found(&e, 3, 8, 5, 0, (struct excess_found){.lasting = 2, .unseen = 1});
}

/* Those that linger are not there any more in the next. */
static void forgets_the_lingering(void **state)
{
	struct excess e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 2);
	assert_found(&e, 2, 7, 5, 0, (struct excess_found){.unseen = 2});
}

/* One who was always there and has gone is not expected back. */
static void follows_who_goes(void **state)
{
	struct excess e = {0};

	(void)state;
	learn(&e, 1, 6, 5, 0);
	learn(&e, 2, 5, 5, 0);
	assert_found(&e, 3, 6, 5, 0, (struct excess_found){.unseen = 1});
}

/* What one measurement found of those who last, a later one in which they are not tells the others. */
static void knows_who_is_lost(void **state)
{
	struct excess e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 0);
	assert_int_equal(excess_lost(&e, 2), 0);
	learn(&e, 2, 6, 5, 0);
	assert_int_equal(excess_lost(&e, 2), 1);
	assert_int_equal(excess_lost(&e, 1), 0);
	learn(&e, 3, 8, 5, 0);
	assert_int_equal(excess_lost(&e, 2), 0);
}

/* Who lasts is not known by one pass. */
static void confirms_in_another_pass(void **state)
{
	struct excess e = {0};

	(void)state;
	learn(&e, 1, 7, 5, 0);
	learn(&e, 1, 7, 5, 0);
	assert_false(e.is_confirmed);
	learn(&e, 2, 7, 5, 0);
	assert_true(e.is_confirmed);
}

/* Who shares less than others do tells of no more than that; but if all share less, of all there is. */
static void believes_those_who_share_most(void **state)
{
	struct excess e = {0};
	unsigned int more = 0;

	(void)state;
	assert_true(excess_is_telling(&e, 800));
	assert_true(excess_is_telling(&e, 1600));
	assert_false(excess_is_telling(&e, 1399));
	assert_true(excess_is_telling(&e, 1600));
	assert_true(excess_is_telling(&e, 1400));
	while (!excess_is_telling(&e, 700))
		more++;
	assert_int_equal(more, 5);
	assert_true(excess_is_telling(&e, 1600));
}

static void keeps_within_numbers(void **state)
{
	struct excess e = {0};

	(void)state;
	assert_found(&e, 1, UINT64_MAX, 5, 0, (struct excess_found){.lasting = UINT32_MAX});
	learn(&e, 1, UINT64_MAX, 5, 0);
	assert_found(
		&e, 2, UINT64_MAX, 0, UINT32_MAX, (struct excess_found){.lingering = UINT32_MAX});
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_the_first_as_they_are),
		cmocka_unit_test(knows_who_is_new),
		cmocka_unit_test(forgets_the_lingering),
		cmocka_unit_test(follows_who_goes),
		cmocka_unit_test(knows_who_is_lost),
		cmocka_unit_test(confirms_in_another_pass),
		cmocka_unit_test(believes_those_who_share_most),
		cmocka_unit_test(keeps_within_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
