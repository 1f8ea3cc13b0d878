/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/table/note.h"
#include "render/decimal.h"
#include "render/human.h"
#include "render/json.h"
#include "snapshot/owner.h"

enum what {
	WHAT_PID,
	WHAT_USER, /* of a process: its user; of a user's unit or session: the user */
	WHAT_ABOVE,
	WHAT_QUANTITY,
	WHAT_NAME, /* of an owner; of a process: its program */
	WHAT_NOTE,
};

struct column {
	enum what what;
	const char *head;
	const char *field; /* WHAT_QUANTITY: its name in JSON */
};

static const struct column scope_columns[] = {
	{WHAT_QUANTITY, "PSS", "pss_bytes"},
	{WHAT_QUANTITY, "USS", "uss_bytes"},
	{WHAT_QUANTITY, "RSS", "rss_bytes"},
	{WHAT_QUANTITY, "SWAP", "swap_pss_bytes"},
	{WHAT_QUANTITY, "CGROUP", "cgroup_bytes"}, /* if any row is charged */
	{WHAT_QUANTITY, "PROCESSES", "processes"},
};

static const struct column process_columns[] = {
	{WHAT_PID, "PID", NULL},
	{WHAT_USER, "USER", NULL},
	{WHAT_QUANTITY, "PSS", "pss_bytes"},
	{WHAT_QUANTITY, "USS", "uss_bytes"},
	{WHAT_QUANTITY, "RSS", "rss_bytes"},
	{WHAT_QUANTITY, "SWAP", "swap_pss_bytes"},
};

static const char absent[] = "-";

/* The parts of a row that a table needs, of any scope. */
struct row {
	const struct snapshot_process *process; /* NULL: the row is an owner's */
	const struct snapshot_scope *owner;     /* NULL: the row is a process's */
	const char *name;
	uint64_t present;
	const uint64_t *q;
};

/* The table under construction: the metric of each column, and the sums for the total. */
struct build {
	const struct view *view;
	const struct table_rows *rows;
	struct table *to;
	enum what what[TABLE_COLUMNS_MAX];
	const struct metric *metric[TABLE_COLUMNS_MAX];
	bool is_summed[TABLE_COLUMNS_MAX];
	uint64_t sum[TABLE_COLUMNS_MAX];
	bool has_sum[TABLE_COLUMNS_MAX];
	bool lacks_sum[TABLE_COLUMNS_MAX];
	bool has_notes;
	bool is_none;   /* the only row is that of processes without an owner of the kind */
	bool drops_it;  /* ... and is left out */
	uint64_t total; /* rows */
	size_t shown;
};

void table_done(struct table *t)
{
	buffer_done(&t->text);
	buffer_done(&t->total);
}

static void table_end_cell(struct table *t)
{
	buffer_add_char(&t->text, '\0');
}

static void table_add_cell(struct table *t, const char *text)
{
	buffer_add_text(&t->text, text);
	table_end_cell(t);
}

static void table_add_column(
	struct build *b, enum what what, const char *head, const struct metric *m)
{
	size_t i = b->to->columns++;

	assert(i < TABLE_COLUMNS_MAX);
	b->what[i] = what;
	b->metric[i] = m;
	b->is_summed[i] = m && !(m->flags & METRIC_CGROUP_ONLY); /* cgroups contain each other */
	snprintf(b->to->column[i].head, METRIC_NAME_SIZE, "%s", head);
	b->to->column[i].is_right = what == WHAT_QUANTITY || what == WHAT_PID;
	b->to->column[i].is_wide = what == WHAT_NAME;
}

static bool table_has_column(const struct build *b, const struct metric *metric)
{
	for (size_t i = 0; i < b->to->columns; i++)
		if (b->metric[i] == metric)
			return true;
	return false;
}

/*
 * A table that is sorted by a metric shows it. The column has no total, because high-water marks,
 * ages and amounts of hugetlb pages do not add up.
 */
static void add_sort_column(struct build *b)
{
	const struct query_field *sort = &b->rows->query->sort;
	char head[METRIC_NAME_SIZE];

	if (sort->kind == QUERY_METRIC && !table_has_column(b, sort->metric)) {
		metric_field(sort->metric, head);
		for (char *c = head; *c; c++)
			if (*c >= 'a' && *c <= 'z')
				*c = (char)(*c - 'a' + 'A');
		table_add_column(b, WHAT_QUANTITY, head, sort->metric);
		b->is_summed[b->to->columns - 1] = false;
	}
}

/* The head of the column of names. Processes are named after their program. */
static const char *name_head(enum metric_scope scope)
{
	return owner_of(metric_is_owner(scope) ? metric_owner_kind(scope) : OWNER_PROGRAM)->title;
}

/* Columns that distinguish owners of one kind with the same name. */
static void add_owner_columns(struct build *b, const struct owner *owner)
{
	if (owner->has_user)
		table_add_column(b, WHAT_USER, "USER", NULL);
	if (owner->above)
		table_add_column(b, WHAT_ABOVE, owner_of(owner_find(owner->above))->title, NULL);
}

