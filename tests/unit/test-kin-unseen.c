/* SPDX-License-Identifier: Apache-2.0 */
/* Of whom a measurement tells that no pass has listed, or does any more. */
#include "config.h"

#include "tests/unit/unit.h"

#include "collectors/kin-family.h"
#include "tests/unit/folk.h"

#define MIB  (UINT64_C(1) << 20)
#define MSEC UINT64_C(1000000)

/* Who is measured while one that has ended still lets go of its memory shares with that, and soon does no more. */
static void counts_those_that_linger(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	folk_notice(f);
	for (unsigned int i = 2; i <= 3; i++) {
		f->alive &= ~world_bit(i);
		f->listed &= ~world_bit(i);
		f->measured[i] = false;
		kin_gone(&f->kin, &f->member[i]);
	}
	world_unmap_all(&f->world, 2);
	folk_measure(f, 1); /* with the server and 3 */
	world_unmap_all(&f->world, 3);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 3);
	folk_assert_bounds(f, 1);
	folk_assert_all_within(f, 10);
	/* In a pass in which nobody ends nobody lingers. */
	folk_measure_all(f, 0);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 2);
}

/* A server and three workers, each of whom has been measured in two passes. */
static void start_family(struct folk *f)
{
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	folk_measure_all(f, 0);
}

/* One is born and ends between two passes: who was measured meanwhile shares with it no more. */
static void forgets_one_that_came_and_went(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	folk_measure(f, 2);
	family_mark(&f->kin, f->member[1].family);
	folk_settle(f);
	assert_int_equal(f->member[1].unseen, 1);
	assert_int_equal(f->member[2].unseen, 1);
	assert_int_equal(f->doubt[1].anon_mid, 0); /* it may be there still */
	world_unmap_all(&f->world, 40);
	f->alive &= ~world_bit(40);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
	/* Or it was somebody else, who is there for good. */
	assert_true(folk_estimate(f, 1).low <= f->base[1].pss_anon + f->base[1].pss_file);
}

