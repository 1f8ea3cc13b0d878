/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/adaptive/tracked.h: what an adaptive pass remembers of a process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/adaptive/tracked.h"

enum { PAGE = 4096, KIB = 1024, LATE = 1024 * KIB };

static void set(struct sample *s, enum process_quantity i, uint64_t kib)
{
	ROW_SET(s, i, kib * KIB);
}

static struct sample sample_new(void)
{
	struct sample s = {.outcome = OUTCOME_MEASURED,
		.source = SOURCE_ROLLUP,
		.is_member = true,
		.rounding = KIB};

	set(&s, PROCESS_RSS, 5000);
	set(&s, PROCESS_RSS_ANON, 3000);
	set(&s, PROCESS_RSS_FILE, 1600);
	set(&s, PROCESS_RSS_SHMEM, 400);
	set(&s, PROCESS_VM_SIZE, 20000);
	set(&s, PROCESS_VM_SWAP, 64);
	set(&s, PROCESS_VM_HWM, 6000);
	ROW_SET(&s, PROCESS_THREADS, 7);
	ROW_SET(&s, PROCESS_START_TIME, 8);
	return s;
}

static void add_walk(struct sample *s)
{
	set(s, PROCESS_PSS, 3500);
	set(s, PROCESS_PSS_LOW, 3500);
	set(s, PROCESS_PSS_HIGH, 3501);
	set(s, PROCESS_PSS_ANON, 2800);
	set(s, PROCESS_PSS_FILE, 598); /* each rounded down by itself */
	set(s, PROCESS_PSS_SHMEM, 100);
	set(s, PROCESS_USS, 2900);
	set(s, PROCESS_SWAP_PSS, 32);
	set(s, PROCESS_PRIVATE_HUGETLB, 2048);
	s->huge_bytes = 2048 * KIB;
}

static struct snapshot_process fill(const struct tracked *w)
{
	static const struct estimate_doubt none;
	struct estimate_now now = tracked_now(w, PAGE);
	struct snapshot_process row = {0};
	struct estimate e;

	if (w->has_base)
		estimate_carry(&w->base, &now, &none, &e);
	tracked_fill(w, w->has_base ? &e : NULL, PAGE, &row);
	return row;
}

static bool measure(struct tracked *w, const struct sample *s, uint64_t now_ns)
{
	tracked_note(w, s, now_ns, PAGE);
	return tracked_measure(w, s, NULL, NULL, LATE, now_ns, PAGE);
}

/* Seen at 5 and measured at 7, with the values of S and of a walk. */
static struct tracked measured(struct sample *s)
{
	struct tracked w = {.image = TRACKED_UNKNOWN};

	add_walk(s);
	tracked_renew(&w, 5);
	assert_true(measure(&w, s, 7));
	assert_int_equal(tracked_now(&w, PAGE).shmem, s->q[PROCESS_RSS_SHMEM]);
	return w;
}

/* A measured process that has not changed is shown with its measured values, to the byte. */
static void shows_measured_values(void **state)
{
	struct sample s = sample_new();
	struct snapshot_process row;
	struct tracked w = measured(&s);

	(void)state;
	assert_true(w.image == TRACKED_SETTLED && w.is_seen && w.has_base);
	assert_true(tracked_is_quiet(&w, PAGE));
	row = fill(&w);
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		if (ROW_HAS(&s, i)) {
			assert_true(ROW_HAS(&row, i));
			assert_int_equal(row.q[i], s.q[i]);
		} else if (i != PROCESS_PSS_AGE) {
			assert_false(ROW_HAS(&row, i));
		}
	assert_int_equal(row.q[PROCESS_PSS_AGE], 7);
	assert_int_equal(w.first_ns, 5);
	assert_int_equal(w.huge_kib, 2048);
}

/*
 * smaps rounds each mapping: with a thousand mappings more than 64 KiB may be missing. That
 * belongs to no part.
 */
static void shows_parts_of_many_mappings(void **state)
{
	struct sample s = sample_new();
	struct snapshot_process row;
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	add_walk(&s);
	set(&s, PROCESS_PSS_FILE, 498);
	tracked_renew(&w, 5);
	assert_true(measure(&w, &s, 7));
	row = fill(&w);
	assert_int_equal(row.q[PROCESS_PSS_FILE], 498 * KIB);
	set(&s, PROCESS_PSS_ANON, 2700);
	set(&s, PROCESS_PSS_FILE, 1800);
	set(&s, PROCESS_PSS, 4700);
	assert_true(measure(&w, &s, 7));
	row = fill(&w);
	assert_int_equal(row.q[PROCESS_PSS_ANON], 2700 * KIB);
	assert_int_equal(row.q[PROCESS_PSS], 4700 * KIB);
}

