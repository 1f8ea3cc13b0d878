/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/lists/owner-rows.h: owners and processes of a snapshot. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/common/selection.h"
#include "cli/lists/owner-rows.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/snapshot/sample.h"

enum { WIDTH = 100 };

/* The width of a terminal on which tables are really drawn; 0: there is none. */
static size_t drawn_width;

int __real_print_table(const struct table *t, size_t width, struct buffer *to);
int __wrap_print_table(const struct table *t, size_t width, struct buffer *to);

/* Heads and cells, one row per line, with '|' between columns, and the total's text at the end. */
int __wrap_print_table(const struct table *t, size_t width, struct buffer *to)
{
	const char *cell = t->text.data;

	if (drawn_width)
		return __real_print_table(t, width, to);
	assert_int_equal(width, WIDTH);
	for (size_t i = 0; i < t->columns; i++)
		buffer_printf(to, "%s%s", i ? "|" : "", t->column[i].column->head);
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < t->columns; i++, cell += strlen(cell) + 1)
			buffer_printf(to, "%s%s", i ? "|" : "\n", cell);
	assert_ptr_equal(cell, t->text.data + t->text.len);
	buffer_add_char(to, '\n');
	if (t->has_total)
		buffer_add(to, t->total.data, t->total.len);
	return to->error;
}

struct table_case {
	enum metric_scope scope;
	const char *sort;
	size_t limit;
	bool bytes;
	bool is_measured, is_estimated, is_csv;
	const char *key, *value; /* a filter, or NULL */
	bool is_alone;           /* only the row of processes without an owner of the kind */
};

static void build(const struct table_case *c, struct buffer *to)
{
	struct sample_options options = {
		.is_measured = c->is_measured, .is_estimated = c->is_estimated};
	AUTO_VIEW struct view *view = sample_open(&options);
	struct owner_rows rows = {.scope = c->scope,
		.look = {.form = c->is_csv ? LIST_CSV : LIST_TABLE,
			.limit = c->limit,
			.bytes = c->bytes,
			.width = drawn_width ? drawn_width : WIDTH}};
	AUTO_FREE uint32_t *row = NULL;
	char error[QUERY_ERROR_SIZE];
	struct sums sums;
	struct query q;

	query_init(&q, c->scope);
	if (c->sort)
		assert_int_equal(query_set(&q, "sort", c->sort, error), 0);
	if (c->key)
		assert_int_equal(query_set(&q, c->key, c->value, error), 0);
	assert_int_equal(query_run(&q, view, &row, &rows.count), 0);
	for (size_t i = 0, all = rows.count; c->is_alone && i < all; i++) {
		rows.count = i ? rows.count : 0;
		if (!strcmp(view_text(view, view_scope(view, c->scope, row[i])->name), OWNER_NONE))
			row[rows.count++] = row[i];
	}
	rows.query = &q;
	rows.row = row;
	selection_sum(&(struct selection){.scope = c->scope}, view, row, rows.count, &sums);
	rows.sums = &sums;
	assert_int_equal(owner_rows_print(view, &rows, to), 0);
	buffer_add_char(to, '\0');
}

static void check(const struct table_case *c, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	build(c, &text);
	assert_string_equal(text.data, expected);
}

/*
 * carol has a PSS but no SWAP, so there is no sum of SWAP. Processes without PSS are noted beside
 * the sums.
 */
