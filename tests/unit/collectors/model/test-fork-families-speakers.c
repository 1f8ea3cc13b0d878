/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests which measurement represents a process that was never measured (its speaker), and what that
 * measurement does not show (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/folk.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define SEC UINT64_C(1000000000)

/* One newborn is measured, and represents all. */
static void one_newborn_represents_all(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 20);
	folk_measure(f, 7);
	folk_settle(f);
	for (unsigned int i = 1; i <= 20; i++)
		if (i != 7)
			assert_ptr_equal(families_speaker(&f->member[i]), &f->member[7]);
	folk_assert_all_bounds(f);
	folk_assert_all_within(f, 10);
}

/* The speaker exits. */
static void another_represents_after_an_exit(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 4);
	folk_measure(f, 2);
	assert_ptr_equal(families_speaker(&f->member[3]), &f->member[2]);
	folk_end(f, 2);
	folk_settle(f);
	f->member[2].measured_ns = UINT64_MAX; /* its memory is reused */
	assert_ptr_equal(families_speaker(&f->member[3]), &f->member[0]);
	f->member[2].measured_ns = 0;
	folk_measure(f, 3);
	assert_ptr_equal(families_speaker(&f->member[4]), &f->member[3]);
	/*
	 * Later newborns are represented by one of their own generation as soon as one was
	 * measured.
	 */
	f->now += SEC;
	folk_fork(f, 0, 5);
	folk_fork(f, 0, 6);
	folk_settle(f);
	assert_ptr_equal(families_speaker(&f->member[5]), &f->member[0]);
	folk_measure(f, 6);
	assert_ptr_equal(families_speaker(&f->member[5]), &f->member[6]);
}

/* The speaker becomes unmeasurable: its measurement is void. */
static void another_represents_after_a_void_measurement(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();

	(void)state;
	folk_start_server(f);
	folk_fork_workers(f, 4);
	folk_measure(f, 1);
	folk_measure(f, 2);
	families_suspect(&f->member[2], MIB, f->now);
	assert_ptr_equal(families_speaker(&f->member[3]), &f->member[2]);
	families_unmeasured(&f->member[2]);
	f->measured[2] = false;
	assert_ptr_equal(families_speaker(&f->member[3]), &f->member[0]);
	assert_ptr_equal(families_speaker(&f->member[2]), &f->member[0]);
	assert_int_equal(families_suspected(&f->member[0]), 0);
	folk_end(f, 0);
	folk_settle(f); /* does not visit it */
	assert_null(families_speaker(&f->member[3]));
	folk_measure(f, 2);
	assert_ptr_equal(families_speaker(&f->member[3]), &f->member[2]);
	folk_measure_all(f, 0);
	folk_end(f, 3);
	folk_settle(f);
	folk_assert_all_within(f, 30);
}

/* A newborn may have touched private files, or files that many processes map. */
static void doubts_a_newborns_files(void **state)
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
	/* The doubt is not just that of its private memory. */
	theirs = folk_now(f, 0);
	now = folk_now(f, 1);
	families_borrow(&f->member[1], &f->member[0], &f->base[0], &theirs, &now, &doubt);
	assert_true(doubt.file_up >= 3 * MIB);
	assert_true(doubt.file_down >= 4 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_newborn_represents_all),
		cmocka_unit_test(another_represents_after_an_exit),
		cmocka_unit_test(another_represents_after_a_void_measurement),
		cmocka_unit_test(doubts_a_newborns_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
