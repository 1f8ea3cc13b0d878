/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests members that write to shared memory: writes that a measurement found, and suspected writes
 * (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

/*
 * Process I writes to SIZE bytes of its shared memory, and is measured. Its faults show that it
 * wrote.
 */
static void write_and_tell(struct folk *f, unsigned int i, uint64_t size)
{
	uint64_t before = folk_estimate(f, i).pss_anon, room = folk_now(f, i).anon - before;

	world_write(&f->world, i, size);
	families_broke(&f->families, &f->member[i], world_measure(&f->world, i).pss_anon - before,
		room, f->now + SEC / 1000);
	f->measured[i] = false; /* its measurement does not correct others */
	folk_measure(f, i);
}

/* A private copy leaves the old page to one sharer fewer. No counter of these sharers moves. */
static void follows_writers(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	write_and_tell(f, 7, 512 * MIB);
	folk_settle(f);
	/* all of the family; the unrelated process is not visited */
	assert_int_equal(f->visits, 21);
	assert_true(f->doubt[1].anon_mid > (int64_t)MIB);
	assert_int_equal(f->doubt[63].anon_mid, 0);
	folk_assert_all_within(f, 5);
	f->now += SEC;
	folk_measure(f, 3);
	write_and_tell(f, 8, 128 * MIB);
	folk_settle(f);
	assert_true(f->doubt[3].anon_mid < f->doubt[1].anon_mid - (int64_t)(256 * KIB));
	folk_assert_all_within(f, 20);
}

/* A writer that exits takes nothing from the others beyond what its copies took before. */
static void follows_exits_of_writers(void **state)
{
	(void)state;
	for (unsigned int part = 1; part <= 4; part += 3) {
		AUTO_FOLK struct folk *f = folk_new();

		folk_start_server(f);
		folk_fork_workers(f, 20);
		folk_measure_all(f, 0);
		for (unsigned int i = 1; i <= (part > 1 ? 20 : 10); i++)
			write_and_tell(f, i, 512 * MIB / part);
		folk_settle(f);
		for (unsigned int i = 1; i <= 10; i++)
			folk_end(f, i);
		folk_settle(f);
		folk_assert_all_within(f, 50);
		/* Nor does one that executes another program. */
		families_executed(&f->families, &f->member[11]);
		folk_end_unseen(f, 11);
		folk_settle(f);
		folk_assert_all_within(f, 50);
	}
}

/*
 * Repeated writes to the same part release it once. After a fork the part is shared again, and a
 * write releases it once more.
 */
static void follows_repeated_writes(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t left = 512 * MIB;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	for (unsigned int times = 0; times < 12; times++, left /= 2) {
		write_and_tell(f, 7, left / 2);
		folk_settle(f);
	}
	folk_assert_all_within(f, 5);
	assert_true(
		f->doubt[1].anon_mid > 0 && f->doubt[1].anon_mid < (int64_t)(512 * MIB / 20 / 19));
	for (unsigned int i = 1; i <= 20; i++)
		if (i != 7)
			folk_end(f, i);
	folk_end(f, 0);
	folk_settle(f);
	for (unsigned int times = 0; times < 2; times++) {
		folk_fork(f, 7, 8);
		folk_settle(f);
		folk_measure_all(f, 0);
		write_and_tell(f, 7, 512 * MIB);
		folk_settle(f);
		assert_true(f->doubt[8].anon_mid > (int64_t)(250 * MIB));
		folk_assert_all_within(f, 5);
		folk_end(f, 8);
		folk_settle(f);
	}
}

/*
 * If several members did not write although they were suspected to, the others are suspected less.
 */
static void scales_suspicion_by_findings(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	f->now += SEC;
	for (unsigned int i = 2; i <= 20; i++)
		families_suspect(&f->member[i], MIB, f->now);
	assert_int_equal(families_suspected(&f->member[1]), 19 * MIB);
	for (unsigned int i = 2; i <= 6; i++)
		families_asked(&f->member[i], MIB, 0);
	assert_in_range(families_suspected(&f->member[1]), 1, MIB);
	/* the same after writes of a member that was not suspected */
	families_asked(&f->member[2], 0, MIB);
	assert_in_range(families_suspected(&f->member[1]), 1, MIB);
	/* One member that wrote, and more than all others were suspected of, is enough. */
	families_asked(&f->member[7], 16 * MIB, 16 * MIB);
	assert_int_equal(families_suspected(&f->member[1]), 19 * MIB);
	for (unsigned int i = 0; i < 40; i++)
		families_asked(&f->member[8], 16 * MIB, 4 * MIB);
	assert_in_range(families_suspected(&f->member[1]), 19 * MIB / 2, 11 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_writers),
		cmocka_unit_test(follows_exits_of_writers),
		cmocka_unit_test(follows_repeated_writes),
		cmocka_unit_test(scales_suspicion_by_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
