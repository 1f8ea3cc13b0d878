/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a family that write to what it shares: who is found to have, and who is suspected. */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

/* I writes to SIZE bytes of what it shares, and is measured; its faults have told that it was itself. */
static void write_and_tell(struct folk *f, unsigned int i, uint64_t size)
{
	uint64_t before = folk_estimate(f, i).pss_anon, room = folk_now(f, i).anon - before;

	world_write(&f->world, i, size);
	kin_broke(&f->kin, &f->member[i], world_measure(&f->world, i).pss_anon - before, room,
		f->now + SEC / 1000);
	f->measured[i] = false; /* what it has says nothing of others */
	folk_measure(f, i);
}

/* Whoever has a copy of its own leaves the old pages to one fewer, and none of them has a counter that moves. */
static void follows_those_who_write(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	write_and_tell(f, 7, 512 * MIB);
	folk_settle(f);
	assert_int_equal(f->visits, 21); /* all of the family, the stranger is none */
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

/* Who had copies of its own, and ends, takes nothing from the others that it had not let go of before. */
static void follows_writers_out(void **state)
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
		/* Nor those who have executed another program. */
		kin_executed(&f->kin, &f->member[11]);
		world_unmap_all(&f->world, 11);
		f->alive &= ~world_bit(11);
		folk_settle(f);
		folk_assert_all_within(f, 50);
	}
}

/* Who writes to the same part again and again lets go of it once; to what it has shared anew, by a fork, once more. */
static void follows_one_who_goes_on_writing(void **state)
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

/* What several are suspected of, and are not found to have done, others are not believed to have done. */
static void believes_what_was_true_of_others(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure_all(f, 0);
	f->now += SEC;
	for (unsigned int i = 2; i <= 20; i++)
		kin_suspect(&f->member[i], MIB, f->now);
	assert_int_equal(kin_suspected(&f->member[1]), 19 * MIB);
	for (unsigned int i = 2; i <= 6; i++)
		kin_asked(&f->member[i], MIB, 0);
	assert_in_range(kin_suspected(&f->member[1]), 1, MIB);
	/* Nor if it was never suspected. */
	kin_asked(&f->member[2], 0, MIB);
	assert_in_range(kin_suspected(&f->member[1]), 1, MIB);
	/* One that has done it, and more than all the others were suspected of, is enough. */
	kin_asked(&f->member[7], 16 * MIB, 16 * MIB);
	assert_int_equal(kin_suspected(&f->member[1]), 19 * MIB);
	for (unsigned int i = 0; i < 40; i++)
		kin_asked(&f->member[8], 16 * MIB, 4 * MIB);
	assert_in_range(kin_suspected(&f->member[1]), 19 * MIB / 2, 11 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_those_who_write),
		cmocka_unit_test(follows_writers_out),
		cmocka_unit_test(follows_one_who_goes_on_writing),
		cmocka_unit_test(believes_what_was_true_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