/* What is found with such a one corrects nobody: it would stay. */
static void tells_others_nothing_of_it(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_end(f, 3);
	folk_settle(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	world_unmap_all(&f->world, 40);
	f->alive &= ~world_bit(40);
	folk_settle(f);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/* The same is there in the next pass, and counts once. */
static void knows_one_that_it_has_seen(void **state)
{
	(void)state;
	for (unsigned int early = 0; early < 2; early++) {
		AUTO_FOLK struct folk *f = folk_new();
		uint64_t born_ns;

		start_family(f);
		folk_notice(f);
		/* Start times are in ticks of 10 ms: whether it was born before the measurement may be open. */
		f->now += 100 * MSEC;
		folk_fork_unseen(f, 0, 40);
		born_ns = f->now - (early ? 0 : 50) * MSEC;
		folk_measure(f, 1);
		folk_settle(f);
		folk_notice_birth(f, 0, 40, born_ns);
		folk_settle(f);
		assert_int_equal(f->member[1].early, early);
		assert_int_equal(f->member[1].then, early ? 4 : 5);
		folk_assert_bounds(f, 1);
		folk_measure(f, 40);
		folk_end(f, 2);
		folk_settle(f);
		folk_assert_bounds(f, 1);
		assert_in_range(
			folk_estimate(f, 1).pss, folk_truth(f, 1) - MIB, folk_truth(f, 1) + MIB);
	}
}

/* One of another image, as far as its address range says, shares it all: that nobody is gone soon. */
static void knows_who_is_always_there(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_unseen(f, 0, 50);
	folk_start(f, 50);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(f->member[i].then, 4);
	for (unsigned int pass = 0; pass < 3; pass++) {
		folk_notice(f);
		folk_measure(f, 1);
		folk_settle(f);
		assert_int_equal(f->member[1].unseen, 0);
		folk_settle(f);
		assert_int_equal(folk_estimate(f, 1).pss, folk_truth(f, 1));
		assert_true(folk_estimate(f, 1).high <= folk_truth(f, 1) + 4096);
	}
}

/* What a parent of another range has as well makes it no whole number; that it may have so much is known. */
static void knows_one_beside_a_parent(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 50);
	folk_allocate(f, 50, 100 * MIB);
	folk_fork_unseen(f, 50, 0);
	folk_start_server(f);
	folk_fork_workers(f, 3);
	for (unsigned int i = 0; i < 4; i++)
		kin_inherits(&f->member[i], &(struct degree_outside){100 * MIB, 1});
	folk_measure_all(f, 0);
	folk_measure_all(f, 0);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	assert_int_equal(f->member[1].unseen, 1);
	world_unmap_all(&f->world, 40);
	f->alive &= ~world_bit(40);
	folk_settle(f);
	folk_settle(f);
	folk_assert_bounds(f, 1);
	assert_in_range(folk_estimate(f, 1).pss, folk_truth(f, 1) - MIB, folk_truth(f, 1) + MIB);
}

/* Who is found gone after all were looked at may have been measured with, or without; however late that is. */
static void allows_for_late_deaths(void **state)
{
	(void)state;
	for (unsigned int late = 0; late < 2; late++) {
		AUTO_FOLK struct folk *f = folk_new();

		start_family(f);
		folk_notice(f);
		kin_sensed(&f->kin, f->now + 1);
		if (late)
			folk_settle(f);
		world_unmap_all(&f->world, 3);
		folk_measure(f, 1);
		f->alive &= ~world_bit(3);
		f->listed &= ~world_bit(3);
		f->measured[3] = false;
		kin_gone(&f->kin, &f->member[3]);
		folk_settle(f);
		assert_int_equal(f->member[1].unsure, 1);
		assert_int_equal(f->member[2].unsure, 0);
		folk_assert_all_bounds(f);
		folk_assert_all_within(f, 10);
		folk_settle(f);
		assert_int_equal(f->member[1].unsure, 1);
	}
}

/* Who is measured after them has surely not seen them. */
static void knows_which_deaths_it_has_not_seen(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	kin_sensed(&f->kin, f->now + 1);
	folk_measure(f, 2);
	folk_end(f, 3);
	folk_measure(f, 1);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 0);
	assert_int_equal(f->member[2].unsure, 1);
	folk_assert_all_bounds(f);
}

/* One that nobody shares with, as far as is known, is found with a child that is gone soon. */
static void doubts_what_one_alone_has(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_allocate(f, 0, 512 * MIB);
	folk_settle(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 0);
	world_unmap_all(&f->world, 40);
	f->alive &= ~world_bit(40);
	folk_settle(f);
	assert_true(folk_estimate(f, 0).low <= 256 * MIB); /* or it is there for good */
	folk_assert_bounds(f, 0);
	folk_measure(f, 0);
	folk_settle(f);
	assert_int_equal(folk_estimate(f, 0).low, 512 * MIB);
	assert_int_equal(folk_estimate(f, 0).high, 512 * MIB);
	/* Another is new, then. */
	folk_notice(f);
	folk_fork_unseen(f, 0, 41);
	folk_measure(f, 0);
	world_unmap_all(&f->world, 41);
	f->alive &= ~world_bit(41);
	folk_settle(f);
	folk_settle(f);
	folk_assert_bounds(f, 0);
	assert_int_equal(folk_estimate(f, 0).pss, 512 * MIB);
}