/* A refresh updates the values of status and keeps those of the walk. */
static void refresh_updates_counters(void **state)
{
	struct sample s = sample_new();
	struct snapshot_process row;
	struct tracked w = measured(&s);

	(void)state;
	s = sample_new();
	set(&s, PROCESS_RSS, 5400);
	set(&s, PROCESS_RSS_ANON, 3400);
	set(&s, PROCESS_VM_HWM, 7000);
	s.present &= ~(UINT64_C(1) << PROCESS_VM_SWAP);
	tracked_note(&w, &s, 9, PAGE);
	assert_false(tracked_is_quiet(&w, PAGE));
	assert_int_equal(w.seen.resident, 5400 / 4);
	assert_int_equal(w.seen.shared, 2000 / 4);
	assert_int_equal(w.seen.size, 20000 / 4);
	assert_int_equal(w.looked_ns, 9);
	row = fill(&w);
	assert_int_equal(row.q[PROCESS_RSS], 5400 * KIB);
	assert_int_equal(row.q[PROCESS_VM_HWM], 7000 * KIB);
	assert_false(ROW_HAS(&row, PROCESS_VM_SWAP)); /* absent stays absent */
	assert_int_equal(row.q[PROCESS_PRIVATE_HUGETLB], 2048 * KIB);
	/* Half of the 64 KiB that left swap were shared. */
	assert_int_equal(row.q[PROCESS_PSS], (3900 - 32) * KIB);
	assert_int_equal(row.q[PROCESS_PSS_AGE], 7);
}

/* If as many pages leave swap as enter it, statm does not change. */
static void swap_is_a_counter(void **state)
{
	struct sample s = sample_new();
	struct tracked w = measured(&s);

	(void)state;
	set(&s, PROCESS_VM_SWAP, 60);
	tracked_note(&w, &s, 9, PAGE);
	assert_false(tracked_is_quiet(&w, PAGE));
}

/*
 * statm has files and shared memory in one sum. If one replaced the other, the shown values are
 * not a measurement.
 */
static void shared_memory_replacing_files_is_a_change(void **state)
{
	struct sample s = sample_new();
	struct tracked w = measured(&s);

	(void)state;
	set(&s, PROCESS_RSS_FILE, 1200);
	set(&s, PROCESS_RSS_SHMEM, 800);
	tracked_note(&w, &s, 9, PAGE);
	assert_int_equal(w.seen.shared, 2000 / 4);
	assert_false(tracked_is_quiet(&w, PAGE));
}

static void no_base_without_a_pss(void **state)
{
	struct sample s = sample_new();
	struct snapshot_process row;
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	s.outcome = OUTCOME_DENIED;
	tracked_renew(&w, 5);
	assert_false(measure(&w, &s, 7));
	assert_false(w.has_base);
	assert_int_equal(w.measured_ns, 7); /* so that it is not tried again at once */
	row = fill(&w);
	assert_false(ROW_HAS(&row, PROCESS_PSS));
	assert_false(ROW_HAS(&row, PROCESS_PSS_AGE));
	assert_int_equal(row.q[PROCESS_RSS], 5000 * KIB);
}

static void settles_after_a_measurement(void **state)
{
	struct sample s = sample_new(), none = {.outcome = OUTCOME_NO_MM},
		      gone = {.outcome = OUTCOME_GONE};
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	tracked_renew(&w, 5);
	tracked_note(&w, &none, 7, PAGE);
	assert_int_equal(w.image, TRACKED_EMPTY);
	tracked_note(&w, &gone, 7, PAGE);
	assert_int_equal(w.image, TRACKED_UNKNOWN);
	tracked_note(&w, &s, 7, PAGE);
	assert_int_equal(w.image, TRACKED_SETTLED);
	s.outcome = OUTCOME_CHANGING;
	tracked_note(&w, &s, 7, PAGE);
	assert_int_equal(w.image, TRACKED_CHANGING);
	s.present = 0; /* status could not be read for lack of descriptors */
	s.outcome = OUTCOME_ERROR;
	tracked_note(&w, &s, 7, PAGE);
	assert_int_equal(w.image, TRACKED_CHANGING);
}

