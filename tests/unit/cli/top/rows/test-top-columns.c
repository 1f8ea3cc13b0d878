/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the columns: which fit, what they print, and what stands in place of absent figures. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/top/rows/samples.h"
#include "cli/top/rows/top-columns.h"
#include "tests/unit/support/cli/process-row.h"
#include "tests/unit/support/snapshot/sample.h"

/* The columns take the width at most, and end with the name. The sort column stays. */
static void columns_fit_into_any_width(void **state)
{
	(void)state;
	for (unsigned int v = 0; v < TOP_VIEWS; v++)
		for (unsigned int sort = 0; sort < TOP_COLUMNS; sort++)
			for (size_t width = 24; width <= 300; width++) {
				enum top_column column[TOP_COLUMNS];
				size_t count = top_columns_fit(
					(enum top_view)v, width, (enum top_column)sort, column);
				bool has_sort = false,
				     has_view = top_columns_spec(sort)->views >> v & 1;
				size_t used = 0;

				for (size_t i = 0; i < count; i++) {
					used += top_columns_spec(column[i])->width + (i > 0);
					has_sort |= column[i] == (enum top_column)sort;
				}
				assert_int_equal(column[count - 1], TOP_COLUMN_NAME);
				assert_in_range(used, 0, width > 24 ? width : 24);
				if (width >= 40)
					assert_int_equal(has_sort, has_view);
			}
}

static void the_first_columns_stay_longest(void **state)
{
	static const struct {
		size_t width;
		enum top_view view;
		const char *expected;
	} cases[] = {
		{40, TOP_VIEW_PROCESS, "PSS ± +10min NAME"},
		{80, TOP_VIEW_PROCESS, "PID PSS ± USS SWAP +1min +10min TREND NAME"},
		{80, TOP_VIEW_TREE, "PID PSS ± SWAP +1min +10min TREND NAME"},
		{80, TOP_VIEW_USER, "PSS ± USS RSS SWAP +1min +10min TREND NAME"},
		{132, TOP_VIEW_PROCESS,
			"PID USER PSS ± USS RSS SWAP PSS+SW +1min +10min TREND NAME"},
		{132, TOP_VIEW_USER, "PSS ± USS RSS SWAP PSS+SW +1min +10min TREND PROCS NAME"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum top_column column[TOP_COLUMNS];
		size_t count = top_columns_fit(
			cases[i].view, cases[i].width, TOP_COLUMN_PSS, column);
		AUTO_BUFFER struct buffer text = {0};

		for (size_t k = 0; k < count; k++)
			buffer_printf(
				&text, "%s%s", k ? " " : "", top_columns_spec(column[k])->head);
		buffer_add_char(&text, '\0');
		assert_string_equal(text.data, cases[i].expected);
	}
}

/* Letters that sort are of one column each; names of -s are found in small letters and capitals. */
static void keys_and_names_are_unique(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < TOP_COLUMNS; a++) {
		const struct top_column_spec *spec = top_columns_spec((enum top_column)a);

		for (unsigned int b = 0; b < a; b++)
			assert_true(!spec->key || spec->key != top_columns_spec(b)->key);
		if (spec->name)
			assert_int_equal(top_columns_find(spec->name), a);
	}
	assert_int_equal(top_columns_find("Growth10"), TOP_COLUMN_GROWTH_10);
	assert_int_equal(top_columns_find("swap_pss_bytes"), TOP_COLUMN_SWAP);
	assert_int_equal(top_columns_find("colour"), TOP_COLUMNS);
	assert_int_equal(top_columns_find(""), TOP_COLUMNS);
}

static void expect(const struct top_glance *g, enum top_column c, const struct top_row *r,
	const char *expected, enum style style)
{
	AUTO_BUFFER struct buffer text = {0};

	assert_int_equal(top_columns_add(g, c, r, &text), style);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

/* An absent figure is a word or a dash, and never a number. */
static void absent_figures_are_words(void **state)
{
	static const struct {
		uint32_t pid;
		const char *pss;
	} cases[] = {{300, "denied"}, {301, "changes"}, {1002, "shared"}, {4242, "invalid"},
		{4243, "error"}};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct top_glance glance = {.view = view};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_row row = process_row(view, cases[i].pid);

		expect(&glance, TOP_COLUMN_PSS, &row, cases[i].pss, STYLE_BAD);
		assert_in_range(strlen(cases[i].pss), 1, top_columns_spec(TOP_COLUMN_PSS)->width);
		expect(&glance, TOP_COLUMN_USS, &row, "-", STYLE_DIM);
		expect(&glance, TOP_COLUMN_SWAP, &row, "-", STYLE_DIM);
		expect(&glance, TOP_COLUMN_PSS_SWAP, &row, "-", STYLE_DIM);
		expect(&glance, TOP_COLUMN_GROWTH_10, &row, "-", STYLE_DIM);
		expect(&glance, TOP_COLUMN_TREND, &row, "", STYLE_NORMAL);
	}
}

