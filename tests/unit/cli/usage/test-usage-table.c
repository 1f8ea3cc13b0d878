/* SPDX-License-Identifier: Apache-2.0 */
/* Tests reports of usage as table, JSON and CSV, from rows made here. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <time.h>

#include "base/log.h"
#include "cli/usage/usage-table.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/process/running.h"

#define GIB_HOUR (UINT64_C(3600) << 20) /* KiB seconds */

static void add_part(struct usage_table *b, const struct usage_row *rows, uint32_t count,
	int64_t from_s, uint64_t covered_ms)
{
	struct usage_table_part *part = &b->part[b->parts++];

	part->period = (struct period){.from_s = from_s, .to_s = from_s + 3600};
	part->head = (struct usage_head){.rows = count,
		.since_s = from_s,
		.until_s = from_s + 3600,
		.now_s = from_s + 86400,
		.first_s = 0,
		.covered_ms = covered_ms,
		.sampled_ms = covered_ms};
	usage_begin(&part->answer);
	for (uint32_t i = 0; i < count; i++)
		usage_add(&part->answer, &rows[i]);
	usage_end(&part->answer, &part->head);
}

/* Usage of two hours; part of the second hour was not measured. */
static void make(struct usage_table *b, enum usage_kind kind)
{
	static const struct usage_row rows[] = {
		{.id = 1000,
			.present = 0x1f,
			.q = {2 * GIB_HOUR, 4 << 20, GIB_HOUR / 2, 7200000, 3},
			.name = "alice",
			.user = ""},
		{.id = OWNER_NO_ID,
			.present = 1,
			.q = {GIB_HOUR / 4},
			.name = "b,\"o\"b",
			.user = "x"},
	};

	*b = (struct usage_table){
		.kind = kind, .per = USAGE_PER_HOUR, .part = calloc(2, sizeof(*b->part))};
	assert_non_null(b->part);
	add_part(b, rows, 2, 1795413600, 3600000);
	add_part(b, rows, 1, 1795417200, 1800000);
}

/* As make(), with the rows chosen and sorted as for printing. */
static void make_chosen(struct usage_table *b, enum usage_kind kind)
{
	make(b, kind);
	assert_int_equal(usage_table_select(b), 0);
}

/* Usage of one hour with COUNT ROWS, chosen by CHOICE. */
static void make_of(struct usage_table *b, enum usage_kind kind, const struct usage_row *rows,
	uint32_t count, const struct usage_line_choice *choice)
{
	*b = (struct usage_table){
		.kind = kind, .part = calloc(1, sizeof(*b->part)), .choice = *choice};
	assert_non_null(b->part);
	add_part(b, rows, count, 1795413600, 3600000);
	assert_int_equal(usage_table_select(b), 0);
}

/* Prints a copy of BILL in FORM. */
static int print_as(const struct usage_table *bill, enum list_form form, struct buffer *to)
{
	struct usage_table own = *bill;

	own.look.form = form;
	return form == LIST_JSON ? usage_table_json(&own, to) : usage_table_print(&own, to);
}

static void get_csv(const struct usage_table *b, struct buffer *to)
{
	buffer_clear(to);
	assert_int_equal(print_as(b, LIST_CSV, to), 0);
	buffer_add_char(to, '\0');
	assert_int_equal(to->error, 0);
}

static void csv_has_a_line_for_each_row(void **state)
{
	AUTO_USAGE_TABLE struct usage_table b = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	make_chosen(&b, USAGE_USER);
	assert_int_equal(print_as(&b, LIST_CSV, &text), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data,
		"since,until,covered_ratio,own_only,user,uid,pss_byte_seconds,pss_gib_hours,pss_mean_bytes,pss_max_bytes,"
		"swap_pss_byte_seconds,swap_pss_gib_hours,processes_mean,processes_max\n"
		"2026-11-23T06:00:00Z,2026-11-23T07:00:00Z,1,false,alice,1000,7730941132800,2,2147483648,4294967296,1932735283200,0.5,2,3\n"
		"2026-11-23T06:00:00Z,2026-11-23T07:00:00Z,1,false,\"b,\"\"o\"\"b\",,966367641600,0.25,268435456,,,,,\n"
		"2026-11-23T07:00:00Z,2026-11-23T08:00:00Z,0.5,false,alice,1000,7730941132800,2,4294967296,4294967296,1932735283200,0.5,4,3\n");
}

