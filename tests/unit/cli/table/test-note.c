/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/table/note.h: notes on rows that are incomplete or uncertain. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/table/note.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

struct sums_case {
	uint64_t processes, denied, failed, guessed;
	int64_t pss_mib, low_mib, high_mib; /* -1: absent */
	const char *row, *total;
};

static void set(uint64_t *present, uint64_t *q, unsigned int i, uint64_t value)
{
	q[i] = value;
	*present |= UINT64_C(1) << i;
}

static void assert_says(struct buffer *b, const char *expected)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	assert_string_equal(b->data, expected);
}

static void sums_note_missing_processes_and_bounds(void **state)
{
	static const struct sums_case cases[] = {
		{54, 0, 0, 0, 800, 780, 819, "", ""},
		{54, 0, 0, 0, 800, 780, 820, "+-2.5 %", ", PSS between 780.0 and 820.0 MiB"},
		{54, 1, 0, 0, 1000, 1000, 1001, "1 of 54 denied", ", 1 denied"},
		{8, 0, 0, 6, 1024, 345, 2765, "6 of 8 guessed, up to 2.7 GiB",
			", 6 guessed, PSS between 345.0 MiB and 2.7 GiB"},
		{8, 1, 2, 3, 1000, 1000, 1001, "3 of 8 unmeasured, 3 of 8 guessed",
			", 3 unmeasured, 3 guessed"},
		/* without a PSS there are no bounds; and with a member of which nothing is known */
		{2, 2, 0, 0, -1, -1, 78, "2 of 2 denied", ", 2 denied"},
		{2, 0, 1, 0, 5, 5, -1, "1 of 2 unmeasured", ", 1 unmeasured, PSS at least 5.0 MiB"},
		/* the bounds differ, but not as they are printed */
		{54, 0, 0, 0, 1100, 1076, 1131, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct sums_case *c = &cases[i];
		uint64_t present = 0, q[SCOPE_QUANTITIES] = {0};
		AUTO_BUFFER struct buffer row = {0}, total = {0};
		struct note n;

		set(&present, q, SCOPE_PROCESSES, c->processes);
		set(&present, q, SCOPE_UNMEASURED_DENIED, c->denied);
		set(&present, q, SCOPE_UNMEASURED_CHANGING, c->failed);
		set(&present, q, SCOPE_GUESSED, c->guessed);
		if (c->pss_mib >= 0)
			set(&present, q, SCOPE_PSS, (uint64_t)c->pss_mib * MIB);
		if (c->low_mib >= 0)
			set(&present, q, SCOPE_PSS_LOW, (uint64_t)c->low_mib * MIB);
		if (c->high_mib >= 0)
			set(&present, q, SCOPE_PSS_HIGH, (uint64_t)c->high_mib * MIB);
		note_of_sums(present, q, &n);
		assert_int_equal(note_is_empty(&n, false), !*c->row);
		note_add(&row, &n, false);
		assert_says(&row, c->row);
		buffer_add_text(&total, "total");
		note_add_to_total(&total, &n, false);
		buffer_add_char(&total, '\0');
		assert_string_equal(total.data + strlen("total"), c->total);
	}
}

/* A wide range of a small amount gets no note. */
static void small_amounts_get_no_note(void **state)
{
	struct snapshot_process row = {.outcome = OUTCOME_MEASURED, .source = SOURCE_ESTIMATE};
	AUTO_BUFFER struct buffer b = {0};
	struct note n;

	(void)state;
	ROW_SET(&row, PROCESS_PSS, 200 * KIB);
	ROW_SET(&row, PROCESS_PSS_AGE, 1);
	ROW_SET(&row, PROCESS_PSS_LOW, 100 * KIB);
	ROW_SET(&row, PROCESS_PSS_HIGH, 100 * KIB + MIB - 1);
	note_of_process(&row, &n);
	assert_true(note_is_empty(&n, true));
	row.q[PROCESS_PSS_HIGH]++;
	note_of_process(&row, &n);
	assert_false(note_is_empty(&n, false));
	note_add(&b, &n, false);
	assert_says(&b, "up to 1.1 MiB");
}

/*
 * The kernel rounds the PSS of each process down by up to 1 KiB, which is much of a small amount
 * but no uncertainty.
 */
static void rounding_gets_no_note(void **state)
{
	uint64_t present = 0, q[SCOPE_QUANTITIES] = {0};
	AUTO_BUFFER struct buffer b = {0};
	struct note n;

	(void)state;
	set(&present, q, SCOPE_PROCESSES, 3000);
	set(&present, q, SCOPE_PSS, 12000 * KIB);
	set(&present, q, SCOPE_PSS_LOW, 12000 * KIB);
	set(&present, q, SCOPE_PSS_HIGH, 15000 * KIB);
	note_of_sums(present, q, &n);
	assert_true(note_is_empty(&n, true));
	q[SCOPE_PSS_HIGH]++;
	note_of_sums(present, q, &n);
	assert_false(note_is_empty(&n, true));
	note_add(&b, &n, true);
	assert_says(&b, "12288000 to 15360001");
}

/*
 * The percentage is that of the farther bound, rounded up. Beyond 100 % the upper bound is clearer.
 */
static void bounds_are_a_distance_from_the_pss(void **state)
{
	static const struct {
		uint64_t pss_mib, low_mib, high_mib;
		const char *text;
	} cases[] = {
		{100, 95, 112, "±12 %"},
		{100, 70, 105, "±30 %"},
		{300, 300, 400, "±34 %"},
		{100, 100, 200, "±100 %"},
		{100, 100, 201, "up to 201.0 MiB"},
		{0, 0, 9, "up to 9.0 MiB"},
	};

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t present = 0, q[SCOPE_QUANTITIES] = {0};
		AUTO_BUFFER struct buffer b = {0};
		struct note n;

		set(&present, q, SCOPE_PROCESSES, 2);
		set(&present, q, SCOPE_PSS, cases[i].pss_mib * MIB);
		set(&present, q, SCOPE_PSS_LOW, cases[i].low_mib * MIB);
		set(&present, q, SCOPE_PSS_HIGH, cases[i].high_mib * MIB);
		note_of_sums(present, q, &n);
		note_add(&b, &n, false);
		assert_says(&b, cases[i].text);
	}
	assert_non_null(setlocale(LC_CTYPE, "C"));
}

