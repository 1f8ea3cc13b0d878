/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "render/human.h"
#include "render/decimal.h"
#include "render/json.h"

enum what {
	WHAT_PID,
	WHAT_USER,
	WHAT_QUANTITY,
	WHAT_NAME, /* of a user, program or unit; of a process, its program */
	WHAT_NOTE,
};

struct column {
	enum what what;
	const char *head;
	const char *field; /* WHAT_QUANTITY: as it is called in JSON */
};

static const struct column scope_columns[] = {
	{WHAT_QUANTITY, "PSS", "pss_bytes"},
	{WHAT_QUANTITY, "USS", "uss_bytes"},
	{WHAT_QUANTITY, "RSS", "rss_bytes"},
	{WHAT_QUANTITY, "SWAP", "swap_pss_bytes"},
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

/* A row of any scope, as far as a table looks at it. */
struct row {
	const struct snapshot_process *process; /* NULL: of a user, program or unit */
	const char *name;
	uint64_t present;
	const uint64_t *q;
};

/* What is being built: columns with the metric of each, and sums for the total. */
struct build {
	const struct view *view;
	const struct table_rows *rows;
	struct table *to;
	enum what what[TABLE_COLUMNS_MAX];
	const struct metric *metric[TABLE_COLUMNS_MAX];
	bool is_summed[TABLE_COLUMNS_MAX];
	uint64_t sum[TABLE_COLUMNS_MAX];
	bool has_sum[TABLE_COLUMNS_MAX];
	bool has_notes;
	uint64_t unmeasured, total; /* rows or processes */
	size_t shown;
};

void table_done(struct table *t)
{
	buffer_done(&t->text);
	buffer_done(&t->total);
}

static void end_cell(struct table *t)
{
	buffer_add_char(&t->text, '\0');
}

static void add_cell(struct table *t, const char *text)
{
	buffer_add_text(&t->text, text);
	end_cell(t);
}

static void add_column(struct build *b, enum what what, const char *head, const struct metric *m)
{
	size_t i = b->to->columns++;

	b->what[i] = what;
	b->metric[i] = m;
	b->is_summed[i] = m != NULL;
	snprintf(b->to->column[i].head, METRIC_NAME_SIZE, "%s", head);
	b->to->column[i].is_right = what == WHAT_QUANTITY || what == WHAT_PID;
	b->to->column[i].is_wide = what == WHAT_NAME;
}

static bool has_column(const struct build *b, const struct metric *metric)
{
	for (size_t i = 0; i < b->to->columns; i++)
		if (b->metric[i] == metric)
			return true;
	return false;
}

/*
 * A table that is sorted by something shows it. It has no total: high-water marks, ages and amounts of
 * hugetlb pages do not add up.
 */
static void add_sort_column(struct build *b)
{
	const struct query_field *sort = &b->rows->query->sort;
	char head[METRIC_NAME_SIZE];

	if (sort->kind == QUERY_METRIC && !has_column(b, sort->metric)) {
		metric_field(sort->metric, head);
		for (char *c = head; *c; c++)
			if (*c >= 'a' && *c <= 'z')
				*c = (char)(*c - 'a' + 'A');
		add_column(b, WHAT_QUANTITY, head, sort->metric);
		b->is_summed[b->to->columns - 1] = false;
	}
}

static const char *name_head(enum metric_scope scope)
{
	switch (scope) {
	case METRIC_USER: return "USER";
	case METRIC_UNIT: return "UNIT";
	default: return "PROGRAM";
	}
}

static void add_columns(struct build *b)
{
	bool is_process = b->rows->scope == METRIC_PROCESS;
	const struct column *column = is_process ? process_columns : scope_columns;
	size_t count = is_process ? ARRAY_SIZE(process_columns) : ARRAY_SIZE(scope_columns);

	for (size_t i = 0; i < count; i++)
		add_column(b, column[i].what, column[i].head,
			column[i].field ? metric_find_field(b->rows->scope, column[i].field)
					: NULL);
	add_sort_column(b);
	add_column(b, WHAT_NAME, name_head(b->rows->scope), NULL);
	if (b->has_notes)
		add_column(b, WHAT_NOTE, "NOTE", NULL);
}

static void row_get(const struct build *b, uint32_t i, struct row *ret)
{
	if (b->rows->scope == METRIC_PROCESS) {
		const struct snapshot_process *p = view_process(b->view, i);

		*ret = (struct row){p, view_text(b->view, p->program), p->present, p->q};
	} else {
		const struct snapshot_scope *s = view_scope(b->view, b->rows->scope, i);

		*ret = (struct row){NULL, view_text(b->view, s->name), s->present, s->q};
	}
}

/* Of a labelled metric, its family's sum, as a query sorts by it. */
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
	end_cell(b->to);
}

