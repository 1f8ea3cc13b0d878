/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of snapshot/sums.h: sums of processes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "snapshot/sums.h"

static struct snapshot_process make(uint64_t *seed)
{
	static const uint8_t outcomes[] = {OUTCOME_MEASURED, OUTCOME_MEASURED, OUTCOME_DENIED,
		OUTCOME_CHANGING, OUTCOME_SHARED_MM};
	struct snapshot_process row = {.outcome = outcomes[unit_random(seed) % 5]};

	row.source = (uint8_t)(unit_random(seed) % SOURCE_COUNT_);
	row.present = unit_random(seed) & ((UINT64_C(1) << PROCESS_QUANTITIES) - 1);
	for (unsigned int i = 0; i < PROCESS_QUANTITIES; i++)
		row.q[i] = unit_random(seed) % (1 << 30);
	if (row.outcome == OUTCOME_SHARED_MM)
		row.present = 0;
	return row;
}

/* However members are divided, the sums of the parts merge to the sum of the whole. */
static void parts_merge_to_the_whole(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct sums whole = {0}, part[3] = {{0}}, merged = {0};
		unsigned int members = (unsigned int)unit_random(&seed) % 12;

		for (unsigned int i = 0; i < members; i++) {
			struct snapshot_process row = make(&seed);

			sums_add(&whole, &row);
			sums_add(&part[unit_random(&seed) % 3], &row);
		}
		for (unsigned int i = 0; i < 3; i++) {
			sums_end(
				/* without members its zeros are readings of no process */
				&part[i]);
			sums_merge(&merged, &part[i]);
		}
		sums_end(&whole);
		sums_end(&merged);
		assert_int_equal(merged.present, whole.present);
		for (unsigned int i = 0; i < SCOPE_QUANTITIES; i++)
			if (ROW_HAS(&whole, i))
				assert_int_equal(merged.q[i], whole.q[i]);
	}
}

static void empty_sum_is_zero_without_a_maximum(void **state)
{
	struct sums s = {0};

	(void)state;
	sums_end(&s);
	for (unsigned int i = SCOPE_PSS; i <= SCOPE_UNMEASURED_ERROR; i++) {
		assert_true(ROW_HAS(&s, i));
		assert_int_equal(s.q[i], 0);
	}
	for (unsigned int i = SCOPE_PSS_MEASURED; i <= SCOPE_UNMEASURED_RSS_ERROR; i++) {
		assert_true(ROW_HAS(&s, i));
		assert_int_equal(s.q[i], 0);
	}
	for (size_t i = 0; i < SUMS_REASONS; i++) {
		assert_true(ROW_HAS(&s, sums_reason(i)->count) && ROW_HAS(&s, sums_reason(i)->rss));
		assert_int_equal(s.q[sums_reason(i)->count] + s.q[sums_reason(i)->rss], 0);
	}
	assert_int_equal(s.q[SCOPE_VM_SIZE] + s.q[SCOPE_THREADS], 0);
	assert_true(ROW_HAS(&s, SCOPE_VM_SIZE) && ROW_HAS(&s, SCOPE_THREADS));
	assert_false(ROW_HAS(&s, SCOPE_VM_HWM_MAX));
	assert_false(ROW_HAS(&s, SCOPE_OLDEST_START));
}

/*
 * If the memory of a process counts at another one, it still has threads and a start of its own, but
 * no address space.
 */
