/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests estimates of a process after forks by it or by its sharers, when its memory shrinks or
 * grows afterwards.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/model/estimate.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

static struct estimate carry_in_doubt(
	const struct estimate_base *b, uint64_t anon, uint64_t file, const struct estimate_doubt *d)
{
	struct estimate_now now = {anon, file, 0};
	struct estimate e;

	estimate_carry(b, &now, d, &e);
	return e;
}

/* A fork was seen. Then the parent frees most of the memory that it shares with its child. */
static void freed_memory_takes_its_doubt_along(void **state)
{
	static const struct estimate_base b = {.anon = 600 * MIB,
		.pss_anon = 600 * MIB,
		.uss = 600 * MIB,
		.rounding = KIB,
		.has_parts = true};
	static const struct estimate_base shared = {
		.anon = 400 * MIB, .pss_anon = 100 * MIB, .rounding = KIB, .has_parts = true};
	static const struct estimate_base both = {.anon = 100 * MIB,
		.file = 20 * MIB,
		.pss_anon = 75 * MIB,
		.pss_file = 2 * MIB,
		.rounding = KIB,
		.has_parts = true};
	struct estimate_doubt d = {.anon_mid = -(int64_t)(300 * MIB), .forks = 1};
	struct estimate e = carry_in_doubt(&b, 200 * MIB, 0, &d);

	(void)state;
	assert_int_equal(e.pss, 100 * MIB);
	assert_int_equal(e.low, 100 * MIB);
	assert_int_equal(e.high, 100 * MIB + KIB);
	assert_int_equal(e.uss, 0);
	/* The parent of the newborn is not known: some of the memory may still be private. */
	d.forks = 0;
	e = carry_in_doubt(&b, 200 * MIB, 0, &d);
	assert_int_equal(e.pss, 100 * MIB);
	assert_true(e.low <= 100 * MIB && e.high >= 100 * MIB && e.high <= 200 * MIB);
	/* One of the four sharers exited; three quarters of the memory are freed. */
	d = (struct estimate_doubt){.anon_mid = (int64_t)(400 * MIB / 3 - 100 * MIB)};
	e = carry_in_doubt(&shared, 100 * MIB, 0, &d);
	assert_in_range(e.pss, 33 * MIB, 34 * MIB);
	/* All other sharers exited: the remaining memory is private, whatever is freed. */
	d = (struct estimate_doubt){.anon_mid = (int64_t)(300 * MIB)};
	e = carry_in_doubt(&shared, 100 * MIB, 0, &d);
	assert_int_equal(e.pss, 100 * MIB);
	assert_int_equal(e.low, 100 * MIB);
	/*
	 * Half was shared with a process that may have exited: all that was freed may have been
	 * private.
	 */
	d = (struct estimate_doubt){
		.anon_mid = (int64_t)(50 * MIB), .anon_down = 50 * MIB, .anon_up = 50 * MIB};
	e = carry_in_doubt(&shared, 200 * MIB, 0, &d);
	assert_int_equal(e.low, 0);
	assert_int_equal(e.high, 200 * MIB);
	/* Other processes forked as well, so that in all the upper bound hardly rises. */
	d = (struct estimate_doubt){.anon_mid = -(int64_t)(40 * MIB), .anon_up = 50 * MIB};
	e = carry_in_doubt(&shared, 100 * MIB, 0, &d);
	assert_int_equal(e.high, 100 * MIB);
	/* The same holds for files. */
	d = (struct estimate_doubt){.file_mid = -(int64_t)MIB, .file_down = MIB / 2};
	e = carry_in_doubt(&both, both.anon, both.file / 2, &d);
	assert_int_equal(e.pss_file, MIB / 2);
	assert_int_equal(e.low, 75 * MIB);
}