/* How many of the row's processes have no PSS. */
static uint64_t unmeasured_in(const struct row *row)
{
	uint64_t count = 0;

	if (row->process)
		return row->process->outcome != OUTCOME_MEASURED &&
		       row->process->outcome != OUTCOME_SHARED_MM;
	for (unsigned int i = SCOPE_UNMEASURED_DENIED; i <= SCOPE_UNMEASURED_ERROR; i++)
		if (ROW_HAS(row, i))
			count += row->q[i];
	return count;
}

static uint64_t processes_in(const struct row *row)
{
	if (row->process)
		return 1;
	return ROW_HAS(row, SCOPE_PROCESSES) ? row->q[SCOPE_PROCESSES] : 0;
}

/* How much of a sum's PSS is estimated; 0: nothing, or it is not known. */
static double estimated_part(uint64_t present, const uint64_t *q)
{
	const uint64_t needed = UINT64_C(1) << SCOPE_PSS | UINT64_C(1) << SCOPE_PSS_ESTIMATED;

	if ((present & needed) != needed || !q[SCOPE_PSS])
		return 0;
	return (double)q[SCOPE_PSS_ESTIMATED] / (double)q[SCOPE_PSS];
}

/* Whether something would mislead if it went without saying. */
static bool has_note(const struct row *row)
{
	const struct snapshot_process *p = row->process;

	return p ? p->outcome != OUTCOME_MEASURED || p->source == SOURCE_ESTIMATE
	         : unmeasured_in(row) > 0 || estimated_part(row->present, row->q) > 0;
}

/* "2 of 4 not measured, 88 % estimated" */
static void add_scope_note(struct buffer *to, const struct row *row)
{
	double part = estimated_part(row->present, row->q);
	uint64_t unmeasured = unmeasured_in(row);

	if (unmeasured)
		buffer_printf(to, "%llu of %llu not measured", (unsigned long long)unmeasured,
			(unsigned long long)processes_in(row));
	if (part > 0) {
		buffer_add_text(to, unmeasured ? ", " : "");
		human_add_percent(to, part);
		buffer_add_text(to, " estimated");
	}
}

static void add_estimate_note(struct buffer *to, const struct snapshot_process *p)
{
	if (!ROW_HAS(p, PROCESS_PSS_AGE)) {
		buffer_add_text(to, "guessed, never measured");
		return;
	}
	buffer_add_text(to, "estimated, measured ");
	human_add_age(to, p->q[PROCESS_PSS_AGE]);
	buffer_add_text(to, " ago");
}

static void add_note(struct buffer *to, const struct row *row)
{
	const struct snapshot_process *p = row->process;

	if (!has_note(row))
		return;
	if (!p)
		add_scope_note(to, row);
	else if (p->outcome == OUTCOME_SHARED_MM)
		buffer_printf(to, "shares the memory of %u", p->mm_pid);
	else if (p->outcome != OUTCOME_MEASURED)
		buffer_add_text(to, metric_outcome_name(p->outcome));
	else
		add_estimate_note(to, p);
}

static void add_row(struct build *b, const struct row *row)
{
	for (size_t i = 0; i < b->to->columns; i++)
		switch (b->what[i]) {
		case WHAT_PID:
			assert(row->process);
			buffer_add_u64(&b->to->text, row->process->pid);
			end_cell(b->to);
			break;
		case WHAT_USER:
			assert(row->process);
			add_cell(b->to, view_text(b->view, row->process->user));
			break;
		case WHAT_QUANTITY: add_quantity_cell(b, i, row); break;
		case WHAT_NAME: add_cell(b->to, row->name); break;
		case WHAT_NOTE:
			add_note(&b->to->text, row);
			end_cell(b->to);
			break;
		}
	b->to->rows++;
}

static void add_to_sums(struct build *b, const struct row *row)
{
	uint64_t value;

	for (size_t i = 0; i < b->to->columns; i++)
		if (b->is_summed[i] && get_value(b->metric[i], b->rows->scope, row, &value)) {
			b->sum[i] += value;
			b->has_sum[i] = true;
		}
	b->unmeasured += unmeasured_in(row);
	b->total++;
}

static void add_bytes(struct build *b, uint64_t bytes)
{
	if (b->rows->bytes)
		buffer_add_u64(&b->to->total, bytes);
	else
		human_add_bytes(&b->to->total, bytes);
}

