/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests what measurements of newborn processes teach about later newborns, and what is unknown
 * about a newborn itself (folk.h).
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/model/family/fork-families-private.h"
#include "tests/unit/support/model/folk.h"

#define MIB  (UINT64_C(1) << 20)
#define MSEC UINT64_C(1000000)

/*
 * Forks process I from the server, notices it, and measures it. It was born AGO_NS before the
 * measurement.
 */
static void measure_newborn(struct folk *f, unsigned int i, uint64_t ago_ns)
{
	folk_fork_unseen(f, 0, i);
	folk_notice(f);
	folk_notice_birth(f, 0, i, f->now + MSEC - ago_ns);
	folk_measure(f, i); /* one millisecond later */
}

static uint64_t soon_written(const struct folk *f)
{
	return f->member[0].family->soon_written;
}

/* Each lesson counts a quarter, so the latest ones count most. */
static void learns_from_writes_of_newborns(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t known;

	(void)state;
	folk_start_server(f);
	measure_newborn(f, 1, 10 * MSEC);
	families_newborn(&f->families, &f->member[1], 16 * MIB);
	assert_int_equal(soon_written(f), 4 * MIB);
	measure_newborn(f, 2, 10 * MSEC);
	families_newborn(&f->families, &f->member[2], 16 * MIB);
	assert_int_equal(soon_written(f), 7 * MIB);
	measure_newborn(f, 3, 250 * MSEC);
	families_newborn(&f->families, &f->member[3], 0);
	assert_int_equal(soon_written(f), 21 * MIB / 4);
	known = soon_written(f);
	/*
	 * A process that is measured much later teaches nothing: it may have written at any time.
	 */
	measure_newborn(f, 4, 10 * MSEC);
	for (int pass = 0; pass < 2; pass++)
		folk_settle(f);
	folk_notice(f);
	folk_measure(f, 4);
	families_newborn(&f->families, &f->member[4], 0);
	assert_int_equal(soon_written(f), known);
}

/*
 * A process from before the last pass had much time to write, and a newborn's parent must be known.
 */
static void learns_only_from_newborns(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	uint64_t previous_ns, known;

	(void)state;
	folk_start_server(f);
	measure_newborn(f, 1, 10 * MSEC);
	families_newborn(&f->families, &f->member[1], 16 * MIB);
	known = soon_written(f);
	folk_settle(f);
	folk_settle(f);
	families_newborn(&f->families, &f->member[1], 64 * MIB);
	assert_int_equal(soon_written(f), known);
	previous_ns = f->families.listed_ns;
	for (unsigned int i = 2; i < 4; i++) {
		uint64_t later_ns = i - 2;

		folk_fork_unseen(f, 0, i);
		folk_notice_birth(f, 0, i, previous_ns + later_ns);
		folk_measure(f, i);
		families_newborn(&f->families, &f->member[i], 64 * MIB);
		assert_int_equal(soon_written(f) != known, later_ns);
	}
	known = soon_written(f);
	folk_settle(f);
	/* A process of unknown parent, and one that was not forked. */
	folk_fork_unseen(f, 0, 4);
	folk_notice(f);
	assert_int_equal(families_born(&f->families, &f->member[4], NULL, f->now), 0);
	folk_measure(f, 4);
	assert_ptr_equal(f->member[4].family, f->member[0].family);
	families_newborn(&f->families, &f->member[4], 64 * MIB);
	folk_start(f, 5);
	folk_measure(f, 5);
	families_newborn(&f->families, &f->member[5], 64 * MIB);
	assert_int_equal(soon_written(f), known);
}

/*
 * A server has private memory because its children wrote to their copies. It still has it after the
 * next birth.
 */
static void parents_keep_memory_that_newborns_copy(void **state)
{
	AUTO_FOLK struct folk *f = folk_new();
	int64_t shared;

	(void)state;
	folk_start_server(f);
	measure_newborn(f, 1, 10 * MSEC);
	world_write(&f->world, 1, 128 * MIB);
	folk_measure_all(f, 0);
	folk_fork(f, 0, 2);
	folk_settle(f);
	shared = f->doubt[0].anon_mid;
	for (unsigned int times = 0; times < 40; times++)
		families_newborn(&f->families, &f->member[2], 128 * MIB);
	folk_fork(f, 0, 3);
	folk_end(f, 3);
	folk_settle(f);
	assert_int_equal(f->member[0].children, 1);
	/* otherwise half of the 128 MiB would be the child's */
	assert_in_range((uint64_t)(f->doubt[0].anon_mid - shared), 63 * MIB, 65 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_from_writes_of_newborns),
		cmocka_unit_test(learns_only_from_newborns),
		cmocka_unit_test(parents_keep_memory_that_newborns_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