/* The process grew between status and the walk. The PSS belongs to what the walk found. */
static void growth_before_the_walk_counts_as_measured(void **state)
{
	struct sample s = sample_new();
	struct statm after = {.size = 6000, .resident = 6200 / 4, .shared = 2000 / 4};
	struct snapshot_process row;
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	add_walk(&s);
	set(&s, PROCESS_RSS, 5800); /* the walk's */
	set(&s, PROCESS_PSS, 4300);
	set(&s, PROCESS_PSS_ANON, 3600);
	s.anon_bytes = 3800 * KIB;
	tracked_renew(&w, 5);
	tracked_note(&w, &s, 7, PAGE);
	assert_true(tracked_measure(&w, &s, NULL, &after, LATE, 7, PAGE));
	assert_int_equal(w.base.anon, 3800 * KIB);
	assert_int_equal(w.base.file, 2000 * KIB);
	assert_int_equal(w.base.shmem_kib, 400);
	assert_int_equal(w.base.unseen, 0);
	assert_int_equal(w.unsure, (16 + 1200 / 16) * KIB);
	assert_false(tracked_is_quiet(&w, PAGE));
	row = fill(&w);
	assert_int_equal(row.q[PROCESS_PSS], (4300 + 400) * KIB);
	assert_int_equal(row.q[PROCESS_RSS], 6200 * KIB);

	s.anon_bytes = UINT64_MAX; /* absent */
	tracked_note(&w, &s, 8, PAGE);
	assert_true(tracked_measure(&w, &s, NULL, &after, LATE, 8, PAGE));
	assert_int_equal(w.base.anon, 3000 * KIB);

	/* The same before and after: counters that lag are compared only with themselves. */
	after = w.seen;
	s.anon_bytes = 3004 * KIB;
	tracked_note(&w, &s, 9, PAGE);
	after = w.seen;
	assert_true(tracked_measure(&w, &s, NULL, &after, LATE, 9, PAGE));
	assert_int_equal(w.base.anon, 3000 * KIB);
	assert_int_equal(w.unsure, 0);
	assert_true(tracked_is_quiet(&w, PAGE));
}

/*
 * Memory that existed only during the walk: the counters before and after are equal and do not
 * match the PSS.
 */
