/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/map/map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/common/command.h"
#include "cli/common/each-process.h"
#include "cli/common/inspection.h"
#include "cli/common/sort-names.h"
#include "cli/map/mapchange.h"
#include "cli/map/maprow.h"
#include "cli/map/process-list.h"
#include "cli/map/saved.h"
#include "cli/table/output.h"
#include "inspect/files/file-state.h"

const char *map_by(unsigned int i)
{
	return i < MAPPING_TABLE_BYS ? mapping_table_by_name((enum mapping_table_by)i) : NULL;
}

/* Returns true if the map is compared with that of another process, or with a saved one. */
static bool is_compared(const struct inspection *i)
{
	return i->diff || i->settings->since;
}

static int parse_other(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	uint64_t pid = 0;

	if (c->diff && c->since) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--diff does not go with --since");
		return -EINVAL;
	}
	if (c->diff &&
		(number_parse_u64(c->diff, strlen(c->diff), &pid) < 0 || !pid || pid > INT32_MAX))
		return cli_option_refuse("--diff", c->diff, "the pid of a process", error);
	i->diff = (pid_t)pid;
	return 0;
}

static int map_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	int r;

	i->look = command_look(c, LIST_LINES);
	i->by = c->diff || c->since ? MAPPING_TABLE_BY_FILE : MAPPING_TABLE_BY_MAPPING;
	i->sort = MAPPING_PSS;
	r = cli_option_parse_by(c, map_by, "mapping, file or kind", &i->by, error);
	if (r == 0)
		r = parse_other(i, error);
	if (r == 0)
		r = sort_names_parse(c, &maprow_columns, is_compared(i) ? mapchange_has : NULL,
			&i->sort, &i->ascending, error);
	i->is_sorted = c->sort || c->order || i->by != MAPPING_TABLE_BY_MAPPING || is_compared(i);
	return r == 0 ? pid_selection_parse(c, &i->chosen, error) : r;
}

/* The state of one run: what is kept and printed. */
struct showing {
	const struct inspection *options;
	struct maprow_format format;
	struct mapping_table table;         /* if rows are sorted or summed: all rows, */
	struct mapping_table then;          /* and the rows to compare them with, */
	struct process_list saved;          /* of these processes, if they are of a file */
	struct mapping_table *into;         /* the one that is being filled */
	struct mapping_table one;           /* the rows of the process that is being read */
	struct mapping_table_row total;     /* if rows are printed at once: the total, */
	struct mapping_table_row one_total; /* and the total of the process that is being read */
	struct mapchange_columns columns;   /* of changes */
	struct list list;                   /* of rows or changes */
	struct buffer text, name;
	pid_t pid;
	size_t whole; /* processes that were read completely */
	struct each_process visit;
};

static void cleanup_map_showing(struct showing *s)
{
	mapping_table_done(&s->table);
	mapping_table_done(&s->then);
	process_list_done(&s->saved);
	mapping_table_done(&s->one);
	buffer_done(&s->text);
	buffer_done(&s->name);
	list_done(&s->list);
	each_process_done(&s->visit);
}

static int map_add_row(struct showing *s, const struct mapping_table_row *row)
{
	s->visit.fatal = list_add(&s->list, row);
	return s->visit.fatal;
}

/*
 * Prints a mapping at once. It is kept only in the sums of its process, which count if the process
 * is read completely.
 */
static int pass_on(struct showing *s, const struct mapping *m)
{
	struct mapping_table_row row;
	int r = mapping_table_row_of(m, s->pid, s->format.look.form != LIST_LINES, &s->name, &row);

	if (r == 0)
		r = mapping_table_sum(&s->one_total, &row);
	return r == 0 ? map_add_row(s, &row) : r;
}

static int map_take(const struct mapping *m, void *context)
{
	struct showing *s = context;

	return s->options->is_sorted ? mapping_table_add(&s->one, s->pid, m) : pass_on(s, m);
}

