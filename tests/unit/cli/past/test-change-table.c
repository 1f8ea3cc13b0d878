/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/change-table.h: changes as a table, JSON and comma-separated values. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>
#include <locale.h>

#include "base/clock.h"
#include "cli/past/change-table.h"
#include "tests/unit/support/cli/past-rows.h"

static const struct past_row before[] = {
	{"alice", "python3", 1000, 10, NS_PER_SEC, 100, 90, 110, .is_denied = false},
	{"b,o\"b", "bash", 1001, 20, NS_PER_SEC, 50, 50, 50, .is_denied = false},
	{"eve", "vim", 1002, 30, NS_PER_SEC, 0, 0, 0, .is_denied = true},
};
static const struct past_row after[] = {
	{"alice", "python3", 1000, 10, NS_PER_SEC, 400, 390, 420, .is_denied = false},
	{"eve", "vim", 1002, 30, NS_PER_SEC, 7, 7, 7, .is_denied = false},
	{"carl", "=make", 1004, 40, 9 * NS_PER_SEC, 600, 600, 600, .is_denied = false},
};

/* Renders the changes of SCOPE in FORM. */
static void render(enum metric_scope scope, enum list_form form, bool has_range, size_t limit,
	struct buffer *to)
{
	AUTO_CHANGE struct change c = {.scope = scope};
	const struct change_table t = {
		.change = &c,
		.title = has_range ? "span" : "diff",
		.has_range = has_range,
		.look = {.form = form, .limit = limit},
		.first_ns = UINT64_C(1795413600) * NS_PER_SEC,
		.last_ns = UINT64_C(1795417200) * NS_PER_SEC,
	};

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	past_rows_take(&c, before, ARRAY_SIZE(before));
	past_rows_take(&c, after, ARRAY_SIZE(after));
	change_sort(&c, CHANGE_GROWTH, false);
	assert_int_equal(change_table_print(&t, to), 0);
	buffer_add_char(to, '\0');
}

static void check(enum metric_scope scope, enum list_form form, bool has_range, size_t limit,
	const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	render(scope, form, has_range, limit, &text);
	assert_string_equal(text.data, expected);
}

static void tables_say_what_grew_came_and_went(void **state)
{
	(void)state;
	check(METRIC_USER, LIST_TABLE, false, 0,
		"    GROWTH     FIRST       LAST USER  NOTE\n"
		"+600.0 MiB         -  600.0 MiB carl  new\n"
		"+300.0 MiB 100.0 MiB  400.0 MiB alice +280.0 MiB to +330.0 MiB\n"
		" -50.0 MiB  50.0 MiB          - b,o\"b gone\n"
		"         -         -    7.0 MiB eve\n"
		"-----------------------------------------\n"
		"+850.0 MiB 150.0 MiB 1000.0 MiB total of 4 users, 1 not measured, growth between +830.0 MiB and +880.0 MiB\n");
	check(METRIC_USER, LIST_TABLE, true, 2,
		"    GROWTH     FIRST       LAST       MIN       MAX USER  NOTE\n"
		"+600.0 MiB         -  600.0 MiB 600.0 MiB 600.0 MiB carl  new\n"
		"+300.0 MiB 100.0 MiB  400.0 MiB 100.0 MiB 400.0 MiB alice +280.0 MiB to +330.0 MiB\n"
		"-------------------------------------------------------------\n"
		"+850.0 MiB 150.0 MiB 1000.0 MiB total of 4 users (2 not shown), 1 not measured, growth between +830.0 MiB and +880.0 MiB\n");
	check(METRIC_PROCESS, LIST_TABLE, false, 0,
		"PID USER      GROWTH     FIRST       LAST PROGRAM NOTE\n"
		" 40 carl  +600.0 MiB         -  600.0 MiB =make   new\n"
		" 10 alice +300.0 MiB 100.0 MiB  400.0 MiB python3 +280.0 MiB to +330.0 MiB\n"
		" 20 b,o\"b  -50.0 MiB  50.0 MiB          - bash    gone\n"
		" 30 eve            -         -    7.0 MiB vim\n"
		"-----------------------------------------------------\n"
		"          +850.0 MiB 150.0 MiB 1000.0 MiB total of 4 processes, 1 not measured, growth between +830.0 MiB and +880.0 MiB\n");
}

static void csv_has_exact_amounts(void **state)
{
	(void)state;
	check(METRIC_USER, LIST_CSV, false, 0,
		"user,uid,pss_growth_bytes,pss_growth_low_bytes,pss_growth_high_bytes,pss_first_bytes,pss_last_bytes,new,gone\n"
		"carl,1004,629145600,629145600,629145600,,629145600,true,false\n"
		"alice,1000,314572800,293601280,346030080,104857600,419430400,false,false\n"
		"\"b,o\"\"b\",1001,-52428800,-52428800,-52428800,52428800,,false,true\n"
		"eve,1002,,,,,7340032,false,false\n");
	check(METRIC_PROCESS, LIST_CSV, true, 0,
		"pid,program,user,uid,start_time_seconds,pss_growth_bytes,pss_growth_low_bytes,pss_growth_high_bytes,pss_first_bytes,pss_last_bytes,pss_min_bytes,pss_max_bytes,new,gone\n"
		"40,'=make,carl,1004,9,629145600,629145600,629145600,,629145600,629145600,629145600,true,false\n"
		"10,python3,alice,1000,1,314572800,293601280,346030080,104857600,419430400,104857600,419430400,false,false\n"
		"20,bash,\"b,o\"\"b\",1001,1,-52428800,-52428800,-52428800,52428800,,52428800,52428800,false,true\n"
		"30,vim,eve,1002,1,,,,,7340032,7340032,7340032,false,false\n");
}

static void json_adds_up(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	json_t *json, *rows;
	int64_t sum = 0;

	(void)state;
	render(METRIC_PROCESS, LIST_JSON, true, 0, &text);
	json = json_loads(text.data, 0, NULL);
	assert_non_null(json);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "span"), "first")),
		"2026-11-23T06:00:00.000Z");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(json, "span"), "snapshots")), 2);
	rows = json_object_get(json, "processes");
	assert_int_equal(json_array_size(rows), 4);
	for (size_t i = 0; i < json_array_size(rows); i++)
		sum += json_integer_value(
			json_object_get(json_array_get(rows, i), "pss_growth_bytes"));
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json, "total"), "pss_growth_bytes")),
		sum);
	assert_int_equal(json_integer_value(json_object_get(json, "not_measured")), 1);
	assert_null(json_object_get(json_array_get(rows, 3), "pss_growth_bytes"));
	assert_true(json_is_true(json_object_get(json_array_get(rows, 0), "new")));
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_say_what_grew_came_and_went),
		cmocka_unit_test(csv_has_exact_amounts),
		cmocka_unit_test(json_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
