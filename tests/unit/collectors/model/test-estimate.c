/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the carrying forward of measurements (estimate.h): cases with expected figures, and random
 * input that must never break low <= mid <= high.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/model/estimate.h"
#include "snapshot/record.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define GIB (UINT64_C(1024) * MIB)

static const struct estimate_doubt no_doubt;

/*
 * Half of the anonymous memory is private, half is shared by two processes. The files are shared by
 * ten.
 */
static const struct estimate_base plain = {
	.anon = 100 * MIB,
	.file = 20 * MIB,
	.pss_anon = 75 * MIB,
	.pss_file = 2 * MIB,
	.uss = 50 * MIB,
	.swap_pss = 0,
	.rounding = KIB,
	.has_parts = true,
};

static struct estimate carry(
	const struct estimate_base *b, uint64_t anon, uint64_t file, uint64_t swap)
{
	struct estimate_now now = {anon, file, swap};
	struct estimate e;

	estimate_carry(b, &now, &no_doubt, &e);
	return e;
}

static void stays_where_nothing_moved(void **state)
{
	struct estimate e = carry(&plain, plain.anon, plain.file, 0);

	(void)state;
	assert_int_equal(e.pss, 77 * MIB);
	assert_int_equal(e.pss_anon, 75 * MIB);
	assert_int_equal(e.pss_file, 2 * MIB);
	assert_int_equal(e.low, e.pss);
	assert_int_equal(e.high, e.pss + KIB);
	assert_int_equal(e.uss, 50 * MIB);
}

/* The full computation gives the same as the shortcut for unmoved counters. */
static void stays_where_only_swap_moved(void **state)
{
	struct estimate e = carry(&plain, plain.anon, plain.file, 1);

	(void)state;
	assert_int_equal(e.pss, 77 * MIB);
	assert_int_equal(e.low, e.pss);
	assert_int_equal(e.high, e.pss + KIB);
	assert_int_equal(e.uss, 50 * MIB);
}

/* A doubt that moves no figure widens the bounds. */
static void widens_where_nothing_moved(void **state)
{
	const struct estimate_now still = {plain.anon, plain.file, 0},
				  swapped = {plain.anon, plain.file, 1};
	uint64_t seed = 3;

	(void)state;
	for (unsigned int round = 0; round < 1000; round++) {
		struct estimate_doubt d = {.anon_down = unit_random(&seed) % (100 * MIB),
			.anon_up = unit_random(&seed) % (50 * MIB),
			.file_down = unit_random(&seed) % (4 * MIB),
			.file_up = unit_random(&seed) % (40 * MIB)};
		struct estimate near, far;

		estimate_carry(&plain, &still, &d, &near);
		estimate_carry(&plain, &swapped, &d, &far);
		assert_int_equal(near.pss, 77 * MIB);
		assert_int_equal(near.low, far.low);
		assert_int_equal(near.high, far.high);
		assert_int_equal(near.low,
			saturate_less(75 * MIB, d.anon_down) + saturate_less(2 * MIB, d.file_down));
	}
}

static void counts_growth_as_private(void **state)
{
	struct estimate e = carry(&plain, plain.anon + 10 * MIB, plain.file, 0);

	(void)state;
	assert_int_equal(e.pss, 87 * MIB);
	assert_int_equal(e.low, 87 * MIB);
	assert_int_equal(e.high, 87 * MIB + KIB);
	assert_int_equal(e.uss, 60 * MIB);
}

/*
 * Freed pages count as private as long as there are private pages. In one extreme they were shared,
 * in the other private.
 */
static void counts_loss_as_private_first(void **state)
{
	struct estimate e = carry(&plain, 60 * MIB, plain.file, 0);

	(void)state;
	assert_int_equal(e.pss_anon, 35 * MIB);
	assert_int_equal(e.low, 37 * MIB);
	assert_int_equal(e.high, 57 * MIB + KIB);
	assert_int_equal(e.uss, 10 * MIB);
	/* More was freed than was private: the rest is shared by two. */
	e = carry(&plain, 30 * MIB, plain.file, 0);
	assert_int_equal(e.pss_anon, 15 * MIB);
	assert_int_equal(e.uss, 0);
}

