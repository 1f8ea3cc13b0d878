/* SPDX-License-Identifier: Apache-2.0 */
/* Tests measurements that imply sharers which no pass has listed, or lists any more (folk.h). */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/fork-families-private.h"
#include "tests/unit/support/model/folk.h"

#define MIB  (UINT64_C(1) << 20)
#define MSEC UINT64_C(1000000)

/*
 * A process that is measured while an exited member frees its memory shares with that member, and
 * soon no longer does.
 */
static void counts_lingering_sharers(void **state)
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
		families_gone(&f->families, &f->member[i]);
	}
	world_unmap_all(&f->world, 2);
	folk_measure(f, 1); /* shares with the server and 3 */
	world_unmap_all(&f->world, 3);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 3);
	folk_assert_bounds(f, 1);
	folk_assert_all_within(f, 10);
	/* without an exit in the pass, no process lingers */
	folk_measure_all(f, 0);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 2);
}

/* A server and three workers, each measured in two passes. */
static void start_family(struct folk *f)
{
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	folk_measure_all(f, 0);
}

/*
 * A process lives between two passes. Members that were measured meanwhile no longer share with it.
 */
static void forgets_a_short_lived_sharer(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	folk_measure(f, 2);
	family_mark(&f->families, f->member[1].family);
	folk_settle(f);
	assert_int_equal(f->member[1].unseen, 1);
	assert_int_equal(f->member[2].unseen, 1);
	assert_int_equal(f->doubt[1].anon_mid, 0); /* it may still be there */
	folk_end_unseen(f, 40);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
	/* Or it was another process, which stays. */
	assert_true(folk_estimate(f, 1).low <= f->base[1].pss_anon + f->base[1].pss_file);
}

/* A measurement with such a sharer corrects no others: the correction would stay after its exit. */
static void corrects_no_others_with_it(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_end(f, 3);
	folk_settle(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	folk_end_unseen(f, 40);
	folk_settle(f);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/* If the sharer is listed in the next pass, it counts once. */
static void counts_a_listed_sharer_once(void **state)
{
	(void)state;
	for (unsigned int early = 0; early < 2; early++) {
		AUTO_FOLK struct folk *f = folk_new();
		uint64_t born_ns;

		start_family(f);
		folk_notice(f);
		/*
		 * Start times have a resolution of 10 ms, so it may be open whether the process was
		 * born before the measurement.
		 */
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

/*
 * A process with another address range, which looks like another image, shares all of it: it is not
 * expected to exit soon.
 */
static void knows_lasting_sharers(void **state)
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

/*
 * A parent with another address range also shares a part, so the number of sharers is not whole. It
 * is known that it may share so much.
 */
static void finds_a_sharer_besides_a_parent(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 50);
	folk_allocate(f, 50, 100 * MIB);
	folk_fork_unseen(f, 50, 0);
	folk_start_server(f);
	folk_fork_workers(f, 3);
	for (unsigned int i = 0; i < 4; i++)
		families_inherits(&f->member[i], &(struct share_count_outside){100 * MIB, 1});
	folk_measure_all(f, 0);
	folk_measure_all(f, 0);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 1);
	assert_int_equal(f->member[1].unseen, 1);
	folk_end_unseen(f, 40);
	folk_settle(f);
	folk_settle(f);
	folk_assert_bounds(f, 1);
	assert_in_range(folk_estimate(f, 1).pss, folk_truth(f, 1) - MIB, folk_truth(f, 1) + MIB);
}

/*
 * A process that is found to have exited after all were polled may have been there at a measurement
 * or not, however late that is.
 */
static void allows_for_late_exits(void **state)
{
	(void)state;
	for (unsigned int late = 0; late < 2; late++) {
		AUTO_FOLK struct folk *f = folk_new();

		start_family(f);
		folk_notice(f);
		families_polled(&f->families, f->now + 1);
		if (late)
			folk_settle(f);
		world_unmap_all(&f->world, 3);
		folk_measure(f, 1);
		f->alive &= ~world_bit(3);
		f->listed &= ~world_bit(3);
		f->measured[3] = false;
		families_gone(&f->families, &f->member[3]);
		folk_settle(f);
		assert_int_equal(f->member[1].unsure, 1);
		assert_int_equal(f->member[2].unsure, 0);
		folk_assert_all_bounds(f);
		folk_assert_all_within(f, 10);
		folk_settle(f);
		assert_int_equal(f->member[1].unsure, 1);
	}
}

/* A member that was measured after that has not seen it. */
static void distinguishes_exits_by_order(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	families_polled(&f->families, f->now + 1);
	folk_measure(f, 2);
	folk_end(f, 3);
	folk_measure(f, 1);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 0);
	assert_int_equal(f->member[2].unsure, 1);
	folk_assert_all_bounds(f);
}

/* A process without known sharers is measured together with a child that exits soon. */
static void doubts_sharers_of_a_lone_process(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_allocate(f, 0, 512 * MIB);
	folk_settle(f);
	folk_notice(f);
	folk_fork_unseen(f, 0, 40);
	folk_measure(f, 0);
	folk_end_unseen(f, 40);
	folk_settle(f);
	assert_true(folk_estimate(f, 0).low <= 256 * MIB); /* or the child stays */
	folk_assert_bounds(f, 0);
	folk_measure(f, 0);
	folk_settle(f);
	assert_int_equal(folk_estimate(f, 0).low, 512 * MIB);
	assert_int_equal(folk_estimate(f, 0).high, 512 * MIB);
	/* Another additional sharer is a new one, then. */
	folk_notice(f);
	folk_fork_unseen(f, 0, 41);
	folk_measure(f, 0);
	folk_end_unseen(f, 41);
	folk_settle(f);
	folk_settle(f);
	folk_assert_bounds(f, 0);
	assert_int_equal(folk_estimate(f, 0).pss, 512 * MIB);
}

/* At the same time some of its workers may exit. */
static void doubts_sharers_besides_exits(void **state)
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
		folk_end_unseen(f, i);
	}
	for (unsigned int i = 1; i < 4; i++)
		folk_end(f, i);
	folk_settle(f);
	folk_assert_bounds(f, 0);
}