static void users_have_sums(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_USER},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|USER|NOTE\n"
		"489.7 MiB|3.1|430.9 MiB|700.2 MiB|1.0 MiB|4|alice|\n"
		"69.7 MiB|0.4|69.4 MiB|74.2 MiB|0.0 KiB|2|bob|\n"
		"29.3 MiB|0.2|29.3 MiB|29.3 MiB|0.0 KiB|1|小野|\n"
		"6.5 MiB|0.0|4.3 MiB|22.0 MiB|128.0 KiB|4|root|2 of 4 unmeasured\n"
		"900.0 KiB|0.0|0.0 KiB|2.9 MiB|-|1|carol|\n"
		"128.0 KiB|0.0|128.0 KiB|128.0 KiB|0.0 KiB|1|erin|\n"
		"64.0 KiB|0.0|32.0 KiB|256.0 KiB|0.0 KiB|1|dave|\n"
		"-|-|-|640.0 KiB|-|2|4242|2 of 2 unmeasured\n"
		"596.3 MiB|3.7|534.0 MiB|829.6 MiB|-|16||\n"
		"total of 8 users, MemTotal 15.6 GiB, 4 unmeasured, PSS at least 596.3 MiB");
}

/* Without a note there is no column for notes. */
static void bytes_are_exact(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_USER,
		      .bytes = true,
		      .is_measured = true,
		      .key = "user",
		      .value = "alice"},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|USER\n"
		"513539072|3.1|451789824|734208000|1048576|4|alice\n"
		"513539072|3.1|451789824|734208000|1048576|4|\n"
		"total of 1 user, MemTotal 16777216000");
}

/* The total includes rows that are not shown. */
static void limit_leaves_the_total(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_USER, .limit = 1, .is_measured = true},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|USER\n"
		"489.7 MiB|3.1|430.9 MiB|700.2 MiB|1.0 MiB|4|alice\n"
		"596.3 MiB|3.7|534.0 MiB|821.0 MiB|-|12|\n"
		"total of 7 users (6 not shown), MemTotal 15.6 GiB");
}

/*
 * Bounds are noted if they are wide, not because a value was carried forward. A process that was
 * never measured has no USS, and neither have sums that include it.
 */