static void ends_at_nothing(void **state)
{
	struct estimate e = carry(&plain, 0, 0, 100 * MIB);

	(void)state;
	assert_int_equal(e.pss, 0);
	assert_int_equal(e.low, 0);
	assert_int_equal(e.high, 0);
	assert_int_equal(e.uss, 0);
}

/* A process without shared memory is known exactly, however it shrinks. */
static void knows_the_private_exactly(void **state)
{
	static const struct estimate_base b = {
		.anon = 64 * MIB, .pss_anon = 64 * MIB, .uss = 64 * MIB, .has_parts = true};
	struct estimate e = carry(&b, 20 * MIB, 0, 0);

	(void)state;
	assert_int_equal(e.pss, 20 * MIB);
	assert_int_equal(e.low, 20 * MIB);
	assert_int_equal(e.high, 20 * MIB);
	assert_int_equal(e.uss, 20 * MIB);
}

static void counts_new_files_like_the_old(void **state)
{
	struct estimate e = carry(&plain, plain.anon, 30 * MIB, 0);
	const struct estimate_base half = {
		.file = 20 * MIB, .pss_file = 11 * MIB, .uss = 10 * MIB, .has_parts = true};

	(void)state;
	assert_int_equal(e.pss_file, 3 * MIB);
	assert_int_equal(e.low, 77 * MIB);
	assert_int_equal(e.high, 87 * MIB + KIB);
	e = carry(&plain, plain.anon, 10 * MIB, 0);
	assert_int_equal(e.pss_file, 1 * MIB);
	assert_int_equal(e.low, 75 * MIB);
	assert_int_equal(e.high, 77 * MIB + KIB);
	assert_int_equal(e.uss, 50 * MIB);
	/* half of its files are private */
	e = carry(&half, 0, 30 * MIB, 0);
	assert_int_equal(e.uss, 15 * MIB);
}

/* If it had no files, new ones may be private or shared by all. */
static void halves_the_first_files(void **state)
{
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	b.file = b.pss_file = 0;
	e = carry(&b, b.anon, 10 * MIB, 0);
	assert_int_equal(e.pss_file, 5 * MIB);
	assert_int_equal(e.low, 75 * MIB);
	assert_int_equal(e.high, 85 * MIB + KIB);
}

/* Bounds are never rounded inwards, not even by a byte. */
static void rounds_bounds_outwards(void **state)
{
	static const struct estimate_base b = {
		.anon = 101, .pss_anon = 50, .swap_pss = ESTIMATE_UNKNOWN, .has_parts = true};

	(void)state;
	assert_int_equal(carry(&b, 100, 0, 0).low, 49);
	assert_int_equal(carry(&b, 98, 0, 0).low, 48);
}

/* The ratio of files and shmem stays as it was. */
static void keeps_shmem_apart(void **state)
{
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	b.pss_shmem = 6 * MIB;
	e = carry(&b, b.anon, 10 * MIB, 0);
	assert_int_equal(e.pss_file, 1 * MIB);
	assert_int_equal(e.pss_shmem, 3 * MIB);
}