/* The process had grown before it forked, and shrinks below that. */
static void shares_growth_before_the_fork(void **state)
{
	static const struct {
		uint64_t now, pss, low, high, uss;
	} cases[] = {
		{1200, 700, 700, 900, 200},
		{1000, 500, 500, 700, 0},
		{800, 400, 400, 500, 0},
		{600, 300, 300, 300, 0},
		{200, 100, 100, 100, 0},
	};
	static const struct estimate_base b = {
		.anon = 600 * MIB, .pss_anon = 600 * MIB, .uss = 600 * MIB, .has_parts = true};
	struct estimate_doubt d = {
		.anon_mid = -(int64_t)(300 * MIB), .forks = 1, .forked_growth = 400 * MIB};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct estimate e = carry_in_doubt(&b, cases[i].now * MIB, 0, &d);

		assert_int_equal(e.pss, cases[i].pss * MIB);
		assert_int_equal(e.low, cases[i].low * MIB);
		assert_int_equal(e.high, cases[i].high * MIB);
		assert_int_equal(e.uss, cases[i].uss * MIB);
	}
	/* Three children share three quarters of it. */
	d.forks = 3;
	d.anon_mid = -(int64_t)(450 * MIB);
	assert_int_equal(carry_in_doubt(&b, 1000 * MIB, 0, &d).pss, 250 * MIB);
	/* Doubts add up; a doubt without forks keeps the forks of the other. */
	estimate_doubt_add(&d, &(struct estimate_doubt){0});
	assert_true(d.forks == 3 && d.forked_growth == 400 * MIB);
}

/*
 * The process had memory in swap when it forked. When pages come back, the child may have read them
 * as well, or not.
 */
static void shares_swapped_memory(void **state)
{
	static const struct estimate_base b = {.anon = 40 * MIB,
		.pss_anon = 40 * MIB,
		.uss = 40 * MIB,
		.swap = 512 * MIB,
		.swap_pss = 512 * MIB,
		.has_parts = true};
	struct estimate_doubt d = {.anon_mid = -(int64_t)(20 * MIB), .forks = 1};
	struct estimate_now now = {296 * MIB, 0, 256 * MIB};
	struct estimate_base plain_swap = b;
	struct estimate e;

	(void)state;
	estimate_carry(&b, &now, &d, &e);
	assert_int_equal(e.low, 20 * MIB);
	assert_int_equal(e.high, (20 + 256) * MIB);
	/* All pages come back, and as much is new. What had grown before the fork is shared. */
	d.forked_growth = 100 * MIB;
	now = (struct estimate_now){(40 + 512 + 200) * MIB, 0, 0};
	estimate_carry(&b, &now, &d, &e);
	assert_int_equal(e.swap_pss, 0);
	assert_int_equal(e.low, (20 + 150) * MIB);
	assert_int_equal(e.high, (20 + 512 + 200) * MIB);
	/* Pages that go to swap after the fork are shared as they were. */
	plain_swap.swap = plain_swap.swap_pss = 0;
	d = (struct estimate_doubt){.anon_mid = -(int64_t)(20 * MIB), .forks = 1};
	now = (struct estimate_now){10 * MIB, 0, 30 * MIB};
	estimate_carry(&plain_swap, &now, &d, &e);
	assert_int_equal(e.swap_pss, 15 * MIB);
	assert_int_equal(e.pss, 5 * MIB);
}

/* Doubts also apply to memory that has grown. */
static void doubts_growth(void **state)
{
	static const struct estimate_base b = {
		.anon = 10 * MIB, .pss_anon = 10 * MIB, .uss = 10 * MIB, .has_parts = true};
	struct estimate_doubt d = {.anon_down = 50 * MIB};
	struct estimate e = carry_in_doubt(&b, 100 * MIB, 0, &d);

	(void)state;
	assert_int_equal(e.pss, 100 * MIB);
	assert_int_equal(e.low, 50 * MIB);
	d = (struct estimate_doubt){.anon_mid = -(int64_t)(50 * MIB)};
	e = carry_in_doubt(&b, 100 * MIB, 0, &d);
	assert_int_equal(e.pss, 50 * MIB);
	assert_int_equal(e.low, 50 * MIB);
	assert_int_equal(e.high, 50 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freed_memory_takes_its_doubt_along),
		cmocka_unit_test(shares_growth_before_the_fork),
		cmocka_unit_test(shares_swapped_memory),
		cmocka_unit_test(doubts_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
