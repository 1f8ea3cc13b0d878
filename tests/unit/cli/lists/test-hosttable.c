/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the tables of the host's memory, with balance sheets made here. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "cli/lists/hosttable.h"
#include "snapshot/balance.h"
#include "tests/unit/support/faults/full.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

/*
 * Formats a table as text: a line for each row, columns separated by bars, and the notes after the
 * total.
 */
static void flatten(const struct table *t, struct buffer *to)
{
	const char *cell = t->text.data;

	for (size_t i = 0; i < t->columns; i++)
		buffer_printf(
			to, "%s%s", t->column[i].column->head, i + 1 < t->columns ? "|" : "\n");
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < t->columns; i++, cell += strlen(cell) + 1)
			buffer_printf(to, "%s%s", cell, i + 1 < t->columns ? "|" : "\n");
	buffer_add(to, t->total.data, t->total.len);
	buffer_add_char(to, '\0');
}

/* Returns an image with SUMS of the host, and with BALANCE unless it is NULL. */
static struct view *make_of(
	const struct snapshot_scope *sums, const struct snapshot_balance *balance)
{
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	*s.host = *sums;
	if (balance)
		*builder_add_balance(&s.builder) = *balance;
	return small_view(&s.builder, NULL);
}

/* Returns an image with BALANCE and no other sums of the host. */
static struct view *make(const struct snapshot_balance *balance, uint64_t mem_total)
{
	struct snapshot_scope host = {0};

	if (mem_total)
		ROW_SET(&host, SCOPE_MEM_TOTAL, mem_total);
	return make_of(&host, balance);
}

static void check(const struct view *view, enum hosttable which, bool bytes, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0}, unused = {0};
	AUTO_LIST struct list list = {.to = NULL};

	assert_int_equal(
		hosttable_build(view, which,
			&(struct list_look){.form = LIST_TABLE, .bytes = bytes}, &unused, &list),
		0);
	flatten(&list.table, &text);
	assert_string_equal(text.data, expected);
}

static const struct list_look as_table = {.form = LIST_TABLE}, as_csv = {.form = LIST_CSV};

static void memory_adds_up(void **state)
{
	struct snapshot_balance s = {0};
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	ROW_SET(&s, BALANCE_PSS_ANON, UINT64_C(600) << 20);
	ROW_SET(&s, BALANCE_HUGETLB, 0);
	ROW_SET(&s, BALANCE_FREE, UINT64_C(400) << 20);
	ROW_SET(&s, BALANCE_RESIDUAL, UINT64_C(24) << 20);
	ROW_SET(&s, BALANCE_RESIDUAL_LOW, UINT64_C(24) << 20);
	ROW_SET(&s, BALANCE_RESIDUAL_HIGH, UINT64_C(24) << 20);
	view = make(&s, UINT64_C(1024) << 20);
	check(view, HOSTTABLE_MEMORY, false,
		"MEMORY|SHARE|KIND|MEANING\n"
		"600.0 MiB|59 %|pss_anon|anonymous memory of processes\n"
		"400.0 MiB|39 %|free|free\n"
		"24.0 MiB|2.3 %|unaccounted|memory that no counter of the kernel contains\n"
		"1.0 GiB|100 %||\n"
		"MemTotal");
}