/* Pages go to swap and come back: PSS is the same as before. */
static void comes_back_from_swap(void **state)
{
	struct estimate_base b = plain;
	struct estimate e = carry(&b, 40 * MIB, b.file, 60 * MIB);

	(void)state;
	/* private and shared pages went to swap in proportion */
	assert_int_equal(e.pss_anon, 30 * MIB);
	assert_int_equal(e.swap_pss, 45 * MIB);
	assert_int_equal(e.uss, 20 * MIB);
	/* measured with 60 MiB in swap, half of it shared by two */
	b.anon = 40 * MIB;
	b.pss_anon = 30 * MIB;
	b.uss = 20 * MIB;
	b.swap = 60 * MIB;
	b.swap_pss = 45 * MIB;
	e = carry(&b, 100 * MIB, b.file, 0);
	assert_int_equal(e.pss_anon, 75 * MIB);
	assert_int_equal(e.swap_pss, 0);
	assert_int_equal(e.low, 62 * MIB);
	assert_int_equal(e.high, 92 * MIB + KIB);
	/* half of it comes back, and as much new memory is added */
	e = carry(&b, 100 * MIB, b.file, 30 * MIB);
	assert_int_equal(e.pss_anon, 30 * MIB + 30 * MIB + 30 * MIB * 3 / 4);
	assert_int_equal(e.swap_pss, 45 * MIB / 2);
	/*
	 * The process is the last one to read the pages back: it has all of them in swap alone, and
	 * shares them with the others again.
	 */
	b.swap_pss = 60 * MIB;
	e = carry(&b, 100 * MIB, b.file, 0);
	assert_int_equal(e.pss_anon, 30 * MIB + 45 * MIB);
	assert_int_equal(e.low, 32 * MIB);
	assert_int_equal(e.high, 92 * MIB + KIB);
	/* if no memory is shared, the pages come back private */
	b.pss_anon = 40 * MIB;
	b.uss = 40 * MIB;
	e = carry(&b, 100 * MIB, b.file, 0);
	assert_int_equal(e.low, 102 * MIB);
}

static void keeps_unknown_figures_unknown(void **state)
{
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	b.uss = ESTIMATE_UNKNOWN;
	b.swap_pss = ESTIMATE_UNKNOWN;
	e = carry(&b, b.anon, b.file, 0);
	assert_true(e.uss == ESTIMATE_UNKNOWN && e.swap_pss == ESTIMATE_UNKNOWN);
	e = carry(&b, b.anon - 10 * MIB, b.file, 5 * MIB);
	assert_true(e.uss == ESTIMATE_UNKNOWN && e.swap_pss == ESTIMATE_UNKNOWN);
	/* Without a USS, at least 50 of 100 MiB are private (2 PSS - RSS), and at most 75 MiB. */
	assert_int_equal(e.low, 67 * MIB);
	e = carry(&b, b.anon - 60 * MIB, b.file, 0);
	assert_int_equal(e.high, 40 * MIB + 2 * MIB + KIB);
}

/*
 * Before Linux 5.3 the whole PSS is known and its parts are guessed. Growth still counts as
 * private.
 */
static void carries_a_whole_without_parts(void **state)
{
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	b.pss_file = 77 * MIB;
	b.pss_anon = 0;
	b.has_parts = false;
	e = carry(&b, b.anon, b.file, 0);
	assert_int_equal(e.pss, 77 * MIB);
	assert_int_equal(e.pss_anon, 77 * MIB);
	assert_int_equal(e.pss_shmem, 0);
	assert_int_equal(e.low, 77 * MIB);
	assert_int_equal(e.high, 77 * MIB + KIB);
	e = carry(&b, b.anon + 10 * MIB, b.file, 0);
	assert_int_equal(e.pss, 87 * MIB);
	assert_int_equal(e.low, 87 * MIB);
	e = carry(&b, b.anon - 10 * MIB, b.file, 0);
	assert_int_equal(e.low, 67 * MIB);
	assert_int_equal(e.high, 77 * MIB + KIB);
	/* the 50 private MiB were freed, and 10 MiB that two share */
	e = carry(&b, b.anon - 60 * MIB, b.file, 0);
	assert_int_equal(e.low, 22 * MIB);
	/* more PSS than anonymous memory: the rest is of files */
	b.pss_file = 110 * MIB;
	e = carry(&b, b.anon, b.file, 0);
	assert_int_equal(e.pss_anon, 100 * MIB);
	assert_int_equal(e.pss_file, 10 * MIB);
}

/*
 * Some kernels update counters late: the walk found 120 pages more than the counters showed, and
 * they still do not show.
 */