/* What was not measured has a PSS from 0 to its RSS; where not even that is known there is no limit. */
static void add_bounds(struct build *b)
{
	const struct sums *sums = b->rows->sums;
	uint64_t low = ROW_HAS(sums, SCOPE_PSS_LOW) ? sums->q[SCOPE_PSS_LOW] : 0;
	bool has_high = ROW_HAS(sums, SCOPE_PSS_HIGH);

	buffer_add_text(&b->to->total, has_high ? ", PSS between " : ", PSS at least ");
	add_bytes(b, low);
	if (!has_high)
		return;
	buffer_add_text(&b->to->total, " and ");
	add_bytes(b, sums->q[SCOPE_PSS_HIGH]);
}

/*
 * "total of 9 users (2 not shown), MemTotal 15.6 GiB, 95 % estimated, 3 not measured, PSS between 2.7 GiB and
 * 3.1 GiB"
 */
static void add_total_text(struct build *b)
{
	const struct snapshot_scope *host = view_host(b->view);
	struct buffer *to = &b->to->total;
	double estimated = estimated_part(b->rows->sums->present, b->rows->sums->q);

	buffer_printf(to, "total of %llu %s", (unsigned long long)b->total,
		b->total == 1 ? metric_scope_name(b->rows->scope) : json_list_name(b->rows->scope));
	if (b->shown < b->total)
		buffer_printf(to, " (%llu not shown)", (unsigned long long)(b->total - b->shown));
	if (ROW_HAS(host, SCOPE_MEM_TOTAL)) {
		buffer_add_text(to, ", MemTotal ");
		add_bytes(b, host->q[SCOPE_MEM_TOTAL]);
	}
	if (estimated > 0) {
		buffer_add_text(to, ", ");
		human_add_percent(to, estimated);
		buffer_add_text(to, " estimated");
	}
	if (b->unmeasured)
		buffer_printf(to, ", %llu not measured", (unsigned long long)b->unmeasured);
	if (b->unmeasured || estimated > 0)
		add_bounds(b);
}

static void add_total(struct build *b)
{
	for (size_t i = 0; i < b->to->columns; i++) {
		bool is_known = b->has_sum[i] || !b->total; /* the sum over nothing is 0 */

		if (b->is_summed[i] && is_known)
			add_value(&b->to->text, b->metric[i], b->sum[i], b->rows->bytes);
		else if (b->metric[i])
			buffer_add_text(&b->to->text, absent);
		end_cell(b->to);
	}
	add_total_text(b);
	b->to->rows++;
	b->to->has_total = true;
}

/* A row without processes is kept for an hour for the sake of its series, and is news to nobody here. */
static bool is_shown(const struct build *b, const struct row *row)
{
	return row->process || b->rows->query->has_sort || processes_in(row);
}

static bool has_notes(const struct build *b)
{
	bool any = false;

	for (size_t i = 0; i < b->rows->count && !any; i++) {
		struct row row;

		row_get(b, b->rows->row[i], &row);
		any = has_note(&row);
	}
	return any;
}

int table_build(const struct view *view, const struct table_rows *rows, struct table *ret)
{
	struct build b = {.view = view, .rows = rows, .to = ret};

	*ret = (struct table){0};
	b.has_notes = has_notes(&b);
	add_columns(&b);
	for (size_t i = 0; i < rows->count; i++) {
		struct row row;

		row_get(&b, rows->row[i], &row);
		if (!is_shown(&b, &row))
			continue;
		add_to_sums(&b, &row);
		if (rows->limit && b.shown == rows->limit)
			continue;
		add_row(&b, &row);
		b.shown++;
	}
	add_total(&b);
	return ret->text.error ? ret->text.error : ret->total.error;
}

static void set_column(struct table *t, size_t i, const char *head, bool is_right, bool is_wide)
{
	snprintf(t->column[i].head, METRIC_NAME_SIZE, "%s", head);
	t->column[i].is_right = is_right;
	t->column[i].is_wide = is_wide;
	t->columns = i + 1;
}

int table_build_host(const struct view *view, bool bytes, struct table *ret)
{
	const struct snapshot_scope *host = view_host(view);
	size_t count;
	const struct metric *table = metric_table(METRIC_HOST, &count);

	*ret = (struct table){0};
	set_column(ret, 0, "VALUE", true, false);
	set_column(ret, 1, "FIELD", false, false);
	set_column(ret, 2, "MEANING", false, false);
	ret->column[2].is_prose = true;
	for (const struct metric *m = table; m < table + count; m++) {
		char field[METRIC_NAME_SIZE];
		uint64_t value;

		if (!metric_get(m, host->present, host->q, &value))
			continue;
		metric_field(m, field);
		add_value(&ret->text, m, value, bytes);
		end_cell(ret);
		buffer_add_text(&ret->text, field);
		if (m->label)
			buffer_printf(&ret->text, ".%s", m->value);
		end_cell(ret);
		add_cell(ret, m->help);
		ret->rows++;
	}
	return ret->text.error;
}