/* A residual below 0, with the larger of the error of the sum of PSS and its bounds. */
static void the_residual_has_a_sign(void **state)
{
	static const struct {
		int64_t error, low, high;
		const char *text;
	} cases[] = {
		{-4, -30, 5, "; by the bounds of its parts, off by at most 20"},
		{-4, -12, 5, "; by the bounds of its parts, off by at most 15"},
		{-4, -12, -9, "; the sum of PSS is too high by 4"},
		{4, -12, -9, "; the sum of PSS is too low by 4"},
		{0, -10, -10, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_balance s = {0};
		AUTO_VIEW struct view *view = NULL;
		char expected[300];

		ROW_SET(&s, BALANCE_FREE, 1010);
		ROW_SET(&s, BALANCE_RESIDUAL, (uint64_t)-10);
		ROW_SET(&s, BALANCE_RESIDUAL_PROCESSES, (uint64_t)cases[i].error);
		ROW_SET(&s, BALANCE_RESIDUAL_LOW, (uint64_t)cases[i].low);
		ROW_SET(&s, BALANCE_RESIDUAL_HIGH, (uint64_t)cases[i].high);
		view = make(&s, 1000);
		snprintf(expected, sizeof(expected),
			"MEMORY|SHARE|KIND|MEANING\n"
			"1010|101 %%|free|free\n"
			"-10|-1 %%|unaccounted|memory that no counter of the kernel contains%s\n"
			"1000|100 %%||\n"
			"MemTotal",
			cases[i].text);
		check(view, HOSTTABLE_MEMORY, true, expected);
	}
}

/* Without one of its bounds the residual may be off by any amount, whatever the other bound is. */
static void the_residual_may_have_no_bound(void **state)
{
	static const struct {
		enum balance_quantity present;
		const char *text;
	} cases[] = {
		{BALANCE_RESIDUAL_HIGH, "off by an unknown amount, since a PSS has no upper bound"},
		{BALANCE_RESIDUAL_LOW, "off by an unknown amount, since a PSS has no lower bound"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_balance s = {0};
		AUTO_VIEW struct view *view = NULL;
		char expected[300];

		ROW_SET(&s, BALANCE_RESIDUAL, 10);
		ROW_SET(&s, BALANCE_RESIDUAL_PROCESSES, 4);
		ROW_SET(&s, cases[i].present, 30);
		view = make(&s, 1000);
		snprintf(expected, sizeof(expected),
			"MEMORY|SHARE|KIND|MEANING\n"
			"10|1 %%|unaccounted|memory that no counter of the kernel contains; %s\n"
			"1000|100 %%||\n"
			"MemTotal",
			cases[i].text);
		check(view, HOSTTABLE_MEMORY, true, expected);
	}
}

static void unknown_lines_are_not_shown(void **state)
{
	struct snapshot_balance s = {0};

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		AUTO_VIEW struct view *view = NULL;

		if (i == 1)
			ROW_SET(&s, BALANCE_FREE, 1); /* and no residual */
		view = make(i < 2 ? &s : NULL, 1000);
		for (unsigned int k = 0; k < HOSTTABLE_FIELDS; k++) {
			AUTO_BUFFER struct buffer unused = {0};
			AUTO_LIST struct list list = {.to = NULL};

			assert_int_equal(
				hosttable_build(view, (enum hosttable)k, &as_table, &unused, &list),
				HOSTTABLE_EMPTY);
		}
	}
}

static void swap_adds_up(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	check(view, HOSTTABLE_SWAP, true,
		"SWAP|SHARE|KIND|MEANING\n"
		"1179648|0.12 %|processes|their SwapPss\n"
		"8192|under 0.001 %|sysv|SysV segments\n"
		"-4096|-under 0.001 %|unknown|other swapped memory, such as files on tmpfs\n"
		"1024000000|99.9 %|free|free\n"
		"1025183744|100 %||\n"
		"SwapTotal");
}

static void holders_and_tmpfs_have_rows(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);

	(void)state;
	check(view, HOSTTABLE_SHMEM, false,
		"SYSV|UNATTACHED|SWAPPED|SEGMENTS|TMPFS|USER\n"
		"4.0 KiB|8.0 KiB|12.0 KiB|20480|24.0 KiB|alice\n"
		"4.0 KiB|-|-|-|-|(other)\n");
	check(view, HOSTTABLE_TMPFS, false,
		"USED|SIZE|OWNED|TMPFS\n"
		"64.0 KiB|-|8.0 KiB|/mnt/\"a b\\\n"
		"64.0 KiB|-|8.0 KiB|\n"
		"total, 1 tmpfs not read");
}

/* With the sample, which has every line. */
static void every_line_is_in_the_sheet(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer text = {0}, unused = {0};
	AUTO_LIST struct list list = {.to = NULL};

	(void)state;
	assert_int_equal(hosttable_build(view, HOSTTABLE_MEMORY, &as_table, &unused, &list), 0);
	flatten(&list.table, &text);
	for (unsigned int i = 0; i < BALANCE_KINDS; i++) {
		const struct balance_kind *kind = balance_kind(i);
		char cell[64];

		snprintf(cell, sizeof(cell), "|%s|", kind->name);
		assert_int_equal(
			strstr(text.data, cell) != NULL, ROW_HAS(view_balance(view), kind->line));
	}
}