static void keeps_pages_that_counters_missed(void **state)
{
	struct estimate_base b = {.anon = 100 * KIB,
		.file = 20 * KIB,
		.pss_anon = 580 * KIB,
		.pss_file = 10 * KIB,
		.uss = 580 * KIB,
		.unseen = 480 * KIB,
		.has_parts = true};
	struct estimate e = carry(&b, b.anon, b.file, 0);

	(void)state;
	assert_int_equal(e.pss, 590 * KIB);
	assert_int_equal(e.low, 590 * KIB);
	e = carry(&b, b.anon + 64 * KIB, b.file, 0);
	assert_int_equal(e.pss, 654 * KIB);
	e = carry(&b, 0, 0, 0);
	assert_int_equal(e.high, 0);
}

/* Otherwise PSS never exceeds RSS: if counters fall below those of the base, they are right. */
static void trusts_the_counters(void **state)
{
	struct estimate e = carry(&plain, 10 * MIB, 1 * MIB, 0);

	(void)state;
	assert_true(e.high <= 11 * MIB && e.pss <= e.high);
}

/* smaps rounds each mapping down, so the true PSS may be higher by that, but not above RSS. */
static void rounds_by_mapping(void **state)
{
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	b.rounding = 300 * KIB;
	e = carry(&b, b.anon, b.file, 0);
	assert_int_equal(e.high, 77 * MIB + 300 * KIB);
	e = carry(&b, b.anon + MIB, b.file, 0);
	assert_int_equal(e.high, 78 * MIB + 300 * KIB);
	b.rounding = estimate_rounding(8 * GIB);
	assert_int_equal(b.rounding, 2 * GIB - 1);
	e = carry(&b, b.anon, b.file, 0);
	assert_int_equal(e.high, 120 * MIB);
}

/*
 * If measurements of other processes explain the growth, the doubt bounds it. Unexplained growth
 * may be private or shared.
 */
static void widens_by_unexplained_growth(void **state)
{
	const struct estimate_now now = {plain.anon, 40 * MIB, 0};
	struct estimate_doubt d = {.file_down = MIB, .file_up = 2 * MIB, .file_told = 20 * MIB};
	struct estimate e;

	(void)state;
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.pss, 79 * MIB);
	assert_int_equal(e.low, 78 * MIB);
	assert_int_equal(e.high, 81 * MIB + KIB);
	d.file_told = 10 * MIB;
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.pss, 79 * MIB);
	assert_int_equal(e.low, 77 * MIB);
	assert_int_equal(e.high, 90 * MIB + KIB);
	/* the process grew by less than that */
	d.file_told = 100 * MIB;
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.low, 78 * MIB);
}

/* Files and shared memory together are unchanged, but one has replaced the other. */
static void sees_shared_memory_replace_files(void **state)
{
	struct estimate_now now = {plain.anon, plain.file, 0, 8 * MIB};
	const struct estimate_doubt none = {0};
	struct estimate_base b = plain;
	struct estimate e;

	(void)state;
	estimate_carry(&b, &now, &none, &e);
	assert_in_range(e.pss, 77 * MIB - 2, 77 * MIB);
	assert_int_equal(e.low, 75 * MIB);
	assert_int_equal(e.high, 85 * MIB + KIB);
	/* it grew, but by less than its shared memory */
	now.file += 6 * MIB;
	estimate_carry(&b, &now, &none, &e);
	assert_int_equal(e.low, 75 * MIB);
	assert_int_equal(e.high, 85 * MIB + KIB);
	/* shared memory that it had before is not new */
	now.file = b.file;
	b.shmem_kib = 8 << 10;
	estimate_carry(&b, &now, &none, &e);
	assert_int_equal(e.low, 77 * MIB);
	assert_int_equal(e.high, 77 * MIB + KIB);
}

