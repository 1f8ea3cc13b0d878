/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/compare/compare-row.h: comparisons as table, JSON and CSV. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/compare/compare-row.h"
#include "snapshot/record.h"
#include "tests/unit/support/faults/allocation.h"

enum { ALL = (1 << SCRAPE_QUANTITIES) - 1, MIB = 1 << 20 };

/* An equal group, one with a growing process, and one of process-exporter alone. */
static struct comparison sample(void)
{
	static struct comparison_row rows[] = {
		{.name = "java",
			.ours = {.present = ALL, .q = {2, 300 * MIB, 200 * MIB}},
			.theirs = {.present = ALL, .q = {2, 301 * MIB, 201 * MIB}},
			.has_low = true,
			.has_high = true,
			.has_age = true,
			.pss_low_bytes = 199 * MIB,
			.pss_high_bytes = 205 * MIB,
			.age_ns = UINT64_C(8500000000),
			.reason = COMPARISON_TIME},
		{.name = "=bash",
			.ours = {.present = ALL, .q = {3, 12 * MIB, 2 * MIB}},
			.theirs = {.present = ALL, .q = {3, 12 * MIB, 2 * MIB}},
			.pss_high_bytes = INT64_MAX,
			.unmeasured = {1},
			.age_ns = UINT64_C(8000000000),
			.reason = COMPARISON_EQUAL},
		{.name = "httpd",
			.theirs = {.present = 1 << SCRAPE_PROCESSES | 1 << SCRAPE_RSS,
				.q = {1, MIB}},
			.reason = COMPARISON_ONLY_THEIRS},
	};

	return (struct comparison){.row = rows, .count = ARRAY_SIZE(rows), .unexplained = 1};
}

static void expect(const struct list_look *look, const char *expected)
{
	struct comparison c = sample();
	AUTO_BUFFER struct buffer text = {0};

	assert_int_equal(compare_row_print(&c, look, &text), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, expected);
}

static void a_table_has_a_total(void **state)
{
	(void)state;
	expect(&(struct list_look){.form = LIST_TABLE},
		"      PSS THEIR-PSS DIFFERENCE       RSS THEIR-RSS PROCESSES THEIR-PROCESSES NAMEGROUP WHY\n"
		"200.0 MiB 201.0 MiB   -1.0 MiB 300.0 MiB 301.0 MiB         2               2 java      measured at different times, ours 8 s ago\n"
		"  2.0 MiB   2.0 MiB    0.0 KiB  12.0 MiB  12.0 MiB         3               3 =bash     equal; of ours not measured: 1 denied\n"
		"        -         -          -         -   1.0 MiB         -               1 httpd     only theirs: is naming.process_exporter the same file?\n"
		"-----------------------------------------------------------------------------------------\n"
		"202.0 MiB 203.0 MiB   -1.0 MiB 312.0 MiB 314.0 MiB         5               6 total of 3 namegroups, 1 not explained\n");
}

static void csv_has_exact_amounts(void **state)
{
	(void)state;
	expect(&(struct list_look){.form = LIST_CSV},
		"namegroup,processes,their_processes,rss_bytes,their_rss_bytes,pss_bytes,their_pss_bytes,"
		"difference_bytes,pss_low_bytes,pss_high_bytes,unmeasured_processes,age_seconds,reason,explained,why\n"
		"java,2,2,314572800,315621376,209715200,210763776,-1048576,208666624,214958080,0,8.5,time,true,"
		"\"measured at different times, ours 8 s ago\"\n"
		"'=bash,3,3,12582912,12582912,2097152,2097152,0,,,1,,equal,true,\"equal; of ours not measured: 1 denied\"\n"
		"httpd,,1,,1048576,,,,,,,,only_theirs,false,only theirs: is naming.process_exporter the same file?\n");
}

static void json_leaves_out_absent_fields(void **state)
{
	(void)state;
	expect(&(struct list_look){.form = LIST_JSON, .limit = 1},
		"{\"version\":1,\"count\":3,\"unexplained\":1,\"namegroups\":["
		"{\"namegroup\":\"java\",\"processes\":2,\"their_processes\":2,\"rss_bytes\":314572800,"
		"\"their_rss_bytes\":315621376,\"pss_bytes\":209715200,\"their_pss_bytes\":210763776,"
		"\"difference_bytes\":-1048576,\"pss_low_bytes\":208666624,\"pss_high_bytes\":214958080,"
		"\"unmeasured_processes\":0,\"age_seconds\":8.5,\"reason\":\"time\",\"explained\":true,"
		"\"why\":\"measured at different times, ours 8 s ago\"}"
		"],\"total\":{\"processes\":5,\"their_processes\":6,\"rss_bytes\":327155712,"
		"\"their_rss_bytes\":329252864,\"pss_bytes\":211812352,\"their_pss_bytes\":212860928,"
		"\"difference_bytes\":-1048576,\"unmeasured_processes\":1}}\n");
}

/* A quantity that no group has is not 0 in all of them. */
static void an_absent_quantity_has_no_total(void **state)
{
	struct comparison c = sample();
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	c.row += 2;
	c.count = 1;
	assert_int_equal(compare_row_print(&c, &(struct list_look){.form = LIST_JSON}, &text), 0);
	buffer_add_char(&text, '\0');
	assert_non_null(strstr(
		text.data, "\"total\":{\"their_processes\":1,\"their_rss_bytes\":1048576}}\n"));
}

static void a_limit_leaves_out_rows_but_not_their_sums(void **state)
{
	struct comparison c = sample();
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	assert_int_equal(
		compare_row_print(&c, &(struct list_look){.form = LIST_TABLE, .limit = 2}, &text),
		0);
	buffer_add_char(&text, '\0');
	assert_null(strstr(text.data, "httpd"));
	assert_non_null(
		strstr(text.data, " 6 total of 3 namegroups (1 not shown), 1 not explained\n"));
}

/* On a narrow terminal the figures of RSS disappear before those of PSS, and reasons are folded. */
static void a_narrow_table_keeps_pss_and_reasons(void **state)
{
	struct comparison c = sample();
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	assert_int_equal(
		compare_row_print(&c, &(struct list_look){.form = LIST_TABLE, .width = 60}, &text),
		0);
	buffer_add_char(&text, '\0');
	assert_non_null(strstr(text.data, " THEIR-PSS "));
	assert_non_null(strstr(text.data, " WHY"));
	assert_null(strstr(text.data, "RSS "));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 60);
}

static void returns_errors_without_memory(void **state)
{
	static const enum list_form forms[] = {LIST_TABLE, LIST_JSON, LIST_CSV};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			struct comparison c = sample();
			AUTO_BUFFER struct buffer text = {0};

			allocation_fail_at(n);
			allocation_check(compare_row_print(
				&c, &(struct list_look){.form = forms[i]}, &text));
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_a_total),
		cmocka_unit_test(csv_has_exact_amounts),
		cmocka_unit_test(json_leaves_out_absent_fields),
		cmocka_unit_test(an_absent_quantity_has_no_total),
		cmocka_unit_test(a_limit_leaves_out_rows_but_not_their_sums),
		cmocka_unit_test(a_narrow_table_keeps_pss_and_reasons),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
