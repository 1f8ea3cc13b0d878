/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the page of a row: its figures, what is absent, and what commands have printed. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/top/pages/command-line.h"
#include "cli/top/pages/details.h"
#include "render/human.h"
#include "tests/unit/support/cli/process-row.h"
#include "tests/unit/support/snapshot/sample.h"

#define NOW_NS (10000 * NS_PER_SEC)

/* Returns true if the page of ROW has TEXT. */
static bool page_has(
	const struct details *d, const struct view *view, struct top_row *row, const char *wanted)
{
	const struct top_rows rows = {.view = view, .is_of_image = true};
	AUTO_BUFFER struct buffer text = {0};

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	details_render(d, &rows, row, NOW_NS, 80, &text);
	assert_int_equal(text.error, 0);
	return memmem(text.data, text.len, wanted, strlen(wanted));
}

static void a_process_has_its_figures(void **state)
{
	static const struct {
		bool is_estimated;
		uint32_t pid;
		const char *text;
	} cases[] = {
		{false, 1000, "process firefox, pid 1000\n"},
		{false, 1000, "PSS         390.6 MiB\n"},
		{false, 1000, "USS         341.8 MiB\n"},
		{false, 1000, "PSS + swap  391.6 MiB\n"},
		{false, 1000, "Source      measured, from rollup"},
		{false, 1000, "user        alice\n"},
		{false, 1000, "Growth      not known yet\n"},
		{true, SAMPLE_ESTIMATED,
			"Source      estimated, measured 4 min 31 s before this snapshot\n"},
		{true, SAMPLE_GUESSED, "Source      guessed: never measured yet\n"},
		{false, 300, "PSS         not known\n"},
		{false, 300, "Source      not measured: denied\n"},
		{false, 300, "RSS         8.0 MiB\n"},
		{false, 1002, "Source      the memory counts at process 1001\n"},
		{false, 2200, "Swap        not known\n"},
	};
	const struct details closed = DETAILS_CLOSED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = sample_open(
			&(struct sample_options){.is_estimated = cases[i].is_estimated});
		struct top_row row = process_row(view, cases[i].pid);

		assert_true(page_has(&closed, view, &row, cases[i].text));
	}
}

static void an_owner_has_its_largest_processes(void **state)
{
	AUTO_VIEW struct view *view = sample_open(&(struct sample_options){.more = 2000});
	const struct details closed = DETAILS_CLOSED;
	struct top_row row;

	(void)state;
	top_row_of_owner(OWNER_USER, "alice", 0, 0, &process_row_secret, &row);
	assert_true(page_has(&closed, view, &row, "user alice\n"));
	assert_true(page_has(&closed, view, &row,
		"Its largest processes:\n     1000  390.6 MiB  firefox\n     1001  97.7 MiB  firefox\n"
		"     1003  1.5 MiB  bash\n"));
}

static int compare_sizes(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return (*a < *b) - (*a > *b);
}

/* Of many processes the ten largest are listed, the largest first. */
static void the_largest_processes_come_first(void **state)
{
	enum { MANY = 2000, LISTED = 10 };
	AUTO_VIEW struct view *view = sample_open(
		&(struct sample_options){.more = MANY, .growth_kib = 3});
	const struct details closed = DETAILS_CLOSED;
	AUTO_BUFFER struct buffer expected = {0};
	uint64_t pss[MANY] = {0};
	struct top_row row;
	size_t count = 0;

	(void)state;
	top_row_of_owner(OWNER_USER, "user20042", 0, 0, &process_row_secret, &row);
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++)
		if (!strcmp(view_owner(view, view_process(view, i), OWNER_USER), row.name))
			pss[count++] = view_process(view, i)->q[PROCESS_PSS];
	assert_true(count > LISTED);
	qsort(pss, count, sizeof(*pss), compare_sizes);
	for (size_t k = 0; k < LISTED; k++)
		for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++) {
			const struct snapshot_process *p = view_process(view, i);

			if (strcmp(view_owner(view, p, OWNER_USER), row.name) != 0 ||
				p->q[PROCESS_PSS] != pss[k])
				continue;
			buffer_printf(&expected, "  %7u  ", p->pid);
			human_add_bytes(&expected, pss[k]);
			buffer_printf(&expected, "  %s\n", view_owner(view, p, OWNER_PROGRAM));
		}
	buffer_add_char(&expected, '\0');
	assert_true(page_has(&closed, view, &row, expected.data));
}