static void json_leaves_out_absent_fields(void **state)
{
	AUTO_USAGE_TABLE struct usage_table b = {0};
	AUTO_BUFFER struct buffer text = {0};
	json_t *json, *usage, *rows, *bob;

	(void)state;
	make_chosen(&b, USAGE_CONTAINER);
	assert_int_equal(print_as(&b, LIST_JSON, &text), 0);
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	usage = json_object_get(json, "usage");
	assert_string_equal(json_string_value(json_object_get(usage, "by")), "container");
	assert_int_equal(json_array_size(json_object_get(usage, "periods")), 2);
	rows = json_object_get(json_array_get(json_object_get(usage, "periods"), 0), "containers");
	assert_int_equal(json_array_size(rows), 2);
	bob = json_array_get(rows, 1);
	assert_string_equal(json_string_value(json_object_get(bob, "container")), "b,\"o\"b");
	assert_string_equal(json_string_value(json_object_get(bob, "user")), "x");
	assert_null(json_object_get(bob, "pss_max_bytes"));
	assert_null(json_object_get(bob, "processes_mean"));
	assert_int_equal(
		json_integer_value(json_object_get(bob, "pss_byte_seconds")), 966367641600);
	assert_non_null(json_object_get(json_object_get(json, "ledger"), "write_failures"));
	assert_true(json_is_false(json_object_get(json_object_get(json, "ledger"), "late")));
	assert_true(json_is_false(json_object_get(json_object_get(json, "ledger"), "failing")));
	json_decref(json);
}

static void draw(const struct usage_table *b, struct buffer *to)
{
	buffer_clear(to);
	assert_int_equal(print_as(b, LIST_TABLE, to), 0);
	buffer_add_char(to, '\0');
}

/* The total is the same whether all rows are shown or not. */
static void a_table_has_a_total(void **state)
{
	AUTO_USAGE_TABLE struct usage_table b = {0};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	make_chosen(&b, USAGE_USER);
	assert_int_equal(usage_table_rows(&b), 3);
	draw(&b, &text);
	assert_string_equal(text.data,
		"HOUR             GIB-HOURS      MEAN     MAX SWAP-GIB-HOURS PROCESSES COVERED USER\n"
		"2026-11-23 06:00     2.000   2.0 GiB 4.0 GiB          0.500       2.0   100 % alice\n"
		"2026-11-23 06:00     0.250 256.0 MiB       -              -         -   100 % b,\"o\"b\n"
		"2026-11-23 07:00     2.000   4.0 GiB 4.0 GiB          0.500       4.0    50 % alice\n"
		"---------------------------------------------------------------------------------\n"
		"                     4.250                            1.000 total of 3 rows\n");
	b.look.limit = 1;
	draw(&b, &text);
	assert_string_equal(text.data,
		"HOUR             GIB-HOURS    MEAN     MAX SWAP-GIB-HOURS PROCESSES COVERED USER\n"
		"2026-11-23 06:00     2.000 2.0 GiB 4.0 GiB          0.500       2.0   100 % alice\n"
		"2026-11-23 07:00     2.000 4.0 GiB 4.0 GiB          0.500       4.0    50 % alice\n"
		"-------------------------------------------------------------------------------\n"
		"                     4.250                          1.000 total of 3 rows (1 not shown)\n");
}

