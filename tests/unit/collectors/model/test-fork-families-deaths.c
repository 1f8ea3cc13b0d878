/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests how exits change the PSS of the exited processes' sharers, and how the measurement of one
 * sharer corrects the others (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

static void follows_exits_of_half_the_workers(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	for (unsigned int i = 1; i <= 20; i++)
		world_write(&f->world, i, 16 * MIB);
	world_touch_files(&f->world, 1, 20);
	folk_measure_all(f, 10 * MIB);
	for (unsigned int i = 11; i <= 20; i++)
		folk_end(f, i);
	folk_settle(f);
	assert_int_equal(f->visits, 11);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 30);
	folk_measure(f, 1);
	folk_settle(f);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/*
 * Starts a family of eleven and an unrelated process. Ten members share memory of KIND in pairs.
 * All are measured.
 */
static void start_pairs(struct folk *f, enum world_kind kind)
{
	folk_start(f, 0);
	folk_map(f, 256 * MIB, world_bit(0), WORLD_ANON);
	folk_measure(f, 0);
	folk_settle(f);
	folk_fork_workers(f, 11);
	for (unsigned int i = 1; i <= 10; i += 2)
		folk_map(f, 64 * MIB, world_bit(i) | world_bit(i + 1), kind);
	folk_measure_all(f, 0);
	folk_settle(f);
}

static void end_one_of_each_pair(struct folk *f)
{
	for (unsigned int i = 2; i <= 10; i += 2)
		folk_end(f, i);
	folk_settle(f);
}

/*
 * If not all members share all pages, the number of exits alone gives wrong guesses. One
 * measurement corrects the others.
 */
static void one_measurement_corrects_others(void **state)
{
	(void)state;
	for (enum world_kind kind = WORLD_ANON; kind <= WORLD_FILES; kind++) {
		AUTO_FOLK struct folk *f = folk_new();

		start_pairs(f, kind);
		end_one_of_each_pair(f);
		folk_assert_all_bounds(f);
		assert_true(folk_estimate(f, 3).pss < folk_truth(f, 3) * 9 / 10);
		/* the second measurement finds the same */
		for (unsigned int i = 1; i <= 5; i += 4) {
			folk_measure(f, i);
			folk_settle(f);
			assert_true(folk_estimate(f, 3).pss >= folk_truth(f, 3) * 99 / 100);
			assert_true(folk_estimate(f, 3).pss <= folk_truth(f, 3) * 101 / 100);
		}
		folk_assert_all_bounds(f);
	}
}

/* A correction does not apply to later events. */
static void corrections_end_with_new_events(void **state)
{
	(void)state;
	for (unsigned int birth = 0; birth < 2; birth++) {
		AUTO_FOLK struct folk *f = folk_new();
		int64_t guessed, learnt, new;

		start_pairs(f, WORLD_ANON);
		end_one_of_each_pair(f);
		guessed = f->doubt[3].anon_mid;
		folk_measure(f, 1);
		folk_settle(f);
		learnt = f->doubt[3].anon_mid;
		assert_true(learnt > guessed + (int64_t)(8 * MIB));
		if (birth)
			folk_fork(f, 9, 20);
		else
			folk_end(f, 11);
		folk_settle(f);
		new = f->doubt[3].anon_mid;
		/* by the mean, one more exit adds 12 MiB; with the correction it would be 30 */
		assert_true(new < guessed + (int64_t)(birth ? 0 : 16) * (int64_t)MIB);
		folk_assert_all_bounds(f);
	}
}

/*
 * What a member found after many events does not correct a member that has seen only the last of
 * them.
 */
static void corrects_after_as_many_events(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	int64_t old, late;

	(void)state;
	start_pairs(f, WORLD_ANON);
	for (unsigned int i = 2; i <= 6; i += 2)
		folk_end(f, i);
	folk_settle(f);
	folk_measure(f, 5);
	folk_end(f, 11);
	folk_settle(f);
	old = f->doubt[3].anon_mid;
	late = f->doubt[5].anon_mid;
	folk_measure(f, 1);
	folk_settle(f);
	assert_true(f->doubt[3].anon_mid > old + (int64_t)(8 * MIB));
	assert_int_equal(f->doubt[5].anon_mid, late);
}

/*
 * Numbers of events that differ by up to an eighth count as equal: a finding after 16 events
 * corrects a member with 14, and not one with fewer.
 */
static void corrects_after_nearly_as_many_events(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	int64_t enough, less;

	(void)state;
	folk_start(f, 0);
	folk_map(f, 256 * MIB, world_bit(0), WORLD_ANON);
	folk_measure(f, 0);
	folk_settle(f);
	folk_fork_workers(f, 40);
	for (unsigned int i = 1; i <= 40; i += 2)
		folk_map(f, 64 * MIB, world_bit(i) | world_bit(i + 1), WORLD_ANON);
	folk_measure_all(f, 0);
	folk_settle(f);
	for (unsigned int ended = 0, i = 40; ended < 16; ended++, i -= 2) {
		folk_end(f, i);
		folk_settle(f);
		if (ended == 1)
			folk_measure(f, 5);
		else if (ended == 2)
			folk_measure(f, 7);
	}
	enough = f->doubt[5].anon_mid;
	less = f->doubt[7].anon_mid;
	folk_measure(f, 39);
	folk_settle(f);
	assert_true(f->doubt[5].anon_mid > enough + (int64_t)MIB);
	assert_int_equal(f->doubt[7].anon_mid, less);
}

/*
 * A child does not share private memory that its parent gained later, so a parent is unlike the
 * other members.
 */
static void corrects_no_parents(void **state)
{
	(void)state;
	for (unsigned int first = 1; first <= 3; first += 2) {
		AUTO_FOLK struct folk *f = folk_new();
		int64_t parent, other;

		start_pairs(f, WORLD_ANON);
		end_one_of_each_pair(f);
		folk_fork(f, 3, 20);
		folk_settle(f);
		parent = f->doubt[3].anon_mid;
		other = f->doubt[5].anon_mid;
		folk_measure(f, first);
		folk_settle(f);
		if (first == 1) {
			assert_int_equal(f->doubt[3].anon_mid, parent);
			assert_true(f->doubt[5].anon_mid > other + (int64_t)(8 * MIB));
		} else {
			assert_int_equal(f->doubt[5].anon_mid, other);
		}
	}
}

/* A member that saw no births and exits since its last measurement does not correct the others. */
static void learns_of_events_alone(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	int64_t learnt;

	(void)state;
	start_pairs(f, WORLD_ANON);
	end_one_of_each_pair(f);
	folk_measure(f, 1);
	folk_settle(f);
	learnt = f->doubt[3].anon_mid;
	world_write(&f->world, 1, 100 * MIB);
	folk_measure(f, 1);
	folk_settle(f);
	assert_int_equal(f->doubt[3].anon_mid, learnt);
}

/*
 * A member that was measured later is not corrected by an earlier finding, whatever it has yet to
 * lose.
 */
static void corrects_those_measured_before(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	start_pairs(f, WORLD_ANON);
	for (unsigned int i = 2; i <= 10; i += 2) {
		f->alive &= ~world_bit(i);
		f->listed &= ~world_bit(i);
		f->measured[i] = false;
		folk_notice(f);
		families_gone(&f->families, &f->member[i]);
	}
	while (families_affected(&f->families))
		;
	folk_measure(f, 1);
	folk_measure(f, 11); /* together with all that exited */
	for (unsigned int i = 2; i <= 10; i += 2)
		world_unmap_all(&f->world, i);
	folk_settle(f);
	assert_int_equal(f->member[11].then, 12);
	assert_true(folk_estimate(f, 11).pss >= folk_truth(f, 11) * 99 / 100);
	assert_true(folk_estimate(f, 11).pss <= folk_truth(f, 11) * 101 / 100);
}

/* A member does not attribute its own writes and releases to the exits. */
static void ignores_own_writes_and_releases(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_map(f, 200 * MIB, world_bit(0), WORLD_ANON);
	folk_map(f, 56 * MIB, world_bit(0), WORLD_ANON); /* block 1 */
	folk_measure(f, 0);
	folk_settle(f);
	folk_fork_workers(f, 19);
	folk_measure_all(f, 0);
	folk_settle(f);
	folk_end(f, 19);
	folk_settle(f);
	world_write(&f->world, 1, 100 * MIB);
	folk_measure(f, 1);
	folk_settle(f);
	for (unsigned int i = 2; i < 19; i++)
		assert_true(folk_estimate(f, i).pss <= 256 * MIB / 19 + MIB);
	folk_measure_all(f, 0);
	folk_settle(f);
	folk_end(f, 18);
	folk_settle(f);
	f->world.block[1].mask &= ~world_bit(2);
	folk_measure(f, 2);
	folk_settle(f);
	assert_int_equal(f->member[3].family == f->member[2].family, true);
	for (unsigned int i = 3; i < 18; i++)
		assert_true(folk_estimate(f, i).pss <= folk_truth(f, i) + MIB &&
			    folk_truth(f, i) <= folk_estimate(f, i).pss + MIB);
}

/* Only exits of one pass may have an unknown order. */
static void counts_unsure_exits_of_one_pass(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 10);
	folk_measure_all(f, 0);
	folk_settle(f);
	folk_end(f, 10);
	folk_end(f, 9);
	folk_settle(f);
	folk_measure(f, 1);
	folk_end(f, 8);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	assert_int_equal(f->member[2].unsure, 0);
	folk_end(f, 7);
	folk_end(f, 6);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	folk_assert_all_bounds(f);
}