static void adds_doubts(void **state)
{
	struct estimate_doubt d = {
		.anon_mid = -(int64_t)(5 * MIB), .anon_down = 2 * MIB, .anon_up = 3 * MIB};
	struct estimate_doubt more = {
		.file_mid = (int64_t)MIB, .file_down = MIB, .file_up = 2 * MIB};
	struct estimate_now now = {plain.anon, plain.file, 0};
	struct estimate e;

	(void)state;
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.pss, 72 * MIB);
	assert_int_equal(e.low, 70 * MIB);
	assert_int_equal(e.high, 75 * MIB + KIB);
	assert_int_equal(e.uss, 50 * MIB); /* what two shared, three share now */
	estimate_doubt_add(&d, &more);
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.pss, 73 * MIB);
	assert_int_equal(e.low, 70 * MIB);
	assert_int_equal(e.high, 78 * MIB + KIB);
	/* after a fork all of a private process is shared */
	d = (struct estimate_doubt){.anon_mid = -(int64_t)(50 * MIB)};
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.uss, 0);
	/* so much PSS means that most of it is private */
	d = (struct estimate_doubt){.anon_mid = (int64_t)(25 * MIB)};
	estimate_carry(&plain, &now, &d, &e);
	assert_int_equal(e.pss, 102 * MIB);
	assert_int_equal(e.uss, 84 * MIB);
	/* sums saturate */
	more = (struct estimate_doubt){INT64_MIN, INT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, 7, INT64_MIN};
	d = more;
	estimate_doubt_add(&d, &more);
	assert_true(d.anon_mid == -INT64_MAX && d.file_mid == INT64_MAX && d.file_up == UINT64_MAX);
}

static void takes_a_base_from_a_sample(void **state)
{
	struct snapshot_process row = {0};
	struct estimate_base b = {.anon = 7};

	(void)state;
	ROW_SET(&row, PROCESS_RSS, 1000 * KIB);
	assert_false(estimate_base_take(row.present, row.q, 1, 2, &b));
	assert_int_equal(b.anon, 7);
	ROW_SET(&row, PROCESS_PSS, 600 * KIB);
	ROW_SET(&row, PROCESS_PSS_HIGH, 601 * KIB);
	assert_true(estimate_base_take(row.present, row.q, 500 * KIB, 300 * KIB, &b));
	assert_false(b.has_parts);
	assert_int_equal(b.pss_file, 600 * KIB);
	assert_int_equal(b.rounding, KIB);
	assert_int_equal(b.unseen, 200 * KIB);
	assert_true(b.uss == ESTIMATE_UNKNOWN && b.swap_pss == ESTIMATE_UNKNOWN);
	ROW_SET(&row, PROCESS_PSS_ANON, 500 * KIB);
	ROW_SET(&row, PROCESS_PSS_FILE, 90 * KIB);
	assert_true(estimate_base_take(row.present, row.q, 500 * KIB, 500 * KIB, &b));
	assert_false(b.has_parts);
	ROW_SET(&row, PROCESS_PSS_SHMEM, 8 * KIB);
	ROW_SET(&row, PROCESS_USS, 480 * KIB);
	ROW_SET(&row, PROCESS_VM_SWAP, 40 * KIB);
	ROW_SET(&row, PROCESS_SWAP_PSS, 30 * KIB);
	assert_true(estimate_base_take(row.present, row.q, 500 * KIB, 500 * KIB, &b));
	assert_true(b.has_parts);
	assert_int_equal(b.pss_anon + b.pss_file + b.pss_shmem, 600 * KIB);
	assert_int_equal(b.pss_file, 92 * KIB);
	assert_int_equal(b.unseen, 0);
	assert_int_equal(b.uss, 480 * KIB);
	assert_int_equal(b.swap, 40 * KIB);
	assert_int_equal(b.swap_pss, 30 * KIB);
	/* what rounding took is added where there is room */
	assert_true(estimate_base_take(row.present, row.q, 510 * KIB, 98 * KIB, &b));
	assert_int_equal(b.pss_anon, 502 * KIB);
	/* parts that exceed the whole are dropped */
	ROW_SET(&row, PROCESS_PSS_ANON, 510 * KIB);
	assert_true(estimate_base_take(row.present, row.q, 500 * KIB, 500 * KIB, &b));
	assert_false(b.has_parts);
}