/* In the first hour of a ledger no row has a GiB hour. CSV keeps the unit of its names. */
static void small_amounts_are_mib_hours(void **state)
{
	static const struct usage_row rows[] = {
		{.id = 1,
			.present = 0x1f,
			.q = {GIB_HOUR / 2, 1 << 20, GIB_HOUR / 1024 / 8, 3600000, 1},
			.name = "a",
			.user = ""},
		{.id = 2, .present = 1, .q = {GIB_HOUR / 1024 / 4}, .name = "b", .user = ""},
	};
	AUTO_USAGE_TABLE struct usage_table b = {0}, large = {0};
	AUTO_BUFFER struct buffer text = {0}, csv = {0};
	struct usage_row one = rows[0];

	(void)state;
	make_of(&b, USAGE_USER, rows, 2, &(struct usage_line_choice){0});
	draw(&b, &text);
	assert_string_equal(text.data,
		"MIB-HOURS      MEAN     MAX SWAP-MIB-HOURS PROCESSES COVERED USER\n"
		"  512.000 512.0 MiB 1.0 GiB          0.125       1.0   100 % a\n"
		"    0.250 256.0 KiB       -              -         -   100 % b\n"
		"----------------------------------------------------------------\n"
		"  512.250                            0.125 total of 2 rows\n");
	get_csv(&b, &csv);
	assert_non_null(strstr(csv.data, ",0.000244140625,"));
	one.q[USAGE_PSS] = GIB_HOUR;
	make_of(&large, USAGE_USER, &one, 1, &(struct usage_line_choice){0});
	draw(&large, &text);
	assert_int_equal(strncmp(text.data, "GIB-HOURS ", 10), 0);
	assert_int_equal(usage_table_find_sort("mib-hours"), USAGE_LINE_PSS_HOURS);
	assert_int_equal(usage_table_find_sort("SWAP-MIB-HOURS"), USAGE_LINE_SWAP_HOURS);
}

static int print_csv(void *bill)
{
	AUTO_BUFFER struct buffer text = {0};

	log_open("memtally", LOG_LEVEL_INFO);
	return print_as(bill, LIST_CSV, &text);
}

/* The limit is one of each period. */
static void csv_notes_rows_that_are_left_out(void **state)
{
	AUTO_USAGE_TABLE struct usage_table b = {0};
	AUTO_RUNNING struct running limited, all;

	(void)state;
	make_chosen(&b, USAGE_USER);
	b.look.limit = 1;
	running_do(print_csv, &b, -1, &limited);
	assert_int_equal(limited.status, 0);
	assert_string_equal(limited.err.data, "memtally: 2 of 3 rows shown\n");
	b.look.limit = 2;
	running_do(print_csv, &b, -1, &all);
	assert_string_equal(all.err.data, "");
}

/*
 * Expects the name EXPECTED for the period FROM_S to TO_S, when the ledger answers for SINCE_S to
 * UNTIL_S.
 */
static void check_name(enum usage_per per, int64_t from_s, int64_t to_s, int64_t since_s,
	int64_t until_s, const char *expected)
{
	static const struct usage_row row = {
		.id = 1, .present = 1, .q = {24 * GIB_HOUR}, .name = "a", .user = ""};
	AUTO_USAGE_TABLE struct usage_table b = {.per = per, .part = calloc(1, sizeof(*b.part))};
	AUTO_BUFFER struct buffer text = {0};
	const char *cell;

	assert_non_null(b.part);
	b.kind = USAGE_USER;
	add_part(&b, &row, 1, from_s, 1000);
	b.part[0].period.to_s = to_s;
	b.part[0].head.since_s = since_s;
	b.part[0].head.until_s = until_s;
	assert_int_equal(usage_table_select(&b), 0);
	draw(&b, &text);
	cell = strchr(text.data, '\n') + 1;
	cell += strspn(cell, " ");
	assert_int_equal(strncmp(cell, expected, strlen(expected)), 0);
	assert_int_equal(cell[strlen(expected)], ' ');
	assert_int_equal(usage_table_is_misnamed(&b, &b.part[0]), strstr(expected, " to ") != NULL);
}