/*
 * Each exit counts once, however often the family is visited. A member that was measured after the
 * exits were noticed has seen them.
 */
static void counts_exits_once(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 10);
	folk_measure_all(f, 0);
	folk_measure(f, 1);
	folk_end(f, 10);
	folk_measure(f, 2);
	while (families_affected(&f->families))
		;
	folk_measure(f, 3); /* may correct the others, so that they are visited again */
	folk_fork(f, 0, 20);
	folk_settle(f);
	assert_int_equal(f->member[1].unsure, 1);
	assert_int_equal(f->member[2].unsure, 0);
}

/* An exit between two passes may have happened before or after a measurement. */
static void allows_for_the_order_of_an_exit(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 3);
	folk_measure_all(f, 0);
	world_unmap_all(&f->world, 3);
	folk_measure(f, 1); /* sees it gone; 2 was measured when it was not */
	folk_end(f, 3);
	folk_settle(f);
	folk_assert_all_bounds(f);
	assert_true(f->doubt[1].anon_down + f->doubt[1].anon_up > 0);
	folk_assert_all_within(f, 10);
}

/*
 * Only exited members can be of unknown order. A process that turns out to be of another family
 * never was a member of this one.
 */
static void only_exits_are_unsure(void **state)
{
	(void)state;
	for (unsigned int presumed = 0; presumed < 2; presumed++) {
		AUTO_FOLK struct folk *f = folk_new();

		/* Three of four share it, so one sharer more or fewer looks like all. */
		folk_start(f, 0);
		folk_allocate(f, 0, 4 * MIB);
		folk_measure(f, 0);
		folk_settle(f);
		folk_fork_workers(f, 3);
		folk_map(f, 300 * MIB, 7, WORLD_ANON);
		folk_measure_all(f, 0);
		folk_settle(f);
		folk_measure(f, 1);
		f->now += SEC;
		folk_fork(f, 3, 4);
		if (presumed) {
			folk_notice_birth(f, 3, 5, f->now);
			f->alive |= world_bit(5);
			f->image[5] = 77;
			folk_allocate(f, 5, MIB);
			folk_measure(f, 5);
		}
		folk_settle(f);
		assert_int_equal(f->member[1].unsure, presumed);
		assert_int_equal(f->member[1].fresh, 1);
		assert_int_equal(f->member[1].kept, f->member[1].then);
		assert_true(folk_estimate(f, 1).pss >= 300 * MIB / 3 * 3 / 4);
		folk_assert_bounds(f, 1);
	}
}