/*
 * The same doubt applies to sharers that the first measurements of a family imply. A later
 * measurement counts for all members.
 */
static void doubts_first_lasting_sharers(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_fork_unseen(f, 0, 40);
	for (unsigned int i = 0; i < 4; i++)
		folk_measure(f, i);
	folk_settle(f);
	folk_end_unseen(f, 40);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_measure(f, 1);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
	assert_true(folk_estimate(f, 0).low <= f->base[0].pss_anon + f->base[0].pss_file);
}

/* A member that shares next to nothing does not show how many processes share with the others. */
static void learns_from_members_that_share(void **state)
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

/* A process that turns out to be of another family keeps its memory, and shares it. */
static void follows_a_change_of_family(void **state)
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
	/* a process that exits later does exit */
	folk_settle(f);
	folk_end(f, 3);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	folk_assert_all_bounds(f);
}

/*
 * Two newborns may have been there at a measurement. One exits, which does not prove that the other
 * one was there.
 */
static void counts_an_exit_once(void **state)
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

/* A sharer that counted as lasting may be the one that is listed next. */
static void identifies_the_found_sharer(void **state)
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
	family_mark(&f->families, f->member[1].family);
	folk_settle(f);
	assert_int_equal(f->member[1].lasting, 1);
	/* but here it is the new one */
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

/* A process that is listed two passes later, because it had another name, had not exited. */
static void restores_a_sharer_listed_late(void **state)
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
	assert_int_equal(families_born(&f->families, &f->member[40], NULL, born_ns), 0);
	folk_measure(f, 40);
	folk_settle(f);
	assert_int_equal(f->member[1].then, 5);
	assert_int_equal(f->member[1].unsure, 0);
	assert_int_equal(f->member[1].gone, 0);
	folk_assert_bounds(f, 1);
}

/* A child with another address range shares its parent's memory as others do. */
static void allows_for_a_child_with_another_range(void **state)
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
		assert_int_equal(families_departs(&f->families, &f->member[i], &f->member[0]), 0);
		folk_settle(f);
		folk_assert_bounds(f, 0);
	}
	/* They may not share it any more, and exit. */
	for (unsigned int i = 40; i < 43; i++) {
		folk_end(f, i);
		folk_settle(f);
		folk_assert_bounds(f, 0);
	}
	/* a new measurement includes the child */
	folk_measure(f, 0);
	assert_int_equal(families_departs(&f->families, &f->member[42], &f->member[0]), 0);
	folk_settle(f);
	assert_int_equal(f->doubt[0].anon_down, 0);
	folk_assert_bounds(f, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_lingering_sharers),
		cmocka_unit_test(forgets_a_short_lived_sharer),
		cmocka_unit_test(corrects_no_others_with_it),
		cmocka_unit_test(counts_a_listed_sharer_once),
		cmocka_unit_test(knows_lasting_sharers),
		cmocka_unit_test(finds_a_sharer_besides_a_parent),
		cmocka_unit_test(allows_for_late_exits),
		cmocka_unit_test(distinguishes_exits_by_order),
		cmocka_unit_test(doubts_sharers_of_a_lone_process),
		cmocka_unit_test(doubts_sharers_besides_exits),
		cmocka_unit_test(doubts_first_lasting_sharers),
		cmocka_unit_test(learns_from_members_that_share),
		cmocka_unit_test(follows_a_change_of_family),
		cmocka_unit_test(counts_an_exit_once),
		cmocka_unit_test(identifies_the_found_sharer),
		cmocka_unit_test(restores_a_sharer_listed_late),
		cmocka_unit_test(allows_for_a_child_with_another_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