/* Old usage is stored by day: a day must not be printed as an hour. */
static void only_hours_are_named_as_hours(void **state)
{
	const int64_t day = 1795392000, hour = 3600; /* 2026-11-23, and its first hour: */
	const int64_t first = day - 22 * 24 * hour, end = first + 30 * 24 * hour;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	check_name(USAGE_PER_HOUR, day + 11 * hour, day + 12 * hour, day, day + 24 * hour,
		"2026-11-23 00:00 to 2026-11-24 00:00");
	check_name(USAGE_PER_HOUR, day + 11 * hour, day + 12 * hour, day + 11 * hour,
		day + 12 * hour, "2026-11-23 11:00");
	check_name(USAGE_PER_HOUR, day + 11 * hour + 10, day + 12 * hour - 10,
		day + 11 * hour + 300, day + 12 * hour, "2026-11-23 11:00");
	/* only the end differs; another hour */
	check_name(USAGE_PER_HOUR, day + 11 * hour, day + 12 * hour, day + 11 * hour,
		day + 13 * hour, "2026-11-23 11:00 to 2026-11-23 13:00");
	check_name(USAGE_PER_HOUR, day + 11 * hour, day + 12 * hour, day + 12 * hour,
		day + 13 * hour, "2026-11-23 12:00 to 2026-11-23 13:00");
	setenv("TZ", "CET-1", 1);
	tzset();
	check_name(USAGE_PER_DAY, day - hour, day + 23 * hour, day - hour, day + 23 * hour,
		"2026-11-23");
	check_name(USAGE_PER_DAY, day - hour, day + 23 * hour, day, day + 24 * hour, "2026-11-23");
	check_name(USAGE_PER_MONTH, first - hour, end - hour, first, end, "2026-11");
	check_name(USAGE_PER_ALL, day + 11 * hour, day + 12 * hour, day, day + 24 * hour, "24.000");
	setenv("TZ", "IST-5:30", 1);
	tzset();
	check_name(USAGE_PER_DAY, day - 19800, day - 19800 + 24 * hour, day, day + 24 * hour,
		"2026-11-23 05:30 to 2026-11-24 05:30");
}

/* More bytes than 64 bits hold. */
static void large_amounts_are_exact(void **state)
{
	const struct usage_row row = {
		.id = 1, .present = 1, .q = {UINT64_C(1) << 61}, .name = "a", .user = ""};
	AUTO_USAGE_TABLE struct usage_table b = {
		.kind = USAGE_USER, .part = calloc(1, sizeof(*b.part))};
	AUTO_BUFFER struct buffer text = {0};

	(void)state;
	assert_non_null(b.part);
	add_part(&b, &row, 1, 0, 1000);
	assert_int_equal(usage_table_select(&b), 0);
	assert_int_equal(print_as(&b, LIST_CSV, &text), 0);
	buffer_add_char(&text, '\0');
	assert_non_null(strstr(text.data, ",a,1,2361183241434822606848,"));
}

static void the_covered_part_is_a_part(void **state)
{
	struct usage_head head = {
		.since_s = 100, .until_s = 200, .now_s = 150, .covered_ms = 25000};

	(void)state;
	assert_true(usage_table_covered(&head) == 0.5);
	head.covered_ms = 900000; /* the clock was set back */
	assert_true(usage_table_covered(&head) == 1);
	head.now_s = 100;
	assert_true(usage_table_covered(&head) < 0);
}