/* Returns true if any of the rows, which are owners, has METRIC, which only cgroups have. */
static bool is_charged(const struct build *b, const struct metric *metric)
{
	for (size_t i = 0; i < b->rows->count; i++) {
		const struct snapshot_scope *s = view_scope(
			b->view, b->rows->scope, b->rows->row[i]);

		if (ROW_HAS(s, metric->index))
			return true;
	}
	return false;
}

/*
 * Returns true if FIELD of the rows, with metric M, needs a column: not if it is a cgroup's metric
 * and no row has it.
 */
static bool is_worth_a_column(const struct build *b, const char *field, const struct metric *m)
{
	if (!field)
		return true;
	return m && (!(m->flags & METRIC_CGROUP_ONLY) || is_charged(b, m));
}

static void table_add_columns(struct build *b)
{
	bool is_process = b->rows->scope == METRIC_PROCESS;
	const struct column *column = is_process ? process_columns : scope_columns;
	size_t count = is_process ? ARRAY_SIZE(process_columns) : ARRAY_SIZE(scope_columns);

	for (size_t i = 0; i < count; i++) {
		const char *field = column[i].field;
		const struct metric *m = field ? metric_find_field(b->rows->scope, field) : NULL;

		if (is_worth_a_column(b, field, m))
			table_add_column(b, column[i].what, column[i].head, m);
	}
	add_sort_column(b);
	if (!is_process)
		add_owner_columns(b, owner_of(metric_owner_kind(b->rows->scope)));
	table_add_column(b, WHAT_NAME, name_head(b->rows->scope), NULL);
	if (b->has_notes)
		table_add_column(b, WHAT_NOTE, "NOTE", NULL);
}

static void row_get(const struct build *b, uint32_t i, struct row *ret)
{
	if (b->rows->scope == METRIC_PROCESS) {
		const struct snapshot_process *p = view_process(b->view, i);

		*ret = (struct row){
			p, NULL, view_owner(b->view, p, OWNER_PROGRAM), p->present, p->q};
	} else {
		const struct snapshot_scope *s = view_scope(b->view, b->rows->scope, i);

		*ret = (struct row){NULL, s, view_text(b->view, s->name), s->present, s->q};
	}
}

/*
 * Gets the value of METRIC; if METRIC has a label, the sum over its family, by which a query sorts,
 * too.
 */
static bool get_value(
	const struct metric *metric, enum metric_scope scope, const struct row *row, uint64_t *ret)
{
	size_t count;
	const struct metric *end = metric_table(scope, &count) + count;
	uint64_t sum = 0, value;
	bool any = false;

	if (!metric->label)
		return metric_get(metric, row->present, row->q, ret);
	for (const struct metric *m = metric; m < end && !strcmp(m->what, metric->what); m++)
		if (metric_get(m, row->present, row->q, &value)) {
			any = true;
			sum += value;
		}
	if (any)
		*ret = sum;
	return any;
}

static void add_value(struct buffer *to, const struct metric *metric, uint64_t value, bool bytes)
{
	if (!bytes && metric->kind == METRIC_INTEGER && metric->unit &&
		!strcmp(metric->unit, "bytes"))
		human_add_bytes(to, value);
	else
		decimal_add_quantity(to, metric->kind, value);
}

static void add_quantity_cell(struct build *b, size_t column, const struct row *row)
{
	uint64_t value;

	if (get_value(b->metric[column], b->rows->scope, row, &value))
		add_value(&b->to->text, b->metric[column], value, b->rows->bytes);
	else
		buffer_add_text(&b->to->text, absent);
	table_end_cell(b->to);
}

static uint64_t processes_in(const struct row *row)
{
	if (row->process)
		return 1;
	return ROW_HAS(row, SCOPE_PROCESSES) ? row->q[SCOPE_PROCESSES] : 0;
}

static void note_of(const struct row *row, struct note *ret)
{
	if (row->process)
		note_of_process(row->process, ret);
	else
		note_of_sums(row->present, row->q, ret);
}

static void table_add_note(struct build *b, const struct row *row)
{
	struct note note;

	note_of(row, &note);
	note_add(&b->to->text, &note, b->rows->bytes);
	table_end_cell(b->to);
}

static const char *text_or_absent(const struct build *b, uint32_t ref)
{
	const char *text = view_text(b->view, ref);

	return *text ? text : absent;
}

static const char *table_user_of(const struct build *b, const struct row *row)
{
	return row->process ? view_owner(b->view, row->process, OWNER_USER)
	                    : text_or_absent(b, row->owner->user);
}

static void table_add_row(struct build *b, const struct row *row)
{
	for (size_t i = 0; i < b->to->columns; i++)
		switch (b->what[i]) {
		case WHAT_PID:
			assert(row->process);
			buffer_add_u64(&b->to->text, row->process->pid);
			table_end_cell(b->to);
			break;
		case WHAT_USER: table_add_cell(b->to, table_user_of(b, row)); break;
		case WHAT_ABOVE:
			assert(row->owner);
			table_add_cell(b->to, text_or_absent(b, row->owner->above));
			break;
		case WHAT_QUANTITY: add_quantity_cell(b, i, row); break;
		case WHAT_NAME: table_add_cell(b->to, row->name); break;
		case WHAT_NOTE: table_add_note(b, row); break;
		}
	b->to->rows++;
}