static void shared_memory_counts_once_and_threads_each(void **state)
{
	struct snapshot_process one = {.outcome = OUTCOME_MEASURED}, shares = one;
	struct sums s = {0}, merged = {0};

	(void)state;
	ROW_SET(&one, PROCESS_VM_SIZE, 4096);
	ROW_SET(&one, PROCESS_THREADS, 2);
	ROW_SET(&one, PROCESS_START_TIME, 70);
	shares = one;
	shares.outcome = OUTCOME_SHARED_MM;
	ROW_SET(&shares, PROCESS_THREADS, 5);
	ROW_SET(&shares, PROCESS_START_TIME, 60);
	sums_add(&s, &one);
	assert_int_equal(s.q[SCOPE_OLDEST_START], 70);
	sums_add(&s, &shares);
	sums_add(&merged, &one);
	sums_merge(&merged, &s);
	sums_end(&merged);
	assert_int_equal(merged.q[SCOPE_VM_SIZE], 2 * 4096);
	assert_int_equal(merged.q[SCOPE_THREADS], 2 + 2 + 5);
	assert_int_equal(merged.q[SCOPE_OLDEST_START], 60);
}

/* No kernel hides it, but a tree of files may. */
static void unknown_start_is_absent(void **state)
{
	struct snapshot_process row = {.outcome = OUTCOME_MEASURED};
	struct sums s = {0};

	(void)state;
	sums_add(&s, &row);
	sums_end(&s);
	assert_false(ROW_HAS(&s, SCOPE_OLDEST_START));
	assert_false(ROW_HAS(&s, SCOPE_THREADS));
}

static struct snapshot_process with(
	enum process_outcome outcome, enum process_source source, uint64_t rss, uint64_t pss)
{
	struct snapshot_process row = {.outcome = (uint8_t)outcome, .source = (uint8_t)source};

	if (rss)
		ROW_SET(&row, PROCESS_RSS, rss);
	if (pss)
		ROW_SET(&row, PROCESS_PSS, pss);
	return row;
}

/*
 * Bytes that were measured, carried forward or guessed, and bytes of unmeasured processes. Unknown
 * amounts count in none.
 */