/* The cell is empty, not 0: memtallyd could not read the memory. */
static void an_unreadable_owner_has_no_figure(void **state)
{
	static const struct usage_row rows[] = {
		{.id = 1,
			.present = 0x1f,
			.q = {GIB_HOUR, 1 << 20, 0, 3600000, 1},
			.name = "a",
			.user = ""},
		{.id = 2,
			.present = 1U << USAGE_PROCESSES | 1U << USAGE_PROCESSES_MAX,
			.q = {0, 0, 0, 7200000, 2},
			.name = "b",
			.user = ""},
	};
	AUTO_USAGE_TABLE struct usage_table b = {0}, unread = {0};
	AUTO_BUFFER struct buffer csv = {0}, json = {0}, text = {0};
	json_t *found, *period, *row;

	(void)state;
	make_of(&b, USAGE_USER, rows, 2, &(struct usage_line_choice){0});
	get_csv(&b, &csv);
	assert_non_null(strstr(csv.data, ",1,false,b,2,,,,,,,2,2\n"));
	assert_int_equal(print_as(&b, LIST_JSON, &json), 0);
	found = json_loadb(json.data, json.len, JSON_REJECT_DUPLICATES, NULL);
	period = json_array_get(json_object_get(json_object_get(found, "usage"), "periods"), 0);
	assert_int_equal(json_integer_value(json_object_get(period, "unread")), 1);
	row = json_array_get(json_object_get(period, "users"), 1);
	assert_int_equal(json_integer_value(json_object_get(row, "uid")), 2);
	assert_null(json_object_get(row, "pss_byte_seconds"));
	assert_null(json_object_get(row, "pss_gib_hours"));
	assert_null(json_object_get(row, "pss_mean_bytes"));
	json_decref(found);
	draw(&b, &text);
	assert_non_null(strstr(text.data, " total of 2 rows, 1 could not be read\n"));
	make_of(&unread, USAGE_USER, rows + 1, 1, &(struct usage_line_choice){0});
	draw(&unread, &text);
	assert_non_null(strstr(text.data, "USER\n        -  "));
}

/*
 * A name that a user chose must not run as a formula in a spreadsheet. Cells that are not names
 * stay unchanged.
 */
static void names_are_not_formulas(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{"=1+1", ",'=1+1,"},
		{"+1", ",'+1,"},
		{"-.slice", ",'-.slice,"},
		{"@SUM(A1)", ",'@SUM(A1),"},
		{"\tx", ",\"'\tx\","},
		{"\rx", ",\"'\rx\","},
		{"\xef\xbc\x9d"
		 "1",
			",'\xef\xbc\x9d"
			"1,"},
		{"'=1", ",''=1,"},
		{"'", ",'',"},
		{"=1,\"2", ",\"'=1,\"\"2\","},
		{"a;=1", ",\"a;=1\","},
		{"a=1", ",a=1,"},
		{"", ",,"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct usage_row row = {.id = 7,
			.present = 1,
			.q = {1},
			.name = cases[i].name,
			.user = cases[i].name};
		AUTO_USAGE_TABLE struct usage_table b = {0};
		AUTO_BUFFER struct buffer text = {0};
		char expected[64];

		make_of(&b, USAGE_CONTAINER, &row, 1, &(struct usage_line_choice){0});
		get_csv(&b, &text);
		snprintf(expected, sizeof(expected), ",false%s%s7,1024,", cases[i].expected,
			cases[i].expected + 1);
		if (!strstr(text.data, expected))
			fail_msg("'%s' is not in %s", expected, text.data);
	}
}

/* Expects the names of the chosen rows in this order. */
static void check_names(const struct usage_table *b, const char *expected)
{
	AUTO_BUFFER struct buffer names = {0};

	for (size_t i = 0; i < b->part[0].items; i++)
		buffer_add_text(&names, b->part[0].item[i].row.name);
	buffer_add_char(&names, '\0');
	assert_string_equal(names.data, expected);
}