/* The largest processes of a sum are those that were summed: of a user, of a choice, below a row. */
static void the_largest_processes_are_those_of_the_sum(void **state)
{
	static const struct {
		enum top_view view;
		const char *user, *pid; /* chosen on the screen, and on the command line */
		const char *name, *above, *expected;
	} cases[] = {
		{TOP_VIEW_PROGRAM, "", NULL, "bash", NULL,
			"     1003  1.5 MiB  bash\n     2001  1.4 MiB  bash\n"},
		{TOP_VIEW_PROGRAM, "alice", NULL, "bash", NULL, "     1003  1.5 MiB  bash\n"},
		{TOP_VIEW_PROGRAM, "", "2001", "bash", NULL, "     2001  1.4 MiB  bash\n"},
		{TOP_VIEW_NESTED, "", NULL, "bash", "alice", "     1003  1.5 MiB  bash\n"},
		{TOP_VIEW_NESTED, "", NULL, "bash", "bob", "     2001  1.4 MiB  bash\n"},
	};
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct details closed = DETAILS_CLOSED;
	struct history history = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct query members = {0};
		char error[QUERY_ERROR_SIZE];
		const struct top_rows_source from = {.view = view,
			.history = &history,
			.members = cases[i].pid ? &members : NULL,
			.secret = &process_row_secret};
		AUTO_BUFFER struct buffer text = {0}, expected = {0};
		struct top_rows rows = {0};
		struct top_row *found = NULL;
		struct top_state s;

		query_init(&members, METRIC_PROCESS);
		if (cases[i].pid)
			assert_int_equal(query_set(&members, "pid", cases[i].pid, error), 0);
		top_state_init(&s, cases[i].view);
		snprintf(s.asks.user, sizeof(s.asks.user), "%s", cases[i].user);
		snprintf(s.asks.filter, sizeof(s.asks.filter), "b");
		assert_int_equal(top_rows_make(&rows, &s.asks, &from), 0);
		for (size_t k = 0; k < rows.count; k++) {
			struct top_row *r = &rows.row[k];

			if (!r->process && !strcmp(r->name, cases[i].name) &&
				(!cases[i].above ||
					!strcmp(rows.row[r->parent].name, cases[i].above)))
				found = r;
		}
		assert_non_null(found);
		details_render(&closed, &rows, found, NOW_NS, 80, &text);
		buffer_printf(&expected, "\nIts largest processes:\n%s", cases[i].expected);
		assert_int_equal(text.error, 0);
		assert_true(text.len >= expected.len);
		assert_memory_equal(
			text.data + text.len - expected.len, expected.data, expected.len);
		top_rows_done(&rows);
		history_done(&history);
	}
}

static void growth_is_that_of_the_history(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct details closed = DETAILS_CLOSED;
	struct history history = {0};
	struct top_rows rows = {.view = view, .history = &history, .is_of_image = true};
	AUTO_BUFFER struct buffer text = {0};
	struct top_row row = process_row(view, 1000);
	static const char expected[] = "Growth      +30.0M in 1 min\n";

	(void)state;
	assert_true(history_begin(&history, SAMPLE_BOOTTIME_NS - 60 * NS_PER_SEC, NS_PER_SEC));
	history_add(&history, &row.past, row.amounts.q[AMOUNT_PSS] - (30 << 20));
	rows.known = top_known_of(&history, SAMPLE_BOOTTIME_NS, 0);
	details_render(&closed, &rows, &row, NOW_NS, 80, &text);
	assert_non_null(memmem(text.data, text.len, expected, strlen(expected)));
	history_done(&history);
}

static void a_row_that_is_gone_says_so(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	const struct details closed = DETAILS_CLOSED;

	(void)state;
	assert_true(page_has(&closed, view, NULL, "This row is gone"));
}