static void notes_wide_bounds(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_USER, .limit = 4, .is_estimated = true},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|USER|NOTE\n"
		"489.7 MiB|3.1|430.9 MiB|700.2 MiB|1.0 MiB|4|alice|\n"
		"69.7 MiB|0.4|-|74.2 MiB|0.0 KiB|2|bob|1 of 2 guessed, +-5.1 %\n"
		"29.3 MiB|0.2|29.3 MiB|29.3 MiB|0.0 KiB|1|小野|\n"
		"6.5 MiB|0.0|4.3 MiB|22.0 MiB|128.0 KiB|4|root|2 of 4 unmeasured\n"
		"596.3 MiB|3.7|-|829.6 MiB|-|16||\n"
		"total of 8 users (4 not shown), MemTotal 15.6 GiB, 4 unmeasured, 1 guessed, "
		"PSS at least 595.0 MiB");
	check(&(struct table_case){.scope = METRIC_PROCESS,
		      .is_estimated = true,
		      .key = "user",
		      .value = "bob"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM|NOTE\n"
		"2000|bob|68.4 MiB|0.4|68.4 MiB|69.3 MiB|0.0 KiB|x\",user=\"root\"} 1\\x0a# HELP\\|\n"
		"2001|bob|1.4 MiB|0.0|-|4.9 MiB|0.0 KiB|bash|guessed, up to 4.9 MiB\n"
		"||69.7 MiB|0.4|-|74.2 MiB|0.0 KiB||\n"
		"total of 2 processes, MemTotal 15.6 GiB, 1 guessed, "
		"PSS between 68.4 and 73.2 MiB");
	check(&(struct table_case){.scope = METRIC_PROCESS,
		      .is_estimated = true,
		      .bytes = true,
		      .key = "pid",
		      .value = "2001"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM|NOTE\n"
		"2001|bob|1433600|0.0|-|5120000|0|bash|guessed, 0 to 5120000\n"
		"||1433600|0.0|-|5120000|0||\n"
		"total of 1 process, MemTotal 16777216000, 1 guessed, "
		"PSS between 0 and 5120000");
	check(&(struct table_case){.scope = METRIC_PROCESS,
		      .is_estimated = true,
		      .key = "pid",
		      .value = "1000"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM\n"
		"1000|alice|390.6 MiB|2.4|341.8 MiB|500.0 MiB|1.0 MiB|firefox\n"
		"||390.6 MiB|2.4|341.8 MiB|500.0 MiB|1.0 MiB|\n"
		"total of 1 process, MemTotal 15.6 GiB");
}

static void notes_why_a_process_was_not_measured(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_PROCESS, .key = "user", .value = "root"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM|NOTE\n"
		"1|root|6.0 MiB|0.0|3.9 MiB|12.0 MiB|0.0 KiB|systemd|\n"
		"400|root|512.0 KiB|0.0|400.0 KiB|2.0 MiB|128.0 KiB|swapper \\ \"x\"|\n"
		"300|root|-|-|-|8.0 MiB|-|sshd|denied\n"
		"301|root|-|-|-|-|-|sshd|changing\n"
		"||6.5 MiB|0.0|4.3 MiB|22.0 MiB|128.0 KiB||\n"
		"total of 4 processes, MemTotal 15.6 GiB, 2 unmeasured, PSS at least 6.5 MiB");
	check(&(struct table_case){.scope = METRIC_PROCESS, .key = "pid", .value = "300"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM|NOTE\n"
		"300|root|-|-|-|8.0 MiB|-|sshd|denied\n"
		"||-|-|-|8.0 MiB|-||\n"
		"total of 1 process, MemTotal 15.6 GiB, 1 denied");
	check(&(struct table_case){.scope = METRIC_PROCESS, .key = "pid", .value = "1002"},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|PROGRAM|NOTE\n"
		"1002|alice|-|-|-|-|-|firefox|memory of 1001\n"
		"||-|-|-|-|-||\n"
		"total of 1 process, MemTotal 15.6 GiB");
}

/* The sort field is a column, without a total, because not every field adds up. */
static void sort_field_is_shown(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_UNIT,
		      .sort = "vm_hwm_max_bytes",
		      .limit = 2,
		      .is_measured = true},
		"PSS|%MEM|USS|RSS|SWAP|CGROUP|PROCESSES|VM_HWM_MAX_BYTES|UNIT\n"
		"488.3 MiB|3.1|429.7 MiB|695.3 MiB|1.0 MiB|683.6 MiB|3|500.1 MiB|user@1000.service\n"
		"68.4 MiB|0.4|68.4 MiB|69.3 MiB|0.0 KiB|-|1|69.4 MiB|(none)\n"
		"596.3 MiB|3.7|534.0 MiB|821.0 MiB|-|-|12|-|\n"
		"total of 9 units and (none) (8 not shown), MemTotal 15.6 GiB");
	check(&(struct table_case){.scope = METRIC_PROCESS,
		      .sort = "start_time_seconds",
		      .key = "program",
		      .value = "bash",
		      .bytes = true},
		"PID|USER|PSS|%MEM|USS|RSS|SWAP|START_TIME_SECONDS|PROGRAM\n"
		"2001|bob|1433600|0.0|1126400|5120000|0|1699996420.133|bash\n"
		"1003|alice|1536000|0.0|1228800|5120000|0|1699996410.153|bash\n"
		"||2969600|0.0|2355200|10240000|0|-|\n"
		"total of 2 processes, MemTotal 16777216000");
	check(&(struct table_case){.scope = METRIC_USER,
		      .sort = "unmeasured_processes",
		      .limit = 1,
		      .bytes = true},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|UNMEASURED_PROCESSES|USER|NOTE\n"
		"6794240|0.0|4505600|23068672|131072|4|2|root|2 of 4 unmeasured\n"
		"625285120|3.7|559984640|869941248|-|16|-||\n"
		"total of 8 users (7 not shown), MemTotal 16777216000, 4 unmeasured, PSS at least 625285120");
}