static void sums_have_their_parts_by_origin(void **state)
{
	const struct snapshot_process rows[] = {
		with(OUTCOME_MEASURED, SOURCE_ROLLUP, 100, 50),
		with(OUTCOME_MEASURED, SOURCE_SMAPS, 20, 10),
		with(OUTCOME_MEASURED, SOURCE_ESTIMATE, 7, 5),
		with(OUTCOME_SHARED_MM, SOURCE_NONE, 0, 0),
		with(OUTCOME_DENIED, SOURCE_RSS, 1000, 0),
		with(OUTCOME_DENIED, SOURCE_RSS, 2000, 0),
		with(OUTCOME_CHANGING, SOURCE_RSS, 300, 0),
		with(OUTCOME_CHANGING, SOURCE_NONE, 0, 0),
		with(OUTCOME_ERROR, SOURCE_NONE, 0, 0),
	};
	struct snapshot_process carried = with(OUTCOME_MEASURED, SOURCE_ESTIMATE, 900, 800);
	struct sums s = {0};

	(void)state;
	ROW_SET(&carried, PROCESS_PSS_AGE, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		sums_add(&s, &rows[i]);
	sums_add(&s, &carried);
	sums_end(&s);
	assert_int_equal(s.q[SCOPE_PSS], 865);
	assert_int_equal(s.q[SCOPE_PSS_MEASURED], 60);
	assert_int_equal(s.q[SCOPE_PSS_ESTIMATED], 805);
	assert_int_equal(s.q[SCOPE_PSS_GUESSED], 5);
	assert_int_equal(s.q[SCOPE_GUESSED], 1);
	assert_int_equal(s.q[SCOPE_UNMEASURED_RSS_DENIED], 3000);
	assert_int_equal(s.q[SCOPE_UNMEASURED_RSS_CHANGING], 300);
	assert_true(ROW_HAS(&s, SCOPE_UNMEASURED_RSS_MALFORMED)); /* of no process: zero */
	assert_int_equal(s.q[SCOPE_UNMEASURED_RSS_MALFORMED], 0);
	assert_false(ROW_HAS(&s, SCOPE_UNMEASURED_RSS_ERROR)); /* unknown */
}

/* Each outcome of an unmeasured process with memory has a quantity of its own. */
static void every_reason_has_a_count_and_an_rss(void **state)
{
	(void)state;
	for (unsigned int outcome = 0; outcome < OUTCOME_COUNT_; outcome++) {
		bool is_reason = outcome != OUTCOME_MEASURED && outcome != OUTCOME_GONE &&
		                 outcome != OUTCOME_NO_MM && outcome != OUTCOME_SHARED_MM;
		struct snapshot_process row = with(
			(enum process_outcome)outcome, SOURCE_RSS, 4096, 0);
		struct sums one = {0}, two = {0};
		uint64_t counts = 0, rss = 0;

		sums_add(&one, &row);
		sums_merge(&two, &one);
		sums_merge(&two, &one);
		sums_end(&two);
		for (size_t i = 0; i < SUMS_REASONS; i++) {
			bool is_its = is_reason && sums_reason(i)->outcome == outcome;

			assert_int_equal(two.q[sums_reason(i)->count], is_its ? 2 : 0);
			assert_int_equal(two.q[sums_reason(i)->rss], is_its ? 2 * 4096 : 0);
			counts += two.q[sums_reason(i)->count];
			rss += two.q[sums_reason(i)->rss];
		}
		assert_int_equal(counts, is_reason ? 2 : 0);
		assert_int_equal(rss, is_reason ? 2 * 4096 : 0);
		assert_int_equal(sums_unmeasured(two.present, two.q), counts);
		assert_int_equal(sums_unmeasured(0, two.q), 0);
	}
}

/*
 * Sums include the last measurement of a blocked process. If there is none, its RSS is in the
 * upper bound only.
 */
static void blocked_processes_count_by_estimate_or_rss(void **state)
{
	struct snapshot_process estimated = with(OUTCOME_BLOCKED, SOURCE_ESTIMATE, 900, 800);
	struct snapshot_process never = with(OUTCOME_BLOCKED, SOURCE_RSS, 5000, 0);
	struct sums s = {0}, other = {0};

	(void)state;
	ROW_SET(&estimated, PROCESS_PSS_LOW, 700);
	ROW_SET(&estimated, PROCESS_PSS_HIGH, 900);
	ROW_SET(&estimated, PROCESS_PSS_AGE, 0);
	sums_add(&s, &estimated);
	sums_merge(&other, &s);
	sums_end(&other);
	assert_int_equal(other.q[SCOPE_UNMEASURED_BLOCKED], 1);
	assert_true(ROW_HAS(&other, SCOPE_UNMEASURED_RSS_BLOCKED));
	assert_int_equal(other.q[SCOPE_UNMEASURED_RSS_BLOCKED], 0); /* nothing is missing */
	sums_add(&s, &never);
	sums_end(&s);
	assert_int_equal(s.q[SCOPE_UNMEASURED_BLOCKED], 2);
	assert_int_equal(s.q[SCOPE_UNMEASURED_RSS_BLOCKED], 5000);
	assert_int_equal(s.q[SCOPE_PSS], 800);
	assert_int_equal(s.q[SCOPE_PSS_ESTIMATED], 800);
	assert_int_equal(s.q[SCOPE_PSS_MEASURED], 0);
	assert_int_equal(s.q[SCOPE_GUESSED], 0);
	assert_int_equal(s.q[SCOPE_PSS_LOW], 700);
	assert_int_equal(s.q[SCOPE_PSS_HIGH], 5900);
}

/* sums_cap() limits the upper bound, but never below the sum itself. */
static void upper_bound_is_limited(void **state)
{
	struct sums s = {0};

	(void)state;
	ROW_SET(&s, SCOPE_PSS, 10);
	sums_cap(&s, 5);
	assert_false(ROW_HAS(&s, SCOPE_PSS_HIGH));
	ROW_SET(&s, SCOPE_PSS_HIGH, 100);
	sums_cap(&s, UINT64_MAX);
	assert_int_equal(s.q[SCOPE_PSS_HIGH], 100);
	sums_cap(&s, 50);
	assert_int_equal(s.q[SCOPE_PSS_HIGH], 50);
	sums_cap(&s, 7);
	assert_int_equal(s.q[SCOPE_PSS_HIGH], 10);
	assert_int_equal(s.q[SCOPE_PSS], 10);
}

/* sums_raise() raises the lower bound, but never above the sum itself. */
static void lower_bound_is_raised(void **state)
{
	struct sums s = {0};

	(void)state;
	sums_raise(&s, 5);
	assert_int_equal(s.present, 0);
	ROW_SET(&s, SCOPE_PSS, 10);
	ROW_SET(&s, SCOPE_PSS_LOW, 3);
	sums_raise(&s, 2);
	assert_int_equal(s.q[SCOPE_PSS_LOW], 3);
	sums_raise(&s, 7);
	assert_int_equal(s.q[SCOPE_PSS_LOW], 7);
	sums_raise(&s, 50);
	assert_int_equal(s.q[SCOPE_PSS_LOW], 10);
}

/* A partial sum is not shown as the whole. Processes without PSS are counted by reason. */
static void partial_sums_are_absent(void **state)
{
	struct snapshot_process measured = {.outcome = OUTCOME_MEASURED}, guessed = measured,
				denied = {.outcome = OUTCOME_DENIED};
	struct sums one = {0}, other = {0}, all = {0};

	(void)state;
	ROW_SET(&measured, PROCESS_PSS, 20);
	ROW_SET(&measured, PROCESS_USS, 10);
	ROW_SET(&guessed, PROCESS_PSS, 30);
	ROW_SET(&denied, PROCESS_RSS, 40);
	sums_add(&one, &measured);
	sums_add(&one, &denied);
	sums_add(&other, &measured);
	sums_add(&other, &guessed);
	sums_end(&one);
	sums_end(&other);
	assert_int_equal(one.q[SCOPE_USS], 10);
	assert_true(ROW_HAS(&one, SCOPE_USS));
	assert_false(ROW_HAS(&other, SCOPE_USS));
	assert_int_equal(other.q[SCOPE_PSS], 50);
	sums_merge(&all, &one);
	sums_merge(&all, &other);
	sums_end(&all);
	assert_false(ROW_HAS(&all, SCOPE_USS));
}

/* A row of an owner adds what its members would add, except for hugetlb pages. */
static void a_row_merges_like_its_members(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct sums by_rows = {0}, by_members = {0};

		for (unsigned int i = 0; i < 3; i++) {
			struct sums part = {0};
			struct snapshot_scope row = {0};

			for (unsigned int k = 0; k < (round + i) % 4; k++) {
				struct snapshot_process process = make(&seed);

				sums_add(&part, &process);
			}
			sums_end(&part);
			row.present = part.present;
			memcpy(row.q, part.q, sizeof(row.q));
			sums_merge_row(&by_rows, &row);
			part.has_hugetlb = false;
			sums_merge(&by_members, &part);
		}
		sums_end(&by_rows);
		sums_end(&by_members);
		assert_int_equal(by_rows.present, by_members.present);
		for (unsigned int i = 0; i < SCOPE_QUANTITIES; i++)
			if (ROW_HAS(&by_rows, i))
				assert_int_equal(by_rows.q[i], by_members.q[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_merge_to_the_whole),
		cmocka_unit_test(a_row_merges_like_its_members),
		cmocka_unit_test(upper_bound_is_limited),
		cmocka_unit_test(lower_bound_is_raised),
		cmocka_unit_test(partial_sums_are_absent),
		cmocka_unit_test(empty_sum_is_zero_without_a_maximum),
		cmocka_unit_test(shared_memory_counts_once_and_threads_each),
		cmocka_unit_test(unknown_start_is_absent),
		cmocka_unit_test(sums_have_their_parts_by_origin),
		cmocka_unit_test(every_reason_has_a_count_and_an_rss),
		cmocka_unit_test(blocked_processes_count_by_estimate_or_rss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
