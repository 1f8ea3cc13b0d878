/* SPDX-License-Identifier: Apache-2.0 */
/* Those that have ended, and still let go of their memory while others are measured. */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/kin-family.h"
#include "tests/unit/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

/* I has ended, as statm says, and its pages are mapped still. */
static void end_lingering(struct folk *f, unsigned int i)
{
	f->alive &= ~world_bit(i);
	f->listed &= ~world_bit(i);
	f->measured[i] = false;
	folk_notice(f);
	kin_gone(&f->kin, &f->member[i]);
}

/* How many 1 is taken to have shared with, itself among them, when SHARED is found to be worth so much to it. */
static uint32_t then_of(struct folk *f, uint64_t shared, uint64_t pss)
{
	const struct estimate_base b = {.anon = shared + 3 * MIB,
		.pss_anon = pss + 3 * MIB,
		.uss = 3 * MIB,
		.has_parts = true};

	assert_int_equal(kin_measured(&f->kin, &f->member[1], f->image[1], f->image[1] + 1, NULL,
				 &b, f->now),
		0);
	return f->member[1].then;
}

/* A server and six workers, of whom two end. */
static void start_family(struct folk *f)
{
	folk_start_server(f);
	folk_fork_workers(f, 6);
	folk_measure_all(f, 0);
}

/* Only where all that is shared has a whole number, of whom nobody can tell who they are but by what is known. */
static void counts_whole_numbers(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 7), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 6), 6);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 5), 5); /* none of them lingers */
	/* More than there were: beside them one whom nobody has seen; fewer: not all have it. */
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 8), 7);
	assert_int_equal(f->member[1].unseen, 1);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 4), 5);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 2), 5);
	/* Nearly seven, as far as rounding may be off; or some of it six have, and some seven. */
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 100 / 697), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 100 / 703), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 10 / 68), 5);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 10 / 65), 5);
	assert_int_equal(then_of(f, 42 * MIB, 0), 5);
}

/* With little that is shared the rounding of what is found says as much. */
static void needs_enough_to_tell(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	assert_int_equal(then_of(f, 252 * KIB, 36 * KIB), 5);
	assert_int_equal(then_of(f, 259 * KIB, 37 * KIB), 7);
}

/* Those of an earlier pass are gone for good: one more is one whom nobody has seen. */
static void counts_those_of_this_pass(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	folk_settle(f);
	folk_notice(f);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 6), 5);
	assert_int_equal(f->member[1].unseen, 1);
	end_lingering(f, 4);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 5), 5);
	assert_int_equal(f->member[1].unseen, 0);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 6), 5);
	assert_int_equal(f->member[1].unseen, 1);
	/* Some time after the listing it is rather one who was born since. */
	f->now += 20 * KIB * KIB;
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 5), 4);
	assert_int_equal(f->member[1].unseen, 1);
}

/* Nor does one who is found to be of another family linger. */
static void counts_those_that_have_ended(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	f->image[6]++;
	folk_measure(f, 6);
	assert_int_equal(f->member[1].family->deaths, 1);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 7), 6);
}

/* Of a family that was told of two exits one is measured before their pages are gone. */
static void measure_beside_the_lingering(struct folk *f)
{
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	while (kin_affected(&f->kin))
		;
	folk_measure(f, 1);
	world_unmap_all(&f->world, 5);
	world_unmap_all(&f->world, 6);
	folk_settle(f);
}

/* Who is measured after all were told of the exits is told again of those that it has yet to lose. */
static void is_told_again(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	measure_beside_the_lingering(f);
	assert_int_equal(f->member[1].then, 7);
	assert_int_equal(f->member[1].kept, 5);
	assert_true(f->doubt[1].anon_mid > 0);
	folk_assert_bounds(f, 1);
}

/* It may be one born since whom it has found, and not one who lingers. */
static void allows_for_a_birth_instead(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_end(f, 5);
	folk_end(f, 6);
	while (kin_affected(&f->kin))
		;
	folk_fork_unseen(f, 0, 40);
	f->now += 15 * KIB * KIB;
	folk_measure(f, 1);
	folk_settle(f);
	folk_notice_birth(f, 0, 40, f->member[1].measured_ns - 12 * KIB * KIB);
	folk_settle(f);
	folk_assert_bounds(f, 1);
	assert_in_range(folk_estimate(f, 1).pss, folk_truth(f, 1) - MIB, folk_truth(f, 1) + MIB);
}

/* What it finds of them as if they had not ended says nothing to those who were measured before. */
static void tells_others_nothing(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	measure_beside_the_lingering(f);
	folk_assert_all_within(f, 10);
	folk_assert_all_bounds(f);
}

/* I exits, as statm says, and the kernel begins to free its memory. */
static void begin_to_leave(struct folk *f, unsigned int i)
{
	f->measured[i] = false;
	f->alive &= ~world_bit(i);
	f->listed &= ~world_bit(i);
	kin_leaves(&f->kin, &f->member[i]);
}

/* Two exit, and one of them is still listed in the next pass: a process that is measured between may share with none, one or both. */
static void counts_the_leaving_until_they_are_gone(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	begin_to_leave(f, 5);
	begin_to_leave(f, 6);
	folk_settle(f);
	assert_int_equal(f->member[1].leaving, 2);
	folk_assert_all_bounds(f);
	world_unmap_all(&f->world, 5);
	folk_assert_all_bounds(f);
	f->now += 50 * KIB * KIB;
	folk_measure(f, 1);
	assert_int_equal(f->member[1].lasting + f->member[1].unseen, 0);
	folk_notice(f);
	kin_gone(&f->kin, &f->member[5]);
	folk_settle(f);
	folk_assert_all_bounds(f);
	f->now += 50 * KIB * KIB;
	folk_measure(f, 2);
	assert_int_equal(f->member[2].lasting + f->member[2].unseen, 0);
	world_unmap_all(&f->world, 6);
	folk_assert_bounds(f, 1);
	folk_notice(f);
	kin_gone(&f->kin, &f->member[6]);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_measure(f, 1);
	assert_int_equal(f->member[1].then, 5);
	folk_assert_all_within(f, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_whole_numbers),
		cmocka_unit_test(needs_enough_to_tell),
		cmocka_unit_test(counts_those_of_this_pass),
		cmocka_unit_test(counts_those_that_have_ended),
		cmocka_unit_test(is_told_again),
		cmocka_unit_test(allows_for_a_birth_instead),
		cmocka_unit_test(tells_others_nothing),
		cmocka_unit_test(counts_the_leaving_until_they_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