static void output_of_commands_follows(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct top_row row = process_row(view, 1000);
	struct details d = DETAILS_CLOSED;

	(void)state;
	assert_false(page_has(&d, view, &row, "memtally explain"));
	d.start_ns = NOW_NS - 185 * NS_PER_SEC;
	buffer_add_text(&d.explain.text,
		"one line of words that is much longer than the eighty columns that the terminal has here\n");
	buffer_add_text(&d.map.text, "a table  with blanks is not folded even if it is longer than "
				     "the eighty columns of this terminal\n");
	assert_true(page_has(&d, view, &row,
		"\nmemtally explain, 3 min 5 s ago:\none line of words that is much longer "
		"than the eighty columns that the terminal\nhas here\n"));
	assert_true(page_has(&d, view, &row,
		"\nmemtally map --by=kind, 3 min 5 s ago:\na table  with blanks is not "
		"folded even if it is longer than the eighty"));
	assert_false(page_has(&d, view, &row, "prints more"));
	d.map.is_cut = true;
	assert_true(page_has(
		&d, view, &row, "\nmemtally map --by=kind prints more: this is the beginning.\n"));
	details_close(&d);
	d.error = -ENOMEM;
	assert_true(
		page_has(&d, view, &row, "cannot run memtally explain: Cannot allocate memory\n"));
}

/* A command line has the arguments with blanks between them, cleaned, in lines of the width. */
static void command_lines_are_shown(void **state)
{
	static const char arguments[] = "/usr/bin/firefox\0--profile\0a\x1b[2J\nb\0\0";
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct top_row row = process_row(view, 1000);
	struct details d = DETAILS_CLOSED;

	(void)state;
	assert_false(page_has(&d, view, &row, "Command line"));
	buffer_add(&d.command.text, arguments, sizeof(arguments) - 1);
	assert_true(page_has(&d, view, &row,
		"\nCommand line, now:\n/usr/bin/firefox --profile a\\x1b[2J\\x0ab\n"));
	/* one that is longer than what is shown */
	buffer_clear(&d.command.text);
	for (unsigned int i = 0; i <= COMMAND_LINE_MAX; i++)
		buffer_add_char(&d.command.text, 'x');
	assert_true(page_has(&d, view, &row,
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
		"xxxx"));
	assert_true(page_has(&d, view, &row, "xx\nIt is longer: this is the beginning.\n"));
	/* wide characters, and bytes that are none */
	buffer_clear(&d.command.text);
	for (unsigned int i = 0; i < 41; i++)
		buffer_add_text(&d.command.text, "\xe6\x95\xb0");
	buffer_add_text(&d.command.text, "\xff");
	assert_true(page_has(&d, view, &row, "\xe6\x95\xb0\n\xe6\x95\xb0\xef\xbf\xbd\n"));
	details_close(&d);
}

/* The page reads the command line of the process itself, and not that of the past. */
static void the_command_line_is_read(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	char procfs[] = "/proc", socket[] = "/nonexistent";
	struct settings settings = {.path_procfs = procfs, .snapshot_socket = socket};
	struct snapshot_process self = *view_find_process(view, 1000);
	struct top_row row = process_row(view, 1000);
	struct details d = DETAILS_CLOSED;

	(void)state;
	self.pid = (uint32_t)getpid();
	row.process = &self;
	details_open(&d, &row, &settings, NOW_NS);
	while (d.command.fd >= 0) {
		struct pollfd p = {.fd = d.command.fd, .events = POLLIN};

		assert_int_equal(poll(&p, 1, -1), 1);
		details_read(&d);
	}
	assert_non_null(memmem(d.command.text.data, d.command.text.len, "test-details", 12));
	details_open(&d, &row, NULL, NOW_NS);
	assert_int_equal(d.command.fd, -1);
	assert_int_equal(d.command.text.len, 0);
	assert_int_equal(d.explain.fd, -1);
	assert_true(page_has(&d, view, &row, "These figures are of the past."));
	details_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_its_figures),
		cmocka_unit_test(an_owner_has_its_largest_processes),
		cmocka_unit_test(the_largest_processes_come_first),
		cmocka_unit_test(the_largest_processes_are_those_of_the_sum),
		cmocka_unit_test(growth_is_that_of_the_history),
		cmocka_unit_test(a_row_that_is_gone_says_so),
		cmocka_unit_test(output_of_commands_follows),
		cmocka_unit_test(command_lines_are_shown),
		cmocka_unit_test(the_command_line_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
