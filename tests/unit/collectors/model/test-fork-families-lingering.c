/* SPDX-License-Identifier: Apache-2.0 */
/* Tests measurements beside members that have exited and still free their memory (folk.h). */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/fork-families-private.h"
#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)

/* Process I has exited, as statm shows, and its pages are still mapped. */
static void end_lingering(struct folk *f, unsigned int i)
{
	f->alive &= ~world_bit(i);
	f->listed &= ~world_bit(i);
	f->measured[i] = false;
	folk_notice(f);
	families_gone(&f->families, &f->member[i]);
}

/*
 * Measures process 1 with SHARED bytes that count PSS bytes in it. Returns the number of sharers
 * that follows, itself included.
 */
static uint32_t then_of(struct folk *f, uint64_t shared, uint64_t pss)
{
	const struct estimate_base b = {.anon = shared + 3 * MIB,
		.pss_anon = pss + 3 * MIB,
		.uss = 3 * MIB,
		.has_parts = true};

	assert_int_equal(families_measured(&f->families, &f->member[1], f->image[1],
				 f->image[1] + 1, NULL, &b, f->now),
		0);
	return f->member[1].then;
}

/* A server and six workers, of which two exit. */
static void start_family(struct folk *f)
{
	folk_start_server(f);
	folk_fork_workers(f, 6);
	folk_measure_all(f, 0);
}

/* Lingering sharers count only if the shared memory implies a whole number of sharers. */
static void counts_whole_numbers(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 7), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 6), 6);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 5), 5); /* none of the exited lingers */
	/*
	 * A larger number implies a sharer that no pass has seen. A smaller one implies that not
	 * all members share the memory.
	 */
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 8), 7);
	assert_int_equal(f->member[1].unseen, 1);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 4), 5);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 2), 5);
	/* Within rounding of seven; or a part is shared by six and a part by seven. */
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 100 / 697), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 100 / 703), 7);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 10 / 68), 5);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB * 10 / 65), 5);
	assert_int_equal(then_of(f, 42 * MIB, 0), 5);
}

/* If little memory is shared, rounding alone may imply another number. */
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

/*
 * Members that exited in an earlier pass are gone. An additional sharer is one that no pass has
 * seen.
 */
static void counts_exits_of_this_pass(void **state)
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
	/* Some time after the list, a new process is more likely than a lingering one. */
	f->now += 20 * KIB * KIB;
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 5), 4);
	assert_int_equal(f->member[1].unseen, 1);
}

/* A process that turns out to be of another family does not linger. */
static void counts_exited_processes_only(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_notice(f);
	f->image[6]++;
	folk_measure(f, 6);
	assert_int_equal(f->member[1].family->deaths.count, 1);
	assert_int_equal(then_of(f, 42 * MIB, 42 * MIB / 7), 6);
}

/* Measures one member after the family learned of two exits, and before the pages are freed. */
static void measure_beside_the_lingering(struct folk *f)
{
	start_family(f);
	end_lingering(f, 5);
	end_lingering(f, 6);
	while (families_affected(&f->families))
		;
	folk_measure(f, 1);
	world_unmap_all(&f->world, 5);
	world_unmap_all(&f->world, 6);
	folk_settle(f);
}

/* A member that was measured after the exits were noticed learns of lingering members again. */
static void learns_of_exits_again(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	measure_beside_the_lingering(f);
	assert_int_equal(f->member[1].then, 7);
	assert_int_equal(f->member[1].kept, 5);
	assert_true(f->doubt[1].anon_mid > 0);
	folk_assert_bounds(f, 1);
}

/* The additional sharer may be a newborn, and not a lingering process. */
static void allows_for_a_newborn_instead(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_family(f);
	folk_end(f, 5);
	folk_end(f, 6);
	while (families_affected(&f->families))
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

/*
 * Its measurement, with the exited processes as sharers, does not correct members that were
 * measured earlier.
 */
static void corrects_no_others(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	measure_beside_the_lingering(f);
	folk_assert_all_within(f, 10);
	folk_assert_all_bounds(f);
}

/* Process I exits, as statm shows, and the kernel begins to free its memory. */
static void begin_to_leave(struct folk *f, unsigned int i)
{
	f->measured[i] = false;
	f->alive &= ~world_bit(i);
	f->listed &= ~world_bit(i);
	families_leaves(&f->families, &f->member[i]);
}

/*
 * Two processes exit; one of them is still listed in the next pass. A process that is measured in
 * between may share with none, one or both.
 */
static void counts_exiting_processes_until_they_are_gone(void **state)
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
	families_gone(&f->families, &f->member[5]);
	folk_settle(f);
	folk_assert_all_bounds(f);
	f->now += 50 * KIB * KIB;
	folk_measure(f, 2);
	assert_int_equal(f->member[2].lasting + f->member[2].unseen, 0);
	world_unmap_all(&f->world, 6);
	folk_assert_bounds(f, 1);
	folk_notice(f);
	families_gone(&f->families, &f->member[6]);
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
		cmocka_unit_test(counts_exits_of_this_pass),
		cmocka_unit_test(counts_exited_processes_only),
		cmocka_unit_test(learns_of_exits_again),
		cmocka_unit_test(allows_for_a_newborn_instead),
		cmocka_unit_test(corrects_no_others),
		cmocka_unit_test(counts_exiting_processes_until_they_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