/* Two of four members touched a file of their own: an exit never lowers an estimate. */
static void never_falls_by_an_exit(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start(f, 0);
	folk_allocate(f, 0, 16 * MIB);
	folk_measure(f, 0);
	folk_settle(f);
	folk_fork_workers(f, 3);
	folk_map(f, 32 * MIB, world_bit(0) | world_bit(1), WORLD_FILES);
	folk_measure_all(f, 64 * MIB);
	folk_settle(f);
	folk_end(f, 3);
	folk_settle(f);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(
			folk_estimate(f, i).pss + KIB >= f->base[i].pss_anon + f->base[i].pss_file);
	folk_assert_all_bounds(f);
}

/* A rounding error of one KiB grows with the estimate. */
static void lets_rounding_grow(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	struct estimate_doubt exact, rounded;
	struct estimate_now now;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 19);
	world_touch_files(&f->world, 1, 19);
	folk_measure_all(f, 10 * MIB);
	folk_settle(f);
	for (unsigned int i = 10; i < 20; i++)
		folk_end(f, i);
	folk_settle(f);
	f->base[1].rounding = 0;
	now = folk_now(f, 1);
	assert_true(families_doubt(&f->member[1], &f->base[1], &now, &f->doubt[1]));
	exact = folk_doubt(f, 1);
	f->base[1].rounding = 100 * KIB;
	assert_true(families_doubt(&f->member[1], &f->base[1], &now, &f->doubt[1]));
	rounded = folk_doubt(f, 1);
	assert_true(rounded.anon_up - exact.anon_up >= 95 * KIB);
	assert_true(rounded.anon_up - exact.anon_up <= 105 * KIB);
	assert_true(rounded.file_up >= exact.file_up + 80 * KIB);
}