/*
 * Charges are shown beside the PSS if there are any. They have no sum, because cgroups are nested.
 */
static void shows_charges_of_cgroups(void **state)
{
	(void)state;
	check(
		&(struct table_case){
			.scope = METRIC_UNIT, .sort = "cgroup_bytes", .limit = 2, .bytes = true},
		"PSS|%MEM|USS|RSS|SWAP|CGROUP|PROCESSES|UNIT|NOTE\n"
		"512003072|3.1|450561024|729088000|1048576|716800000|3|user@1000.service|\n"
		"-|-|-|8388608|-|9437184|2|ssh.service|2 of 2 unmeasured\n"
		"625285120|3.7|559984640|869941248|-|-|16||\n"
		"total of 11 units and (none) (10 not shown), MemTotal 16777216000, 4 unmeasured, PSS at least 625285120");
	check(
		&(struct table_case){
			.scope = METRIC_MACHINE, .limit = 1, .bytes = true, .is_measured = true},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|MACHINE\n"
		"594565120|3.5|529264640|830177280|1179648|11|(none)\n"
		"625285120|3.7|559984640|860897280|1179648|12|\n"
		"total of 1 machine and (none) (1 not shown), MemTotal 16777216000");
}

/* Without charges there is no column of them, even if rows are sorted by it. */
static void absent_charges_have_no_column(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		check(&(struct table_case){.scope = METRIC_MACHINE,
			      .sort = i ? "cgroup_anon_bytes" : "cgroup_bytes",
			      .limit = 1,
			      .bytes = true,
			      .is_measured = true},
			"PSS|%MEM|USS|RSS|SWAP|PROCESSES|MACHINE\n"
			"594565120|3.5|529264640|830177280|1179648|11|(none)\n"
			"625285120|3.7|559984640|860897280|1179648|12|\n"
			"total of 1 machine and (none) (1 not shown), MemTotal 16777216000");
}

/* "ended" has series for an hour but no process. Tables omit it, whatever they are sorted by. */
static void omits_rows_without_processes(void **state)
{
	AUTO_BUFFER struct buffer plain = {0};
	AUTO_BUFFER struct buffer sorted = {0};

	(void)state;
	build(&(struct table_case){.scope = METRIC_PROGRAM}, &plain);
	build(&(struct table_case){.scope = METRIC_PROGRAM, .sort = "processes"}, &sorted);
	assert_null(strstr(plain.data, "ended"));
	assert_null(strstr(sorted.data, "ended"));
	assert_non_null(strstr(plain.data, "total of 11 programs,"));
	assert_non_null(strstr(sorted.data, "total of 11 programs,"));
}

/*
 * SWAP goes first if it is 0 in all rows, then USS, NOTE and the others. Rows keep the column that
 * they are sorted by.
 */
static void columns_give_way_to_a_narrow_terminal(void **state)
{
	static const struct {
		struct table_case table;
		size_t width;
		const char *head;
	} cases[] = {
		{{.scope = METRIC_USER}, 80,
			"      PSS %MEM       USS       RSS      SWAP PROCESSES USER  NOTE\n"},
		{{.scope = METRIC_USER}, 77,
			"      PSS %MEM       RSS      SWAP PROCESSES USER  NOTE\n"},
		{{.scope = METRIC_USER}, 67, "      PSS %MEM       RSS      SWAP PROCESSES USER\n"},
		{{.scope = METRIC_USER}, 49, "      PSS %MEM      SWAP PROCESSES USER\n"},
		{{.scope = METRIC_USER}, 39, "      PSS %MEM PROCESSES USER\n"},
		{{.scope = METRIC_USER}, 29, "      PSS PROCESSES USER\n"},
		{{.scope = METRIC_USER}, 24, "      PSS USER\n"},
		{{.scope = METRIC_USER, .sort = "uss_bytes"}, 49,
			"      PSS %MEM       USS PROCESSES USER\n"},
		{{.scope = METRIC_USER, .key = "user", .value = "bob", .is_measured = true}, 46,
			"     PSS %MEM      USS      RSS PROCESSES USER\n"},
		/* All notes belong to rows that are not shown. */
		{{.scope = METRIC_USER, .limit = 2}, 62,
			"      PSS %MEM       USS       RSS    SWAP PROCESSES USER\n"},
	};

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8")); /* a name is not of ASCII */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer text = {0};

		drawn_width = cases[i].width;
		build(&cases[i].table, &text);
		drawn_width = 0;
		if (strncmp(text.data, cases[i].head, strlen(cases[i].head)) != 0)
			fail_msg("%zu columns:\n%s", cases[i].width, text.data);
	}
	assert_non_null(setlocale(LC_CTYPE, "C"));
}

