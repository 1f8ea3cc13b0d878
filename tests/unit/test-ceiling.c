/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/ceiling.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* All of it, and nothing, as far as anyone knows. */
static struct estimate guess_of(uint64_t anon, uint64_t file)
{
	return (struct estimate){
		.pss_anon = anon,
		.pss_file = file,
		.pss = anon + file,
		.high = anon + file,
		.uss = anon,
	};
}

static void add_known(struct ceiling *c, uint64_t anon, uint64_t file)
{
	const struct estimate e = {.pss_anon = anon,
		.pss_file = file / 2,
		.pss_shmem = file - file / 2,
		.pss = anon + file,
		.low = anon,
		.high = anon + file + GIB};

	ceiling_add_known(c, &e);
}

/* A page of shared memory that is mapped over and over has as much RSS as one likes, and is a page. */
static void nobody_has_more_than_there_is(void **state)
{
	const struct estimate_now now = {.anon = MIB, .file = 64 * GIB};
	struct estimate e = guess_of(MIB, 32 * GIB);
	struct ceiling c;

	(void)state;
	e.high = MIB + 64 * GIB;
	ceiling_begin(&c);
	add_known(&c, 100 * MIB, 30 * MIB);
	ceiling_add_guess(&c, &e);
	assert_true(ceiling_end(&c, 102 * MIB, 50 * MIB));
	ceiling_lower(&c, &now, &e);
	assert_int_equal(e.pss_anon, MIB);
	assert_int_equal(e.pss_file, 20 * MIB);
	assert_int_equal(e.pss, 21 * MIB);
	/* The 30 MiB of others are what they seem to have: they may have none. */
	assert_int_equal(e.high, 51 * MIB);
	assert_int_equal(e.low, 0);
	assert_int_equal(e.uss, MIB);
}

/* What is left is divided among all that are guessed, as they are to each other. */
static void together_they_are_what_is_left(void **state)
{
	const struct estimate_now now = {.anon = 400 * MIB, .file = 40 * MIB};
	struct estimate a = guess_of(300 * MIB, 10 * MIB), b = guess_of(100 * MIB, 30 * MIB);
	struct ceiling c;

	(void)state;
	b.uss = ESTIMATE_UNKNOWN;
	ceiling_begin(&c);
	add_known(&c, 100 * MIB, 10 * MIB);
	ceiling_add_guess(&c, &a);
	ceiling_add_guess(&c, &b);
	assert_true(ceiling_end(&c, 200 * MIB, 100 * MIB));
	ceiling_lower(&c, &now, &a);
	ceiling_lower(&c, &now, &b);
	assert_int_equal(a.pss_anon, 75 * MIB);
	assert_int_equal(b.pss_anon, 25 * MIB);
	assert_int_equal(a.pss_file, 10 * MIB); /* of files there are enough */
	assert_int_equal(b.pss_file, 30 * MIB);
	assert_int_equal(a.uss, 85 * MIB);
	assert_int_equal(b.uss, ESTIMATE_UNKNOWN);
	/* Others have 100 MiB for sure. */
	assert_int_equal(a.high, 200 * MIB);
	assert_int_equal(b.high, 130 * MIB);
	assert_true(a.pss <= a.high);
}

static void what_fits_stays(void **state)
{
	struct estimate e = guess_of(10 * MIB, 5 * MIB);
	struct ceiling c;

	(void)state;
	ceiling_begin(&c);
	add_known(&c, 100 * MIB, 30 * MIB);
	assert_false(ceiling_end(&c, 90 * MIB, 20 * MIB)); /* nobody is guessed */
	ceiling_add_guess(&c, &e);
	assert_false(ceiling_end(&c, 110 * MIB, 35 * MIB));
	assert_true(ceiling_end(&c, 109 * MIB, 35 * MIB));
	assert_true(ceiling_end(&c, 110 * MIB, 34 * MIB));
	/* None is left where others are estimated at more than there is: then the bound alone may be any. */
	assert_true(ceiling_end(&c, 100 * MIB, 30 * MIB));
	ceiling_lower(&c, &(struct estimate_now){10 * MIB, 5 * MIB, 0}, &e);
	assert_int_equal(e.pss, 0);
	assert_int_equal(e.uss, 0);
	assert_int_equal(e.high, 15 * MIB);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_has_more_than_there_is),
		cmocka_unit_test(together_they_are_what_is_left),
		cmocka_unit_test(what_fits_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