static uint64_t random_amount(uint64_t *seed)
{
	uint64_t v = unit_random(seed);

	switch (unit_random(seed) % 8) {
	case 0: return 0;
	case 1: return v;
	case 2: return UINT64_MAX - v % 4;
	case 3: return (uint64_t)INT64_MAX + v % 3 - 1;
	default: return v % (64 * GIB);
	}
}

static void keeps_order_for_any_input(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (unsigned int round = 0; round < 300000; round++) {
		struct estimate_base b = {random_amount(&seed), random_amount(&seed),
			random_amount(&seed), random_amount(&seed), random_amount(&seed),
			random_amount(&seed), random_amount(&seed), random_amount(&seed),
			random_amount(&seed), random_amount(&seed), unit_random(&seed) & 1};
		struct estimate_now now = {
			random_amount(&seed), random_amount(&seed), random_amount(&seed)};
		struct estimate_doubt d = {(int64_t)random_amount(&seed),
			(int64_t)random_amount(&seed), random_amount(&seed), random_amount(&seed),
			random_amount(&seed), random_amount(&seed),
			unit_random(&seed) % 2 ? 0 : random_amount(&seed), random_amount(&seed),
			(int64_t)random_amount(&seed)};
		struct estimate_part part[2];
		struct estimate e;

		if (unit_random(&seed) % 4 == 0)
			d = no_doubt;
		if (unit_random(&seed) % 4 == 0)
			now = (struct estimate_now){b.anon, b.file, b.swap};
		estimate_carry(&b, &now, &d, &e);
		assert_true(e.low <= e.pss);
		assert_true(e.pss <= e.high);
		assert_true(e.high <= saturate_add(saturate_add(now.anon, now.file), b.unseen));
		assert_true(e.pss == e.pss_anon + e.pss_file + e.pss_shmem);
		assert_true((e.uss == ESTIMATE_UNKNOWN) == (b.uss == ESTIMATE_UNKNOWN));
		assert_true(e.uss == ESTIMATE_UNKNOWN || e.uss <= e.pss);
		assert_true(e.swap_pss == ESTIMATE_UNKNOWN || e.swap_pss <= now.swap);
		estimate_parts(&b, &part[0], &part[1]);
		for (unsigned int i = 0; i < 2; i++) {
			assert_true(part[i].private_min <= part[i].private_mid);
			assert_true(part[i].private_mid <= part[i].private_max);
			assert_true(
				part[i].private_max <= part[i].pss && part[i].pss <= part[i].rss);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays_where_nothing_moved),
		cmocka_unit_test(stays_where_only_swap_moved),
		cmocka_unit_test(widens_where_nothing_moved),
		cmocka_unit_test(counts_growth_as_private),
		cmocka_unit_test(counts_loss_as_private_first),
		cmocka_unit_test(ends_at_nothing),
		cmocka_unit_test(knows_the_private_exactly),
		cmocka_unit_test(counts_new_files_like_the_old),
		cmocka_unit_test(keeps_shmem_apart),
		cmocka_unit_test(comes_back_from_swap),
		cmocka_unit_test(keeps_unknown_figures_unknown),
		cmocka_unit_test(carries_a_whole_without_parts),
		cmocka_unit_test(keeps_pages_that_counters_missed),
		cmocka_unit_test(trusts_the_counters),
		cmocka_unit_test(rounds_by_mapping),
		cmocka_unit_test(widens_by_unexplained_growth),
		cmocka_unit_test(sees_shared_memory_replace_files),
		cmocka_unit_test(adds_doubts),
		cmocka_unit_test(takes_a_base_from_a_sample),
		cmocka_unit_test(halves_the_first_files),
		cmocka_unit_test(rounds_bounds_outwards),
		cmocka_unit_test(keeps_order_for_any_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