static void blocked_processes_say_so(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_blocked = true});
	const struct top_glance glance = {.view = view};
	struct top_row row = process_row(view, SAMPLE_BLOCKED);
	uint64_t pss;

	(void)state;
	/* It has an estimate, or says why there is none. */
	if (amounts_get(&row.amounts, AMOUNT_PSS, &pss))
		expect(&glance, TOP_COLUMN_PSS, &row, "1.5M", STYLE_NORMAL);
	else
		expect(&glance, TOP_COLUMN_PSS, &row, "blocked", STYLE_BAD);
}

static void doubts_have_signs(void **state)
{
	static const struct {
		uint64_t low_mib, pss_mib, high_mib;
		bool is_unbounded;
		const char *utf8, *ascii;
		enum style style;
	} cases[] = {
		{100, 100, 100, false, "", "", STYLE_NORMAL},
		{80, 100, 110, false, "±20%", "+-20%", STYLE_UNCERTAIN},
		{99, 100, 112, false, "±12%", "+-12%", STYLE_UNCERTAIN},
		{0, 100, 200, false, "±100%", "+-100%", STYLE_UNCERTAIN},
		{100, 100, 345, false, "≤345M", "<345M", STYLE_UNCERTAIN},
		{100, 100, 0, true, "≥", ">=", STYLE_UNCERTAIN},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct top_glance glance = {.view = view};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_row row = {.name = "", .amounts = {.present = (1U << AMOUNTS) - 1}};

		row.amounts.is_unbounded = cases[i].is_unbounded;
		row.amounts.q[AMOUNT_PROCESSES] = 1;
		row.amounts.q[AMOUNT_PSS] = cases[i].pss_mib << 20;
		row.amounts.q[AMOUNT_PSS_LOW] = cases[i].low_mib << 20;
		row.amounts.q[AMOUNT_PSS_HIGH] = cases[i].high_mib << 20;
		assert_non_null(setlocale(LC_CTYPE, "C"));
		expect(&glance, TOP_COLUMN_DOUBT, &row, cases[i].ascii, cases[i].style);
		assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
		expect(&glance, TOP_COLUMN_DOUBT, &row, cases[i].utf8, cases[i].style);
	}
}

static void guesses_say_so(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.is_estimated = true});
	const struct top_glance glance = {.view = view};
	struct top_row row = process_row(view, SAMPLE_GUESSED);

	(void)state;
	row.amounts.q[AMOUNT_PSS_LOW] = row.amounts.q[AMOUNT_PSS_HIGH] = row.amounts.q[AMOUNT_PSS];
	expect(&glance, TOP_COLUMN_DOUBT, &row, "guess", STYLE_UNCERTAIN);
}

static void growth_and_trend_are_those_of_the_history(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct history history = {0};
	const struct top_glance glance = {.view = view};
	struct top_row row = process_row(view, 1000);
	struct top_known known;

	(void)state;
	for (uint64_t ago_s = 600; ago_s + 15 > 15; ago_s -= 15) {
		assert_true(history_begin(
			&history, SAMPLE_BOOTTIME_NS - ago_s * NS_PER_SEC, SAMPLE_INTERVAL_NS));
		history_add(&history, &row.past,
			row.amounts.q[AMOUNT_PSS] - ago_s * ((UINT64_C(1) << 20) / 2));
		history_end(&history);
	}
	known = top_known_of(&history, SAMPLE_BOOTTIME_NS, 0);
	top_row_remember(&row, view, &history, &known);
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	expect(&glance, TOP_COLUMN_GROWTH_1, &row, "+30.0M", STYLE_GROWN);
	expect(&glance, TOP_COLUMN_GROWTH_10, &row, "+300M", STYLE_GROWN);
	expect(&glance, TOP_COLUMN_TREND, &row, "▁▁▂▃▄▅▆█", STYLE_NORMAL);
	assert_non_null(setlocale(LC_CTYPE, "C"));
	expect(&glance, TOP_COLUMN_TREND, &row, "__.-=+*@", STYLE_NORMAL);
	history_done(&history);
}