/* Bars need 110 columns, and give way to every other column. */
static void wide_terminals_have_bars(void **state)
{
	const struct table_case users = {.scope = METRIC_USER, .limit = 2, .is_measured = true};
	AUTO_BUFFER struct buffer wide = {0}, narrow = {0}, long_names = {0};

	(void)state;
	drawn_width = 110;
	build(&users, &wide);
	build(&(struct table_case){.scope = METRIC_UNIT}, &long_names);
	drawn_width = 109;
	build(&users, &narrow);
	drawn_width = 0;
	assert_non_null(strstr(wide.data, "\n489.7 MiB  3.1 ########## 430.9 MiB"));
	assert_non_null(strstr(wide.data, "\n 69.7 MiB  0.4 #           69.4 MiB"));
	assert_non_null(strstr(narrow.data, "\n489.7 MiB  3.1 430.9 MiB"));
	assert_null(strchr(long_names.data, '#'));
	assert_non_null(strstr(long_names.data, " USS "));
}

/* A host with long names has rows of 80 columns; a name keeps 16 of them. */
static void names_keep_their_width(void **state)
{
	AUTO_BUFFER struct buffer units = {0}, processes = {0};

	(void)state;
	drawn_width = 80;
	build(&(struct table_case){.scope = METRIC_UNIT, .is_estimated = true}, &units);
	build(&(struct table_case){.scope = METRIC_PROCESS, .is_estimated = true}, &processes);
	drawn_width = 0;
	assert_non_null(strstr(units.data, " user@1000.service"));
	for (const char *line = units.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	for (const char *line = processes.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
}

static void empty_table_has_a_head(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_USER, .key = "user", .value = "nobody"},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|USER\n"
		"0.0 KiB|0.0|0.0 KiB|0.0 KiB|0.0 KiB|0|\n"
		"total of 0 users, MemTotal 15.6 GiB");
}

/* As on a host without machines. The row of other processes is not counted as one. */
static void shows_processes_without_an_owner(void **state)
{
	(void)state;
	check(&(struct table_case){.scope = METRIC_MACHINE,
		      .bytes = true,
		      .is_measured = true,
		      .is_alone = true},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|MACHINE\n"
		"594565120|3.5|529264640|830177280|1179648|11|(none)\n"
		"594565120|3.5|529264640|830177280|1179648|11|\n"
		"total of 0 machines and (none), MemTotal 16777216000");
	check(&(struct table_case){.scope = METRIC_MACHINE,
		      .limit = 1,
		      .bytes = true,
		      .is_measured = true,
		      .key = "machine",
		      .value = "(none)"},
		"PSS|%MEM|USS|RSS|SWAP|PROCESSES|MACHINE\n"
		"594565120|3.5|529264640|830177280|1179648|11|(none)\n"
		"594565120|3.5|529264640|830177280|1179648|11|\n"
		"total of 0 machines and (none), MemTotal 16777216000");
}