static int map_look_into(struct target *t, void *context)
{
	struct showing *s = context;

	mapping_table_done(&s->one);
	s->one_total = (struct mapping_table_row){0};
	s->pid = t->process.pid;
	return file_state_mappings(t, map_take, s);
}

/* Takes the process that was read. An incomplete process is neither summed nor compared. */
static int map_keep(void *context)
{
	struct showing *s = context;
	int r = s->one_total.mappings ? mapping_table_sum(&s->total, &s->one_total) : 0;
	struct mapping_table before = *s->into;

	/* The rows of the first process, which may be many, are moved instead of copied. */
	if (!before.rows) {
		*s->into = s->one;
		s->one = before;
	}
	for (size_t i = 0; r == 0 && i < s->one.rows; i++)
		r = mapping_table_add_row(s->into, &s->one.row[i]);
	s->whole += r == 0;
	return r;
}

static void map_begin_list(struct showing *s, struct list list)
{
	s->list = list;
	if (s->options->is_sorted)
		list_keep_sort(&s->list, s->options->sort);
	list_begin(&s->list);
}

static int add_kept(struct showing *s)
{
	size_t count = s->table.rows;
	int r = 0;

	maprow_sort(&s->table, s->options->sort);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = map_add_row(s, &s->table.row[s->options->ascending ? count - 1 - i : i]);
	mapping_table_total(&s->table, &s->total);
	return r;
}

static void finish_json(struct showing *s)
{
	buffer_printf(&s->text, "],\"count\":%zu,\"total\":", s->list.rows);
	if (s->whole)
		list_add_sums(&s->list, &s->total, &s->text);
	else
		buffer_add_text(&s->text, "{}");
	buffer_add_text(&s->text, ",\"processes\":[");
	buffer_add(&s->text, s->visit.processes.data, s->visit.processes.len);
	buffer_add_text(&s->text, "]}\n");
}

/* Adds a total of ROWS rows, which WHAT describes. */
static void map_add_total(struct showing *s, const void *total, size_t rows, const char *what)
{
	AUTO_BUFFER struct buffer beside = {0};

	buffer_printf(&beside, "total of %zu %s%s%s", rows, what, rows == 1 ? "" : "s",
		s->format.look.bytes ? "" : ", in KiB");
	list_total(&s->list, total, &beside);
}

/*
 * If no process was read completely, no total is printed: zeros would look like a result. The log
 * has the reason. CSV has its head even then.
 */
static int map_finish(struct showing *s)
{
	enum list_form form = s->format.look.form;
	bool is_sorted = s->options->is_sorted;
	int r = is_sorted ? add_kept(s) : 0;

	if (r < 0)
		return r;
	if (form == LIST_JSON)
		finish_json(s);
	else if (!s->whole && !s->list.rows && form != LIST_CSV)
		buffer_clear(&s->text);
	else if (s->whole)
		map_add_total(s, &s->total, is_sorted ? s->list.rows : s->total.mappings, "row");
	r = list_end(&s->list);
	return r == 0 ? output_flush(&s->text) : r;
}

static int show_all(struct showing *s)
{
	const struct pid_selection *chosen = &s->options->chosen;
	int r = 0;

	if (s->format.look.form == LIST_JSON)
		buffer_printf(&s->text, "{\"version\":%d,\"by\":\"%s\",\"rows\":[", SAVED_VERSION,
			mapping_table_by_name(s->format.by));
	map_begin_list(s, maprow_list(&s->format, &maprow_columns, &s->text));
	for (size_t i = 0; r == 0 && i < chosen->count; i++)
		r = each_process_visit(&s->visit, &chosen->process[i]);
	return r < 0 ? r : map_finish(s);
}