/* Processes without a PSS are not part of the sums: notes count them. */
static bool is_in_sums(const struct row *row)
{
	return row->process ? ROW_HAS(row, PROCESS_PSS) : ROW_HAS(row, SCOPE_PSS);
}

/* Follows snapshot/sums.h: if a value of one summed row is not known, the sum is not known. */
static void add_to_sums(struct build *b, const struct row *row)
{
	uint64_t value;

	for (size_t i = 0; i < b->to->columns; i++)
		if (b->is_summed[i] && get_value(b->metric[i], b->rows->scope, row, &value)) {
			b->sum[i] += value;
			b->has_sum[i] = true;
		} else if (is_in_sums(row)) {
			b->lacks_sum[i] = true;
		}
	b->total++;
}

static void table_add_bytes(struct build *b, uint64_t bytes)
{
	if (b->rows->bytes)
		buffer_add_u64(&b->to->total, bytes);
	else
		human_add_bytes(&b->to->total, bytes);
}

/* "total of 9 users (2 not shown), MemTotal 15.6 GiB, 3 denied, PSS between 2.7 and 3.1 GiB" */
static void add_total_text(struct build *b)
{
	const struct snapshot_scope *host = view_host(b->view);
	struct buffer *to = &b->to->total;
	struct note note;

	buffer_printf(to, "total of %llu %s", (unsigned long long)(b->is_none ? 0 : b->total),
		b->total == 1 && !b->is_none ? metric_scope_name(b->rows->scope)
					     : json_list_name(b->rows->scope));
	if (b->shown < b->total)
		buffer_printf(to, " (%llu not shown)", (unsigned long long)(b->total - b->shown));
	if (b->rows->everybodys && ROW_HAS(b->rows->everybodys, SCOPE_PSS)) {
		buffer_add_text(to, ", PSS of all users ");
		table_add_bytes(b, b->rows->everybodys->q[SCOPE_PSS]);
	}
	if (ROW_HAS(host, SCOPE_MEM_TOTAL)) {
		buffer_add_text(to, ", MemTotal ");
		table_add_bytes(b, host->q[SCOPE_MEM_TOTAL]);
	}
	if (b->drops_it)
		return;
	note_of_sums(b->rows->sums->present, b->rows->sums->q, &note);
	note_add_to_total(to, &note, b->rows->bytes);
}

static void table_add_total(struct build *b)
{
	for (size_t i = 0; i < b->to->columns; i++) {
		bool any = b->has_sum[i] || !b->total; /* the sum of no rows is 0 */

		if (b->is_summed[i] && any && !b->lacks_sum[i])
			add_value(&b->to->text, b->metric[i], b->sum[i], b->rows->bytes);
		else if (b->metric[i])
			buffer_add_text(&b->to->text, absent);
		table_end_cell(b->to);
	}
	add_total_text(b);
	b->to->rows++;
	b->to->has_total = true;
}

/*
 * An owner without processes stays in the snapshot for an hour, so that its series goes on; tables
 * leave it out.
 */
static bool table_is_shown(const struct row *row)
{
	return row->process || processes_in(row);
}

/*
 * Returns true if no process has an owner of the kind, and no filter asks for the row of processes
 * without one.
 */
static bool is_none_alone(const struct build *b)
{
	bool any = false;

	if (!metric_is_owner(b->rows->scope) || b->rows->query->filters)
		return false;
	for (size_t i = 0; i < b->rows->count; i++) {
		struct row row;

		row_get(b, b->rows->row[i], &row);
		if (table_is_shown(&row) && strcmp(row.name, OWNER_NONE) != 0)
			return false;
		any = any || table_is_shown(&row);
	}
	return any;
}

static bool table_has_notes(const struct build *b)
{
	for (size_t i = 0; i < b->rows->count; i++) {
		struct note note;
		struct row row;

		row_get(b, b->rows->row[i], &row);
		note_of(&row, &note);
		if (!note_is_empty(&note, b->rows->bytes))
			return true;
	}
	return false;
}

int table_build(const struct view *view, const struct table_rows *rows, struct table *ret)
{
	struct build b = {.view = view, .rows = rows, .to = ret};

	*ret = (struct table){0};
	b.is_none = is_none_alone(&b);
	b.drops_it = b.is_none && owner_of(metric_owner_kind(rows->scope))->is_optional;
	b.has_notes = !b.drops_it && table_has_notes(&b);
	table_add_columns(&b);
	for (size_t i = 0; i < rows->count && !b.drops_it; i++) {
		struct row row;

		row_get(&b, rows->row[i], &row);
		if (!table_is_shown(&row))
			continue;
		add_to_sums(&b, &row);
		if (rows->limit && b.shown == rows->limit)
			continue;
		table_add_row(&b, &row);
		b.shown++;
	}
	table_add_total(&b);
	return ret->text.error ? ret->text.error : ret->total.error;
}