/* A member exits while the affected members are visited. */
static void visits_survive_an_exit(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	struct family_member *m;
	unsigned int visits = 0;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 5);
	folk_measure_all(f, 10 * MIB);
	folk_settle(f);
	folk_end(f, 5);
	m = families_affected(&f->families);
	assert_ptr_equal(m, &f->member[0]);
	folk_end(f, 1);
	f->member[1].measured_ns = UINT64_MAX; /* its memory is reused */
	while ((m = families_affected(&f->families)) && visits < 100) {
		assert_ptr_not_equal(m, &f->member[1]);
		visits++;
	}
	f->member[1] = (struct family_member){0};
	/* 2, 3 and 4, and again all four after the second exit */
	assert_true(visits >= 7 && visits < 100);
}

/* Processes that live between two measurements leave no doubt behind. */
static void forgets_short_lived_processes(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	for (unsigned int round = 0; round < 50; round++) {
		folk_fork(f, 1, 40);
		folk_fork(f, 2, 41);
		folk_settle(f);
		assert_true(f->doubt[3].anon_mid < 0);
		folk_assert_all_bounds(f);
		folk_end(f, 40);
		folk_end(f, 41);
		folk_settle(f);
		assert_int_equal(f->doubt[3].anon_mid, 0);
		assert_int_equal(f->doubt[3].anon_down, 0);
		assert_int_equal(f->doubt[3].anon_up, 0);
		folk_assert_all_bounds(f);
	}
}

/* Bounds are narrow if all members share all pages. */
static void bounds_are_narrow(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	world_touch_files(&f->world, 1, 20);
	folk_measure_all(f, 10 * MIB);
	folk_settle(f); /* so that the order of events is certain */
	for (unsigned int i = 11; i <= 20; i++)
		folk_end(f, i);
	folk_settle(f);
	assert_true(folk_width(f) <= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_exits_of_half_the_workers),
		cmocka_unit_test(one_measurement_corrects_others),
		cmocka_unit_test(corrections_end_with_new_events),
		cmocka_unit_test(corrects_after_as_many_events),
		cmocka_unit_test(corrects_after_nearly_as_many_events),
		cmocka_unit_test(corrects_no_parents),
		cmocka_unit_test(learns_of_events_alone),
		cmocka_unit_test(corrects_those_measured_before),
		cmocka_unit_test(ignores_own_writes_and_releases),
		cmocka_unit_test(counts_unsure_exits_of_one_pass),
		cmocka_unit_test(counts_exits_once),
		cmocka_unit_test(allows_for_the_order_of_an_exit),
		cmocka_unit_test(only_exits_are_unsure),
		cmocka_unit_test(never_falls_by_an_exit),
		cmocka_unit_test(lets_rounding_grow),
		cmocka_unit_test(visits_survive_an_exit),
		cmocka_unit_test(forgets_short_lived_processes),
		cmocka_unit_test(bounds_are_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