/* Until ten minutes are known, growth is of what is known, and the heads say so. */
static void heads_tell_the_known_span(void **state)
{
	static const struct {
		uint64_t known_s;
		const char *heads, *growth[TOP_SPANS];
	} cases[] = {
		{0, "+1min +10min", {"-", "-"}},
		{4, "+1min +10min", {"-", "-"}},
		/* There is one span, and one column has it. */
		{37, "+35s +10min", {"+17.5M", "-"}},
		{60, "+1min +10min", {"+30.0M", "-"}},
		{119, "+1min +10min", {"+30.0M", "-"}},
		{245, "+1min +4min", {"+30.0M", "+120M"}},
		{600, "+1min +10min", {"+30.0M", "+300M"}},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct top_glance glance = {.view = view};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_row row = process_row(view, 1000);
		AUTO_BUFFER struct buffer heads = {0};
		struct history history = {0};
		struct top_known known;

		for (uint64_t ago_s = cases[i].known_s;; ago_s -= ago_s < 15 ? ago_s : 15) {
			if (history_begin(&history, SAMPLE_BOOTTIME_NS - ago_s * NS_PER_SEC,
				    SAMPLE_INTERVAL_NS)) {
				history_add(&history, &row.past,
					row.amounts.q[AMOUNT_PSS] - ago_s * (UINT64_C(1) << 19));
				history_end(&history);
			}
			if (!ago_s)
				break;
		}
		known = top_known_of(&history, SAMPLE_BOOTTIME_NS, 0);
		top_row_remember(&row, view, &history, &known);
		top_columns_add_head(TOP_COLUMN_GROWTH_1, TOP_VIEW_PROCESS, &known, &heads);
		buffer_add_char(&heads, ' ');
		top_columns_add_head(TOP_COLUMN_GROWTH_10, TOP_VIEW_PROCESS, &known, &heads);
		buffer_add_char(&heads, '\0');
		assert_string_equal(heads.data, cases[i].heads);
		for (unsigned int k = 0; k < TOP_SPANS; k++)
			expect(&glance, k ? TOP_COLUMN_GROWTH_10 : TOP_COLUMN_GROWTH_1, &row,
				cases[i].growth[k],
				cases[i].growth[k][0] == '-' ? STYLE_DIM : STYLE_GROWN);
		history_done(&history);
	}
}

/* A process that has started in the span is new, and has grown by its PSS. */
static void young_processes_are_new(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct top_glance glance = {.view = view};
	struct top_row row = process_row(view, 300); /* seconds old */
	const struct history none = {0};
	const struct top_known known = top_known_of(&none, SAMPLE_BOOTTIME_NS, 0);
	int64_t grown;

	(void)state;
	amounts_begin(&row.amounts);
	row.amounts.present = 1U << AMOUNT_PSS;
	row.amounts.q[AMOUNT_PSS] = UINT64_C(5) << 20;
	top_row_remember(&row, view, &none, &known);
	expect(&glance, TOP_COLUMN_GROWTH_1, &row, "-", STYLE_DIM);
	expect(&glance, TOP_COLUMN_GROWTH_10, &row, "new", STYLE_GROWN);
	assert_true(top_columns_rank(TOP_COLUMN_GROWTH_10, &row, &grown));
	assert_int_equal(grown, 5 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_fit_into_any_width),
		cmocka_unit_test(the_first_columns_stay_longest),
		cmocka_unit_test(keys_and_names_are_unique),
		cmocka_unit_test(absent_figures_are_words),
		cmocka_unit_test(blocked_processes_say_so),
		cmocka_unit_test(doubts_have_signs),
		cmocka_unit_test(guesses_say_so),
		cmocka_unit_test(growth_and_trend_are_those_of_the_history),
		cmocka_unit_test(heads_tell_the_known_span),
		cmocka_unit_test(young_processes_are_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