/* And of its workers some may end as well. */
static void doubts_them_beside_deaths(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	for (unsigned int i = 40; i < 44; i++)
		folk_fork_unseen(f, 0, i);
	for (unsigned int i = 0; i < 4; i++)
		folk_measure(f, i);
	folk_settle(f);
	for (unsigned int i = 40; i < 44; i++) {
		world_unmap_all(&f->world, i);
		f->alive &= ~world_bit(i);
	}
	for (unsigned int i = 1; i < 4; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_assert_bounds(f, 0);
}

/* Nor is it known of those whom the first measurements of a family find; what is found later holds for all. */
static void doubts_who_is_always_there(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_fork_unseen(f, 0, 40);
	for (unsigned int i = 0; i < 4; i++)
		folk_measure(f, i);
	folk_settle(f);
	world_unmap_all(&f->world, 40);
	f->alive &= ~world_bit(40);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_measure(f, 1);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
	assert_true(folk_estimate(f, 0).low <= f->base[0].pss_anon + f->base[0].pss_file);
}

/* One that shares with next to nobody says nothing of who shares with the others. */
static void learns_from_those_who_share(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	for (unsigned int i = 50; i < 58; i++) {
		folk_fork_unseen(f, 0, i);
		folk_start(f, i);
	}
	folk_fork_workers(f, 4);
	folk_measure_all(f, 0);
	folk_notice(f);
	world_write(&f->world, 4, 512 * MIB);
	folk_fork_unseen(f, 4, 40);
	folk_measure(f, 4);
	folk_settle(f);
	folk_notice(f);
	folk_measure(f, 1);
	assert_int_equal(f->member[1].unseen, 0);
	folk_settle(f);
	folk_assert_bounds(f, 1);
	assert_int_equal(f->member[1].gone, 0);
}

/* But not that who is always there beside the others is gone: with a part of it one may share with fewer. */
static void hears_those_who_share_all(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_unseen(f, 0, 50);
	folk_start(f, 50);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	folk_map(f, 4 * MIB, 0xf, WORLD_ANON);
	folk_measure_all(f, 0);
	assert_int_equal(f->member[1].lasting, 1);
	folk_notice(f);
	world_write(&f->world, 3, 512 * MIB);
	folk_measure(f, 3);
	folk_settle(f);
	assert_int_equal(f->doubt[1].anon_mid, 0);
	/* Alone, one speaks for all that is left. */
	for (unsigned int i = 1; i < 4; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_measure(f, 0);
	folk_settle(f);
	world_unmap_all(&f->world, 50);
	f->alive &= ~world_bit(50);
	folk_notice(f);
	folk_measure(f, 0);
	folk_settle(f);
	assert_int_equal(f->member[0].family->excess.least, 0);
}

/* One that is of another family after all has what it had, and shares it. */
static void knows_who_has_moved(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_fork(f, 0, 40);
	folk_settle(f);
	folk_settle(f);
	for (unsigned int i = 0; i < 4; i++)
		folk_measure(f, i);
	folk_settle(f);
	folk_settle(f);
	f->image[40] = 4000;
	folk_measure(f, 40);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	folk_assert_all_bounds(f);
	/* Who ends after that does end. */
	folk_settle(f);
	folk_end(f, 3);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	folk_assert_all_bounds(f);
}

/* Of two whose birth may be before a measurement one ends, and by that the other was there for certain. */
static void counts_a_death_once(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t then;

	(void)state;
	start_family(f);
	folk_notice(f);
	f->now += 100 * MSEC;
	folk_fork_unseen(f, 0, 40);
	folk_fork_unseen(f, 0, 41);
	then = f->now;
	folk_measure(f, 1);
	folk_settle(f);
	folk_notice_birth(f, 0, 40, then - 5 * MSEC);
	folk_notice_birth(f, 0, 41, then - 50 * MSEC);
	folk_settle(f);
	assert_int_equal(f->member[1].early, 2);
	folk_settle(f);
	folk_end(f, 40);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 4 + 2);
	assert_int_equal(f->member[1].kept, 5);
	assert_int_equal(f->member[1].unsure, 1); /* it may not have been there */
	folk_assert_bounds(f, 1);
}

/* One that was taken to be always there may be the one that becomes known. */
static void knows_whom_it_has_found(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t then;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_notice(f);
	f->now += 100 * MSEC;
	folk_fork_unseen(f, 0, 40);
	folk_fork_unseen(f, 0, 41);
	then = f->now;
	folk_measure(f, 1);
	assert_int_equal(f->member[1].lasting, 2);
	folk_settle(f);
	folk_notice_birth(f, 0, 40, then);
	folk_settle(f);
	assert_int_equal(f->member[1].early, 1);
	assert_int_equal(f->member[1].lasting, 1);
	family_mark(&f->kin, f->member[1].family);
	folk_settle(f);
	assert_int_equal(f->member[1].lasting, 1);
	/* But it is the one that nobody has seen before. */
	folk_measure(f, 1);
	folk_notice(f);
	f->now += 100 * MSEC;
	folk_fork_unseen(f, 0, 42);
	then = f->now;
	folk_measure(f, 1);
	assert_int_equal(f->member[1].lasting, 1);
	assert_int_equal(f->member[1].unseen, 1);
	folk_settle(f);
	folk_notice_birth(f, 0, 42, then);
	folk_settle(f);
	assert_int_equal(f->member[1].lasting, 1);
}

/* One that becomes known later than in the next pass, for it had another name, was not gone. */
static void takes_back_one_that_is_there(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t born_ns;

	(void)state;
	start_family(f);
	folk_notice(f);
	f->now += 100 * MSEC;
	folk_fork_unseen(f, 0, 40);
	born_ns = f->now - 50 * MSEC;
	folk_measure(f, 1);
	folk_settle(f);
	folk_settle(f);
	assert_int_equal(f->member[1].gone, 1);
	folk_notice(f);
	assert_int_equal(kin_born(&f->kin, &f->member[40], NULL, born_ns), 0);
	folk_measure(f, 40);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 5);
	assert_int_equal(f->member[1].unsure, 0);
	assert_int_equal(f->member[1].gone, 0);
	folk_assert_bounds(f, 1);
}