static void shows_all_quantities(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer text = {0}, csv = {0}, unused = {0};
	AUTO_LIST struct list list = {.to = NULL}, cells = {.to = NULL};
	size_t count, present = 0;
	const struct metric *m = metric_table(METRIC_HOST, &count);

	(void)state;
	assert_int_equal(hosttable_build(view, HOSTTABLE_FIELDS, &as_table, &unused, &list), 0);
	flatten(&list.table, &text);
	for (size_t i = 0; i < count; i++)
		present += ROW_HAS(view_host(view), m[i].index) &&
		           view_host(view)->q[m[i].index] != 0;
	assert_int_equal(list.rows, present);
	assert_non_null(strstr(text.data, "\n596.3 MiB|pss_bytes|Proportional set size"));
	assert_non_null(strstr(text.data, "\n15.6 GiB|mem_total_bytes|"));
	assert_non_null(strstr(text.data,
		"\n1|unmeasured_processes.denied|Processes that could not be measured, because the "
		"kernel refuses to show their memory.\n"));
	assert_non_null(strstr(text.data,
		"|unmeasured_rss_bytes.denied|RSS of processes that could not be measured, because"));
	assert_null(strstr(text.data, "unmeasured_processes.blocked")); /* 0 */
	assert_null(strstr(text.data, "pss_high_bytes"));               /* absent */
	assert_int_equal(hosttable_build(view, HOSTTABLE_FIELDS, &as_csv, &csv, &cells), 0);
	buffer_add_char(&csv, '\0');
	assert_int_equal(strncmp(csv.data, "field,value\n", 12), 0);
	assert_non_null(strstr(csv.data, "\npss_bytes,625285120\n"));
	assert_non_null(strstr(csv.data, "\nunmeasured_processes.denied,1\n"));
	assert_non_null(strstr(csv.data, "\nunmeasured_processes.blocked,0\n"));
	assert_non_null(strstr(csv.data, "\nresidual_bytes,"));
}

static bool is_reason(const struct metric *m)
{
	return metric_applies(m, METRIC_HOST) && m->label && !strcmp(m->label, "reason");
}

/* Each value of a label "reason" is explained by more than its name. */
static void explains_each_reason(void **state)
{
	AUTO_BUFFER struct buffer text = {0}, unused = {0};
	AUTO_LIST struct list list = {.to = NULL};
	struct snapshot_scope host = {0};
	AUTO_VIEW struct view *view = NULL;
	size_t count, reasons = 0;
	const struct metric *m = metric_table(METRIC_HOST, &count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		if (is_reason(&m[i]))
			ROW_SET(&host, m[i].index, 4096);
	view = make_of(&host, NULL);
	assert_int_equal(hosttable_build(view, HOSTTABLE_FIELDS, &as_table, &unused, &list), 0);
	flatten(&list.table, &text);
	for (size_t i = 0; i < count; i++) {
		char field[METRIC_NAME_SIZE], cell[200], bare[80];
		const char *row;

		if (!is_reason(&m[i]))
			continue;
		reasons++;
		metric_field(&m[i], field);
		snprintf(cell, sizeof(cell), "|%s.%s|", field, m[i].value);
		snprintf(bare, sizeof(bare), "because %s.", m[i].value);
		row = strstr(text.data, cell);
		row = row ? strstr(row, "because ") : NULL;
		if (!row || !strncmp(row, bare, strlen(bare)))
			fail_msg("%s is not explained", cell);
	}
	assert_true(reasons > 0);
}

/* The quantities go to a buffer that is nearly full already, so that it has to be written amid them. */
static void returns_errors_of_output(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_BUFFER struct buffer text = {0};
	AUTO_LIST struct list list = {.to = NULL};
	int r;

	(void)state;
	for (unsigned int i = 0; i < (1 << 16) - 100; i++)
		buffer_add_char(&text, ' ');
	full_begin();
	r = hosttable_build(view, HOSTTABLE_FIELDS, &as_csv, &text, &list);
	assert_int_equal(full_end(), 1);
	assert_int_equal(r, -ENOSPC);
	assert_int_equal(text.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_adds_up),
		cmocka_unit_test(the_residual_has_a_sign),
		cmocka_unit_test(the_residual_may_have_no_bound),
		cmocka_unit_test(unknown_lines_are_not_shown),
		cmocka_unit_test(swap_adds_up),
		cmocka_unit_test(holders_and_tmpfs_have_rows),
		cmocka_unit_test(every_line_is_in_the_sheet),
		cmocka_unit_test(shows_all_quantities),
		cmocka_unit_test(explains_each_reason),
		cmocka_unit_test(returns_errors_of_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
