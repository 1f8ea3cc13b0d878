/* SPDX-License-Identifier: Apache-2.0 */
/* Whose measurement stands for those that were never measured, and what it does not know of them. */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/unit/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

/* One of them is read, and speaks for all. */
static void lets_one_newborn_speak(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure(f, 7);
	folk_settle(f);
	for (unsigned int i = 1; i <= 20; i++)
		if (i != 7)
			assert_ptr_equal(kin_speaker(&f->member[i]), &f->member[7]);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/* Those who speak may end. */
static void another_speaks_when_one_ends(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 4);
	folk_measure(f, 2);
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[2]);
	folk_end(f, 2);
	folk_settle(f);
	f->member[2].measured_ns = UINT64_MAX; /* its memory is another's now */
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[0]);
	f->member[2].measured_ns = 0;
	folk_measure(f, 3);
	assert_ptr_equal(kin_speaker(&f->member[4]), &f->member[3]);
	/* For those born later one of their own, once there is one. */
	f->now += SEC;
	folk_fork(f, 0, 5);
	folk_fork(f, 0, 6);
	folk_settle(f);
	assert_ptr_equal(kin_speaker(&f->member[5]), &f->member[0]);
	folk_measure(f, 6);
	assert_ptr_equal(kin_speaker(&f->member[5]), &f->member[6]);
}

/* So may those who can't be measured any more: what was found of them is void. */
static void another_speaks_when_one_is_void(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 4);
	folk_measure(f, 1);
	folk_measure(f, 2);
	kin_suspect(&f->member[2], MIB, f->now);
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[2]);
	kin_unmeasured(&f->member[2]);
	f->measured[2] = false;
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[0]);
	assert_ptr_equal(kin_speaker(&f->member[2]), &f->member[0]);
	assert_int_equal(kin_suspected(&f->member[0]), 0);
	folk_end(f, 0);
	folk_settle(f); /* which asks nothing of it */
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[1]);
	folk_measure(f, 2);
	assert_ptr_equal(kin_speaker(&f->member[3]), &f->member[2]);
	folk_measure_all(f, 0);
	folk_end(f, 3);
	folk_settle(f);
	folk_assert_all_within(f, 30);
}

/* A newborn may have touched files of its own, or such as everybody maps. */
static void does_not_know_a_newborns_files(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	struct estimate_now theirs, now;
	struct estimate_doubt doubt;

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 2);
	folk_map(f, 8 * MIB, world_bit(1), WORLD_FILES);
	folk_map(f, 40 * MIB, ~UINT64_C(0) << 2, WORLD_FILES);
	folk_assert_bounds(f, 1);
	folk_assert_bounds(f, 2);
	/* Not only because it is as unsure of the rest. */
	theirs = folk_now(f, 0);
	now = folk_now(f, 1);
	kin_borrow(&f->member[1], &f->member[0], &f->base[0], &theirs, &now, &doubt);
	assert_true(doubt.file_up >= 3 * MIB);
	assert_true(doubt.file_down >= 4 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lets_one_newborn_speak),
		cmocka_unit_test(another_speaks_when_one_ends),
		cmocka_unit_test(another_speaks_when_one_is_void),
		cmocka_unit_test(does_not_know_a_newborns_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