static void rows_are_chosen_and_sorted(void **state)
{
	static const struct usage_row rows[] = {
		{.id = 1, .present = 0x1f, .q = {5, 9, 0, 3600, 1}, .name = "b", .user = "x"},
		{.id = 2, .present = 0x1f, .q = {4, 2, 9, 7200, 7}, .name = "a", .user = "y"},
		{.id = 3, .present = 0x1d, .q = {3, 0, 9, 0, 7}, .name = "c", .user = "x"},
		{.id = OWNER_NO_ID, .present = 1, .q = {1}, .name = USAGE_OTHER, .user = ""},
	};
	static const struct {
		enum usage_line_field sort;
		bool ascending;
		const char *expected;
	} cases[] = {
		{USAGE_LINE_PSS, false, "bac(other)"},
		{USAGE_LINE_PSS_HOURS, true, "(other)cab"},
		{USAGE_LINE_MEAN, false, "bac(other)"},
		{USAGE_LINE_MAX, false, "ba(other)c"},
		{USAGE_LINE_MAX, true, "ab(other)c"}, /* absent values come last in either order */
		{USAGE_LINE_SWAP, false, "acb(other)"},
		{USAGE_LINE_PROCESSES_MAX, false, "acb(other)"},
		{USAGE_LINE_FIELDS, true, "(other)abc"},
		{USAGE_LINE_FIELDS, false, "cba(other)"},
	};
	char *names[] = {(char[]){"c"}, (char[]){"a"}}, *users[] = {(char[]){"x"}};
	const struct text_list two = {names, 2}, x = {users, 1}, all = {NULL, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO_USAGE_TABLE struct usage_table b = {0};

		make_of(&b, USAGE_CONTAINER, rows, 4,
			&(struct usage_line_choice){.sort = cases[i].sort,
				.ascending = cases[i].ascending,
				.names = &all});
		check_names(&b, cases[i].expected);
		assert_true(usage_table_has_other(&b));
	}
	for (int i = 0; i < 3; i++) {
		static const char *const expected[] = {"ac", "bc", "c"};
		AUTO_USAGE_TABLE struct usage_table b = {0};
		AUTO_BUFFER struct buffer text = {0};

		make_of(&b, USAGE_CONTAINER, rows, 4,
			&(struct usage_line_choice){.sort = USAGE_LINE_PROCESSES_MAX -
		                                            (i == 1) * USAGE_LINE_PROCESSES_MAX,
				.names = i == 1 ? NULL : &two,
				.users = i ? &x : NULL});
		check_names(&b, expected[i]);
		draw(&b, &text);
		assert_non_null(strstr(text.data,
			i == 1 ? " PROCESSES COVERED " : " PROCESSES MAX-PROCESSES COVERED "));
	}
}

static void memory_may_run_out(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		AUTO_USAGE_TABLE struct usage_table b = {0};
		AUTO_BUFFER struct buffer json = {0}, csv = {0}, text = {0};
		int r;

		make(&b, USAGE_USER);
		allocation_fail_at(n);
		r = usage_table_select(&b);
		if (r == 0)
			r = print_as(&b, LIST_TABLE, &text);
		if (r == 0)
			r = print_as(&b, LIST_JSON, &json);
		if (r == 0)
			r = print_as(&b, LIST_CSV, &csv);
		if (!allocation_end())
			break;
		assert_int_equal(r, -ENOMEM);
	}
}

static void finds_fields_to_sort_by(void **state)
{
	(void)state;
	assert_int_equal(usage_table_find_sort("gib-hours"), USAGE_LINE_PSS_HOURS);
	assert_int_equal(usage_table_find_sort("pss_byte_seconds"), USAGE_LINE_PSS);
	assert_int_equal(usage_table_find_sort("MAX-PROCESSES"), USAGE_LINE_PROCESSES_MAX);
	assert_int_equal(usage_table_find_sort("processes_max"), USAGE_LINE_PROCESSES_MAX);
	assert_int_equal(usage_table_find_sort("covered"), USAGE_LINE_FIELDS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_line_for_each_row),
		cmocka_unit_test(json_leaves_out_absent_fields),
		cmocka_unit_test(a_table_has_a_total),
		cmocka_unit_test(small_amounts_are_mib_hours),
		cmocka_unit_test(csv_notes_rows_that_are_left_out),
		cmocka_unit_test(only_hours_are_named_as_hours),
		cmocka_unit_test(large_amounts_are_exact),
		cmocka_unit_test(the_covered_part_is_a_part),
		cmocka_unit_test(an_unreadable_owner_has_no_figure),
		cmocka_unit_test(names_are_not_formulas),
		cmocka_unit_test(rows_are_chosen_and_sorted),
		cmocka_unit_test(finds_fields_to_sort_by),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