/* A child of another range has its parent's memory as others have. */
static void knows_a_child_that_departs(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_allocate(f, 0, 512 * MIB);
	folk_measure(f, 0);
	folk_settle(f);
	for (unsigned int i = 40; i < 43; i++) {
		folk_fork_unseen(f, 0, i);
		f->now += MSEC;
		folk_start(f, i);
		folk_measure(f, i);
		assert_int_equal(kin_departs(&f->kin, &f->member[i], &f->member[0]), 0);
		folk_settle(f);
		folk_assert_bounds(f, 0);
	}
	/* They may have nothing of it any more, and end. */
	for (unsigned int i = 40; i < 43; i++) {
		folk_end(f, i);
		folk_settle(f);
		folk_assert_bounds(f, 0);
	}
	/* What it is measured with it knows. */
	folk_measure(f, 0);
	assert_int_equal(kin_departs(&f->kin, &f->member[42], &f->member[0]), 0);
	folk_settle(f);
	assert_int_equal(f->doubt[0].anon_down, 0);
	folk_assert_bounds(f, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_those_that_linger),
		cmocka_unit_test(forgets_one_that_came_and_went),
		cmocka_unit_test(tells_others_nothing_of_it),
		cmocka_unit_test(knows_one_that_it_has_seen),
		cmocka_unit_test(knows_who_is_always_there),
		cmocka_unit_test(knows_one_beside_a_parent),
		cmocka_unit_test(allows_for_late_deaths),
		cmocka_unit_test(knows_which_deaths_it_has_not_seen),
		cmocka_unit_test(doubts_what_one_alone_has),
		cmocka_unit_test(doubts_them_beside_deaths),
		cmocka_unit_test(doubts_who_is_always_there),
		cmocka_unit_test(learns_from_those_who_share),
		cmocka_unit_test(hears_those_who_share_all),
		cmocka_unit_test(knows_who_has_moved),
		cmocka_unit_test(counts_a_death_once),
		cmocka_unit_test(knows_whom_it_has_found),
		cmocka_unit_test(takes_back_one_that_is_there),
		cmocka_unit_test(knows_a_child_that_departs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