static int print_changes(struct showing *s)
{
	bool is_json = s->format.look.form == LIST_JSON;
	unsigned int sort = s->options->sort;
	bool is_field = sort < MAPPING_FIELDS;
	AUTO_COMPARE struct compare c = {0};
	int r = compare_make(
		&s->table, &s->then, is_field ? (enum mapping_field)sort : MAPPING_PSS, &c);

	if (r < 0)
		return r;
	if (!is_field)
		mapchange_sort(&c, sort);
	if (is_json)
		buffer_printf(&s->text, "{\"by\":\"%s\",\"changes\":[",
			mapping_table_by_name(s->format.by));
	map_begin_list(s, mapchange_list(&s->format, &s->columns, &s->text));
	for (size_t i = 0; r == 0 && i < c.rows; i++)
		r = list_add(&s->list, &c.row[s->options->ascending ? c.rows - 1 - i : i]);
	if (is_json) {
		buffer_printf(&s->text, "],\"count\":%zu,\"total\":", c.rows);
		list_add_sums(&s->list, &c.total, &s->text);
		buffer_add_text(&s->text, "}\n");
	}
	map_add_total(s, &c.total, c.rows, "changed row");
	if (r == 0)
		r = list_end(&s->list);
	return r == 0 ? output_flush(&s->text) : r;
}

/*
 * Loads the other side of the comparison. Returns 0, also if that failed, which has been logged and
 * sets .has_failed; or a negative errno.
 */
static int load_then(struct showing *s)
{
	char error[SAVED_ERROR_SIZE];
	int r;

	if (s->options->settings->since) {
		r = saved_load(s->options->settings->since, &s->then, &s->saved, error);
		if (r == -EINVAL)
			log_error("%s", error);
		s->visit.has_failed = r == -EINVAL;
		return r == -EINVAL ? 0 : r;
	}
	s->into = &s->then;
	return each_process_visit(
		&s->visit, &(struct pid_selection_process){.pid = s->options->diff});
}

/* Warns if the file is of other processes. Returns 0 or -ENOMEM. */
static int map_say_others(const struct showing *s)
{
	const struct buffer *processes = &s->visit.processes;
	AUTO_PROCESS_LIST struct process_list now = {0};
	AUTO_BUFFER struct buffer lines = {0};
	int r = process_list_add_text(&now, processes->data, processes->len);

	if (r < 0)
		return r;
	process_list_compare(&s->saved, &now, s->options->settings->since,
		s->options->chosen.has_filters, &lines);
	command_warn(&lines);
	return lines.error;
}

/* Prints nothing if a process is incomplete: memory would seem to have gone. */
static int show_changes(struct showing *s)
{
	const struct pid_selection *chosen = &s->options->chosen;
	int r = load_then(s);
	size_t before = s->whole;

	s->into = &s->table;
	for (size_t i = 0; r == 0 && !s->visit.has_failed && i < chosen->count; i++)
		r = each_process_visit(&s->visit, &chosen->process[i]);
	if (r == 0 && !s->visit.has_failed && s->whole == before) {
		log_error("nothing to compare: all processes that matched have exited");
		s->visit.has_failed = true;
	}
	if (r == 0 && !s->visit.has_failed && s->options->settings->since)
		r = map_say_others(s);
	return r < 0 || s->visit.has_failed ? r : print_changes(s);
}

static int map_show(struct inspection *i)
{
	CLEANUP(cleanup_map_showing)
	struct showing s = {
		.options = i,
		.format = {.by = (enum mapping_table_by)i->by, .look = i->look},
		.table.by = (enum mapping_table_by)i->by,
		.then.by = (enum mapping_table_by)i->by,
		.one.by = (enum mapping_table_by)i->by,
	};
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};
	int opened = pid_selection_open(i->settings, &i->chosen, &procfs), r;

	if (opened == PID_SELECTION_FAILED ||
		(opened == PID_SELECTION_NONE && (i->look.form != LIST_CSV || is_compared(i))))
		return 1;
	s.format.has_pid = i->chosen.count > 1;
	s.into = &s.table;
	s.visit = (struct each_process){
		.procfs = &procfs, .work = map_look_into, .keep = map_keep, .context = &s};
	r = is_compared(i) ? show_changes(&s) : show_all(&s);
	return r < 0 ? r : opened || s.visit.has_failed;
}

int map_run(const struct settings *settings, bool is_check)
{
	return inspection_run(settings, is_check, CLI_VIEW_MAP, map_parse, map_show);
}