static void processes_note_why_they_have_no_pss(void **state)
{
	static const struct {
		enum process_outcome outcome;
		enum process_source source;
		bool has_age;
		const char *text;
	} cases[] = {
		{OUTCOME_MEASURED, SOURCE_ROLLUP, true, "+-80 %"},
		{OUTCOME_MEASURED, SOURCE_ESTIMATE, true, "+-80 %"},
		{OUTCOME_MEASURED, SOURCE_ESTIMATE, false, "guessed, +-80 %"},
		{OUTCOME_DENIED, SOURCE_RSS, false, "denied"},
		{OUTCOME_BLOCKED, SOURCE_RSS, false, "blocked"},
		{OUTCOME_BLOCKED, SOURCE_ESTIMATE, true, "blocked, +-80 %"},
		{OUTCOME_SHARED_MM, SOURCE_NONE, false, "memory of 77"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_process row = {.outcome = (uint8_t)cases[i].outcome,
			.source = (uint8_t)cases[i].source,
			.mm_pid = 77};
		AUTO_BUFFER struct buffer b = {0};
		struct note n;

		if (row.outcome == OUTCOME_MEASURED || row.source == SOURCE_ESTIMATE) {
			ROW_SET(&row, PROCESS_PSS, 5 * MIB);
			ROW_SET(&row, PROCESS_PSS_LOW, MIB);
			ROW_SET(&row, PROCESS_PSS_HIGH, 9 * MIB);
		}
		if (cases[i].has_age)
			ROW_SET(&row, PROCESS_PSS_AGE, 1);
		note_of_process(&row, &n);
		assert_false(note_is_empty(&n, false));
		note_add(&b, &n, false);
		assert_says(&b, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_note_missing_processes_and_bounds),
		cmocka_unit_test(small_amounts_get_no_note),
		cmocka_unit_test(rounding_gets_no_note),
		cmocka_unit_test(bounds_are_a_distance_from_the_pss),
		cmocka_unit_test(processes_note_why_they_have_no_pss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