static void temporary_memory_is_not_carried_forward(void **state)
{
	static const struct {
		uint64_t beyond_kib;
		bool is_late; /* counters lag, and memory that the walk found stays */
	} cases[] = {{0, true}, {1024, true}, {1025, false}, {17000, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t beyond = cases[i].beyond_kib;
		struct tracked w = {.image = TRACKED_UNKNOWN};
		struct sample s = sample_new();
		struct snapshot_process row;

		tracked_renew(&w, 5);
		add_walk(&s);
		tracked_note(&w, &s, 7, PAGE);
		set(&s, PROCESS_RSS, 5000 + beyond); /* the walk's */
		set(&s, PROCESS_PSS, 3500 + beyond);
		set(&s, PROCESS_PSS_ANON, 2800 + beyond);
		set(&s, PROCESS_USS, 2900 + beyond);
		s.anon_bytes = (3000 + beyond) * KIB;
		assert_true(tracked_measure(&w, &s, NULL, NULL, LATE, 7, PAGE));
		row = fill(&w);
		assert_int_equal(
			row.q[PROCESS_PSS], (3500 + (cases[i].is_late ? beyond : 0)) * KIB);
		assert_int_equal(w.unsure > 0, !cases[i].is_late);
	}
}

/*
 * Shared memory is what the walk found, also while it grows. status is read before a walk in one
 * piece, and after one in slices.
 */
static void shared_memory_is_that_of_the_walk(void **state)
{
	static const struct {
		enum process_source source;
		unsigned int status_kib, walk_kib, after_kib;
		unsigned int expected_kib;
	} cases[] = {
		{SOURCE_ROLLUP, 600, 1000, 1400, 1000}, {SOURCE_ROLLUP, 600, 200, 200, 200},
		{SOURCE_ROLLUP, 600, 600, 1400, 600}, {SOURCE_SMAPS, 1400, 1000, 1400, 1000},
		{SOURCE_SMAPS, 1400, 1000, 1500, 1000}, {SOURCE_SMAPS, 200, 1000, 200, 1000},
		{SOURCE_ROLLUP, 0, 100, 200, 0}, /* a process without shared memory gets none */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool by_slices = cases[i].source == SOURCE_SMAPS;
		struct statm before = {.size = 5000, .resident = 1100, .shared = 350};
		struct statm after = {.size = 5000};
		struct sample s = sample_new();
		struct tracked w = {.image = TRACKED_UNKNOWN};

		add_walk(&s);
		s.source = cases[i].source;
		set(&s, PROCESS_RSS, 3000 + 1600 + cases[i].walk_kib);
		set(&s, PROCESS_RSS_SHMEM, cases[i].status_kib);
		s.anon_bytes = 3000 * KIB;
		after.shared = (1600 + cases[i].after_kib) / 4;
		after.resident = 3000 / 4 + after.shared;
		tracked_renew(&w, 5);
		tracked_note(&w, &s, 7, PAGE);
		assert_true(
			tracked_measure(&w, &s, by_slices ? &before : NULL, &after, LATE, 7, PAGE));
		assert_int_equal(w.base.file, (1600 + cases[i].walk_kib) * KIB);
		assert_int_equal(w.base.shmem_kib, cases[i].expected_kib);
	}
}

/*
 * A walk that agrees with status needs no refresh after it. A walk in slices is not a single
 * moment.
 */
static void walks_may_agree_with_counters(void **state)
{
	struct sample s = sample_new();
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	add_walk(&s);
	s.anon_bytes = 3000 * KIB;
	tracked_renew(&w, 5);
	tracked_note(&w, &s, 7, PAGE);
	assert_true(tracked_agrees(&w, &s, PAGE));
	s.anon_bytes += PAGE;
	assert_false(tracked_agrees(&w, &s, PAGE));
	s.anon_bytes = UINT64_MAX; /* absent */
	assert_false(tracked_agrees(&w, &s, PAGE));
	s.anon_bytes = 3000 * KIB;
	s.q[PROCESS_RSS] -= PAGE;
	assert_false(tracked_agrees(&w, &s, PAGE));
	s.q[PROCESS_RSS] += PAGE;
	s.source = SOURCE_SMAPS;
	assert_false(tracked_agrees(&w, &s, PAGE));
	s.source = SOURCE_ROLLUP;
	s.present &= ~(UINT64_C(1) << PROCESS_RSS_SHMEM); /* before Linux 4.5 */
	tracked_note(&w, &s, 8, PAGE);
	assert_false(tracked_agrees(&w, &s, PAGE));
}

/* Guessed parts carry anonymous memory and files separately, but rows do not show them. */
static void guessed_parts_are_not_shown(void **state)
{
	struct sample s = sample_new();
	struct snapshot_process row;
	struct tracked w = {.image = TRACKED_UNKNOWN};

	(void)state;
	add_walk(&s);
	s.present &= ~SAMPLE_PARTS;
	s.guesses_parts = true;
	tracked_renew(&w, 5);
	assert_true(measure(&w, &s, 7));
	assert_true(w.base.has_parts);
	assert_int_equal(w.base.pss_anon, 2800 * KIB);
	row = fill(&w);
	assert_int_equal(row.q[PROCESS_PSS], 3500 * KIB);
	assert_int_equal(row.present & SAMPLE_PARTS, 0);

	add_walk(&s); /* the next sample has them */
	s.guesses_parts = false;
	assert_true(tracked_measure(&w, &s, NULL, NULL, LATE, 8, PAGE));
	row = fill(&w);
	assert_int_equal(row.present & SAMPLE_PARTS, SAMPLE_PARTS);
	s.present &= ~SAMPLE_PARTS; /* and another one lacks them */
	assert_true(tracked_measure(&w, &s, NULL, NULL, LATE, 9, PAGE));
	assert_false(w.base.has_parts);
}

/* Values are kept compactly, but any value can be kept. */
static void keeps_any_value(void **state)
{
	static const uint64_t values[] = {UINT64_C(5) << 40, 4097, (uint64_t)UINT32_MAX * KIB,
		(UINT32_MAX - UINT64_C(1)) * KIB, 0};
	struct tracked *w = tracked_new(3);

	(void)state;
	assert_non_null(w);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct sample s = sample_new();
		struct snapshot_process row;

		ROW_SET(&s, PROCESS_VM_SIZE, values[i]);
		ROW_SET(&s, PROCESS_VM_SWAP, values[i]);
		tracked_note(w, &s, 7, PAGE);
		row = fill(w);
		assert_int_equal(row.q[PROCESS_VM_SIZE], values[i]);
		assert_int_equal(row.q[PROCESS_VM_SWAP], values[i]);
		assert_int_equal(tracked_now(w, PAGE).swap, values[i]);
		assert_int_equal(row.q[PROCESS_VM_HWM], 6000 * KIB);
	}
	tracked_renew(w, 9);
	assert_null(w->wide);
	assert_null(tracked_free(w));
	assert_null(tracked_free(NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_measured_values),
		cmocka_unit_test(shows_parts_of_many_mappings),
		cmocka_unit_test(refresh_updates_counters),
		cmocka_unit_test(swap_is_a_counter),
		cmocka_unit_test(shared_memory_replacing_files_is_a_change),
		cmocka_unit_test(no_base_without_a_pss),
		cmocka_unit_test(growth_before_the_walk_counts_as_measured),
		cmocka_unit_test(shared_memory_is_that_of_the_walk),
		cmocka_unit_test(walks_may_agree_with_counters),
		cmocka_unit_test(guessed_parts_are_not_shown),
		cmocka_unit_test(keeps_any_value),
		cmocka_unit_test(settles_after_a_measurement),
		cmocka_unit_test(temporary_memory_is_not_carried_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