/* The names and numbers of JSON. Absent is empty, and rows without processes are there, too. */
static void csv_has_every_field(void **state)
{
	AUTO_BUFFER struct buffer users = {0}, units = {0}, processes = {0};
	const char *ended;

	(void)state;
	build(&(struct table_case){.scope = METRIC_USER, .is_csv = true, .limit = 5}, &users);
	assert_int_equal(strncmp(users.data, "user,uid,exported,", 18), 0);
	assert_non_null(strstr(users.data, ",unmeasured_processes.denied,"));
	assert_non_null(strstr(users.data, "\nalice,1000,true,"));
	assert_non_null(strstr(users.data, "513539072,"));
	build(&(struct table_case){.scope = METRIC_PROGRAM, .is_csv = true}, &units);
	ended = strstr(units.data, "\nended,");
	assert_non_null(ended);
	build(&(struct table_case){.scope = METRIC_PROCESS,
		      .is_csv = true,
		      .key = "user",
		      .value = "bob",
		      .is_estimated = true},
		&processes);
	assert_int_equal(strncmp(processes.data, "pid,uid,gid,ppid,user,program,unit,", 35), 0);
	assert_non_null(strstr(processes.data, ",\"x\"\",user=\"\"root\"\"} 1\\x0a# HELP\\\""));
	assert_non_null(strstr(processes.data, ",guess,"));
}

static void finds_fields_by_heads(void **state)
{
	static const char *const cases[][2] = {
		{"PSS", "pss_bytes"},
		{"swap", "swap_pss_bytes"},
		{"Processes", "processes"},
		{"USER", "user"},
		{"USER_UNIT", "user_unit"},
		{"PID", "pid"},
		{"VM_HWM_BYTES", "vm_hwm_bytes"},
		{"uss_bytes", "uss_bytes"},
		{"No thing", NULL},
		{"", NULL},
		{"pss_bytes"
		 "                                                                         "
		 "                                ",
			NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char room[METRIC_NAME_SIZE];
		const char *field = owner_rows_find_sort(cases[i][0], room);

		if (cases[i][1])
			assert_string_equal(field, cases[i][1]);
		else
			assert_null(field);
	}
}

static void returns_errors_without_memory(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	static const uint32_t row[] = {0, 1, 2, 3};
	struct sums sums = {0};
	struct query q;
	struct owner_rows rows = {.scope = METRIC_PROCESS,
		.query = &q,
		.row = row,
		.count = ARRAY_SIZE(row),
		.sums = &sums,
		.look.width = WIDTH};

	(void)state;
	query_init(&q, METRIC_PROCESS);
	for (unsigned int is_csv = 0; is_csv < 2; is_csv++) {
		unsigned int n = 0;

		rows.look.form = is_csv ? LIST_CSV : LIST_TABLE;
		for (bool failed = true; failed;) {
			AUTO_BUFFER struct buffer text = {0};
			int r;

			allocation_fail_at(++n);
			r = owner_rows_print(view, &rows, &text);
			failed = allocation_end();
			assert_int_equal(r, failed ? -ENOMEM : 0);
		}
		assert_true(n > 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_have_sums),
		cmocka_unit_test(bytes_are_exact),
		cmocka_unit_test(limit_leaves_the_total),
		cmocka_unit_test(notes_wide_bounds),
		cmocka_unit_test(notes_why_a_process_was_not_measured),
		cmocka_unit_test(sort_field_is_shown),
		cmocka_unit_test(shows_charges_of_cgroups),
		cmocka_unit_test(absent_charges_have_no_column),
		cmocka_unit_test(omits_rows_without_processes),
		cmocka_unit_test(columns_give_way_to_a_narrow_terminal),
		cmocka_unit_test(wide_terminals_have_bars),
		cmocka_unit_test(names_keep_their_width),
		cmocka_unit_test(empty_table_has_a_head),
		cmocka_unit_test(shows_processes_without_an_owner),
		cmocka_unit_test(csv_has_every_field),
		cmocka_unit_test(finds_fields_by_heads),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
