/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns are those of the metric table: CSV has all, and a table those with a head. So they
 * are put together for each list.
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/saturate.h"
#include "cli/lists/owner-rows-private.h"
#include "cli/table/cell.h"
#include "snapshot/owner.h"

/* If the terminal is too narrow, columns disappear from the last one of these to the first. */
enum {
	DROP_NEVER,
	DROP_PROCESSES,
	DROP_SHARE,
	DROP_SWAP,
	DROP_CGROUP,
	DROP_RSS,
	DROP_NOTE,
	DROP_USS,
};

/* Metrics that tables show. */
static const struct {
	const char *head;
	const char *field; /* its name in JSON */
	unsigned int flags, drop;
} shown[] = {
	{"PSS", "pss_bytes", 0, DROP_NEVER},
	{"USS", "uss_bytes", 0, DROP_USS},
	{"RSS", "rss_bytes", 0, DROP_RSS},
	{"SWAP", "swap_pss_bytes", COLUMN_SPARE, DROP_SWAP},
	{"CGROUP", "cgroup_bytes", 0, DROP_CGROUP}, /* if any row is charged */
	{"PROCESSES", "processes", 0, DROP_PROCESSES},
};

/* The column of the share of MemTotal, and the metric that has the same order. */
#define SHARE_HEAD  "%MEM"
#define SHARE_FIELD "pss_bytes"

enum { BAR_WIDTH = 10, BAR_TERMINAL = 110 }; /* columns of a bar, and of a terminal that has bars */

/* Columns that are no metrics. */
enum owner_rows_other {
	OWNER_ROWS_PID,
	OWNER_ROWS_UID,
	OWNER_ROWS_GID,
	OWNER_ROWS_PPID,
	OWNER_ROWS_USER,
	OWNER_ROWS_ABOVE,
	OWNER_ROWS_ID,
	OWNER_ROWS_WORD,
	OWNER_ROWS_NAME,
	OWNER_ROWS_SOURCE,
	OWNER_ROWS_REASON,
	OWNER_ROWS_MM_PID,
	OWNER_ROWS_EXPORTED,
	OWNER_ROWS_SHARE,
	OWNER_ROWS_BAR,
	OWNER_ROWS_NOTE,
	OWNER_ROWS_KIND, /* and above: the owner of a process of kind .index - OWNER_ROWS_KIND */
};

/* Places in a table: those of the metrics are from AT_SHOWN on. */
enum { AT_BEGIN, AT_SHOWN, AT_SORT = AT_SHOWN + ARRAY_SIZE(shown), AT_OWNERS, AT_NAME, AT_NOTE };

void owner_rows_get(const struct owner_rows_build *b, uint32_t i, struct owner_row *ret)
{
	if (b->rows->scope == METRIC_PROCESS) {
		const struct snapshot_process *p = view_process(b->view, i);

		*ret = (struct owner_row){
			p, NULL, view_owner(b->view, p, OWNER_PROGRAM), p->present, p->q};
	} else {
		const struct snapshot_scope *s = view_scope(b->view, b->rows->scope, i);

		*ret = (struct owner_row){NULL, s, view_text(b->view, s->name), s->present, s->q};
	}
}

bool owner_rows_get_value(const struct metric *metric, enum metric_scope scope,
	const struct owner_row *row, uint64_t *ret)
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

void owner_rows_note_of(const struct owner_row *row, struct note *ret)
{
	if (row->process)
		note_of_process(row->process, ret);
	else
		note_of_sums(row->present, row->q, ret);
}

static bool get_of_process(const struct owner_rows_build *b, const struct snapshot_process *p,
	unsigned int what, struct column_value *ret)
{
	const struct owner *owner;

	switch (what) {
	case OWNER_ROWS_PID: ret->number = p->pid; return true;
	case OWNER_ROWS_UID: ret->number = p->uid; return true;
	case OWNER_ROWS_GID: ret->number = p->gid; return p->gid != OWNER_NO_ID;
	case OWNER_ROWS_PPID: ret->number = p->ppid; return p->ppid != 0;
	case OWNER_ROWS_USER: return column_use_name(ret, view_owner(b->view, p, OWNER_USER));
	case OWNER_ROWS_SOURCE:
		return p->source != SOURCE_NONE &&
		       column_use_name(
			       ret, snapshot_is_guess(p) ? "guess" : metric_source_name(p->source));
	case OWNER_ROWS_REASON:
		return p->outcome != OUTCOME_MEASURED &&
		       column_use_name(ret, metric_outcome_name(p->outcome));
	case OWNER_ROWS_MM_PID: ret->number = p->mm_pid; return p->outcome == OUTCOME_SHARED_MM;
	case OWNER_ROWS_EXPORTED: ret->number = (p->flags & PROCESS_EXPORTED) != 0; return true;
	default:
		owner = owner_of((enum owner_kind)(what - OWNER_ROWS_KIND));
		ret->text = view_owner(b->view, p, (enum owner_kind)(what - OWNER_ROWS_KIND));
		return !owner->is_optional || strcmp(ret->text, OWNER_NONE) != 0;
	}
}

static bool get_of_owner(const struct owner_rows_build *b, const struct snapshot_scope *s,
	unsigned int what, struct column_value *ret)
{
	const struct owner *owner = owner_of(metric_owner_kind(b->rows->scope));

	switch (what) {
	case OWNER_ROWS_USER: return column_use_name(ret, view_text(b->view, s->user));
	case OWNER_ROWS_ABOVE: return column_use_name(ret, view_text(b->view, s->above));
	case OWNER_ROWS_ID: ret->number = s->id; return s->id != OWNER_NO_ID;
	case OWNER_ROWS_WORD:
		return strcmp(view_text(b->view, s->name), OWNER_NONE) != 0 &&
		       column_use_name(ret, owner_word(owner, s->id));
	default: ret->number = (s->flags & SCOPE_EXPORTED) != 0; return true;
	}
}

/* Returns true if ROW, of SCOPE, has a PSS, which it writes to *RET. */
static bool get_pss(enum metric_scope scope, const struct owner_row *row, uint64_t *ret)
{
	unsigned int i = scope == METRIC_PROCESS ? (unsigned int)PROCESS_PSS
	                                         : (unsigned int)SCOPE_PSS;

	*ret = row->q[i];
	return row->present >> i & 1;
}

/* Gets the PSS of ROW in percent of MemTotal, which the host has. */
static bool get_share(
	const struct owner_rows_build *b, const struct owner_row *row, struct column_value *ret)
{
	uint64_t pss;
	bool has_pss = get_pss(b->rows->scope, row, &pss);

	ret->real = (double)pss / (double)view_host(b->view)->q[SCOPE_MEM_TOTAL] * 100;
	return has_pss;
}

/* Gets a bar as long as the PSS of ROW. The largest one has the whole width. */
static bool get_bar(
	const struct owner_rows_build *b, const struct owner_row *row, struct column_value *ret)
{
	uint64_t pss;

	if (get_pss(b->rows->scope, row, &pss) && b->largest)
		cell_add_bar(ret->room, (double)pss / (double)b->largest, BAR_WIDTH);
	return column_use_room(ret);
}

static bool get_other(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct owner_rows_build *b = l->context;
	const struct owner_row *row = row_;
	struct note note;

	switch (c->index) {
	case OWNER_ROWS_NAME: return column_use_text(ret, row->name);
	case OWNER_ROWS_SHARE: return get_share(b, row, ret);
	case OWNER_ROWS_BAR: return get_bar(b, row, ret);
	case OWNER_ROWS_NOTE:
		owner_rows_note_of(row, &note);
		note_add(ret->room, &note, l->bytes);
		return column_use_room(ret);
	default:
		return row->process ? get_of_process(b, row->process, c->index, ret)
		                    : get_of_owner(b, row->owner, c->index, ret);
	}
}

/* .index is the number of the column. CSV has a column for each label, and a table their sum. */
static bool get_metric(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct owner_rows_build *b = l->context;
	const struct metric *m = b->metric[c->index];
	const struct owner_row *row = row_;
	uint64_t value;

	if (l->form == LIST_CSV ? !metric_get(m, row->present, row->q, &value)
				: !owner_rows_get_value(m, b->rows->scope, row, &value))
		return false;
	if (metric_is_real(m->kind))
		ret->real = metric_real(value);
	else
		ret->number = value;
	return true;
}

static struct column *owner_rows_add(struct owner_rows_build *b, const char *head,
	const char *field, enum column_kind kind, unsigned int what, int place)
{
	assert(b->columns < LIST_COLUMNS_MAX);
	b->column[b->columns] = (struct column){
		.head = head,
		.field = field,
		.kind = kind,
		.get = get_other,
		.index = what,
		.place = place,
	};
	return &b->column[b->columns++];
}

static enum column_kind kind_of_metric(const struct metric *m)
{
	switch (m->kind) {
	case METRIC_NANOSECONDS: return COLUMN_SECONDS;
	case METRIC_REAL:
	case METRIC_SIGNED_REAL: return COLUMN_REAL;
	case METRIC_SIGNED: return COLUMN_SIGNED;
	default: return metric_is_bytes(m) ? COLUMN_BYTES : COLUMN_COUNT;
	}
}

/* Returns false if only cgroups have METRIC, and no row has it. The rows are owners. */
static bool is_charged(
	const struct view *view, const struct owner_rows *rows, const struct metric *metric)
{
	if (!(metric->flags & METRIC_CGROUP_ONLY))
		return true;
	for (size_t i = 0; i < rows->count; i++)
		if (ROW_HAS(view_scope(view, rows->scope, rows->row[i]), metric->index))
			return true;
	return false;
}

bool owner_rows_can_sort(const struct view *view, const struct owner_rows *rows)
{
	const struct query_field *sort = &rows->query->sort;

	return !rows->count || sort->kind != QUERY_METRIC || is_charged(view, rows, sort->metric);
}

/* Gives C, the column of M with the name FIELD, its head, if tables show M. */
static void owner_rows_show(
	struct owner_rows_build *b, const struct metric *m, const char *field, struct column *c)
{
	const struct query_field *sort = &b->rows->query->sort;
	char *head = b->name[c->index];

	if (!is_charged(b->view, b->rows, m))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (!strcmp(shown[i].field, field)) {
			c->head = shown[i].head;
			c->place = AT_SHOWN + (int)i;
			c->flags |= shown[i].flags;
			c->drop = shown[i].drop;
		}
	if (sort->kind != QUERY_METRIC || sort->metric != m)
		return;
	b->to->sort = c;
	if (c->head)
		return;
	/* A table that is sorted by a metric shows it. */
	for (size_t i = 0; field[i]; i++)
		head[i] = (char)(field[i] >= 'a' && field[i] <= 'z' ? field[i] - 'a' + 'A'
								    : field[i]);
	head[strlen(field)] = '\0';
	c->head = head;
	c->place = AT_SORT;
}

static void owner_rows_add_metrics(struct owner_rows_build *b)
{
	bool is_csv = b->to->form == LIST_CSV;
	size_t count;
	const struct metric *table = metric_table(b->rows->scope, &count);

	for (const struct metric *m = table; m < table + count; m++) {
		size_t at = b->columns;
		char field[METRIC_NAME_SIZE];
		struct column *c;

		if (!(m->flags & METRIC_IN_JSON) || !metric_applies(m, b->rows->scope))
			continue;
		metric_field(m, field);
		c = owner_rows_add(b, NULL, NULL, kind_of_metric(m), (unsigned int)at, 0);
		c->get = get_metric;
		c->flags = COLUMN_SUM;
		b->metric[at] = m;
		if (!is_csv) {
			owner_rows_show(b, m, field, c);
			continue;
		}
		snprintf(b->name[at], sizeof(b->name[at]), "%s%s%s", field, m->label ? "." : "",
			m->label ? m->value : "");
		c->field = b->name[at];
	}
}

static void add_process_columns(struct owner_rows_build *b)
{
	owner_rows_add(b, "PID", "pid", COLUMN_COUNT, OWNER_ROWS_PID, AT_BEGIN);
	owner_rows_add(b, NULL, "uid", COLUMN_COUNT, OWNER_ROWS_UID, 0);
	owner_rows_add(b, NULL, "gid", COLUMN_COUNT, OWNER_ROWS_GID, 0);
	owner_rows_add(b, NULL, "ppid", COLUMN_COUNT, OWNER_ROWS_PPID, 0);
	owner_rows_add(b, "USER", NULL, COLUMN_TEXT, OWNER_ROWS_USER, AT_BEGIN)->flags = COLUMN_CUT;
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		owner_rows_add(b, NULL, owner_of((enum owner_kind)kind)->name, COLUMN_TEXT,
			OWNER_ROWS_KIND + kind, 0);
	owner_rows_add(b, NULL, "source", COLUMN_WORD, OWNER_ROWS_SOURCE, 0);
	owner_rows_add(b, NULL, "reason", COLUMN_WORD, OWNER_ROWS_REASON, 0);
	owner_rows_add(b, NULL, "mm_pid", COLUMN_COUNT, OWNER_ROWS_MM_PID, 0);
	/* Processes are named after their program. */
	owner_rows_add(
		b, owner_of(OWNER_PROGRAM)->title, NULL, COLUMN_TEXT, OWNER_ROWS_NAME, AT_NAME)
		->flags = COLUMN_CUT;
}

/* Adds the name, and columns that distinguish owners of one kind with the same name. */
static void add_owner_columns(struct owner_rows_build *b, const struct owner *owner)
{
	owner_rows_add(b, owner->title, owner->name, COLUMN_TEXT, OWNER_ROWS_NAME, AT_NAME)->flags =
		COLUMN_CUT;
	if (owner->has_user)
		owner_rows_add(b, "USER", "user", COLUMN_TEXT, OWNER_ROWS_USER, AT_OWNERS)->flags =
			COLUMN_CUT;
	if (owner->above)
		owner_rows_add(b, owner_of(owner_find(owner->above))->title, owner->above,
			COLUMN_TEXT, OWNER_ROWS_ABOVE, AT_OWNERS)
			->flags = COLUMN_CUT;
	if (owner->id && owner->words)
		owner_rows_add(b, NULL, owner->id, COLUMN_WORD, OWNER_ROWS_WORD, 0);
	else if (owner->id)
		owner_rows_add(b, NULL, owner->id, COLUMN_COUNT, OWNER_ROWS_ID, 0);
}

/* Adds %MEM behind PSS of a table, unless MemTotal is not known. */
static void owner_rows_add_share(struct owner_rows_build *b)
{
	const struct snapshot_scope *host = view_host(b->view);
	struct column *c;

	if (b->to->form == LIST_CSV || !ROW_HAS(host, SCOPE_MEM_TOTAL) || !host->q[SCOPE_MEM_TOTAL])
		return;
	c = owner_rows_add(b, SHARE_HEAD, NULL, COLUMN_REAL, OWNER_ROWS_SHARE, AT_SHOWN);
	c->flags = COLUMN_SUM;
	c->decimals = 1;
	c->drop = DROP_SHARE;
}

static uint64_t owner_rows_largest(const struct owner_rows_build *b)
{
	uint64_t largest = 0, pss;

	for (size_t i = 0; i < b->rows->count; i++) {
		struct owner_row row;

		owner_rows_get(b, b->rows->row[i], &row);
		if (get_pss(b->rows->scope, &row, &pss))
			largest = saturate_max(largest, pss);
	}
	return largest;
}

static void owner_rows_add_note(struct owner_rows_build *b)
{
	struct column *c = owner_rows_add(b, "NOTE", NULL, COLUMN_TEXT, OWNER_ROWS_NOTE, AT_NOTE);

	c->flags = COLUMN_NOTE | COLUMN_SPARE;
	c->drop = DROP_NOTE;
}

/* Adds bars to the PSS if the terminal is wide. */
static void owner_rows_add_bar(struct owner_rows_build *b)
{
	if (b->to->form == LIST_CSV || b->rows->look.width < BAR_TERMINAL)
		return;
	b->largest = owner_rows_largest(b);
	owner_rows_add(b, "", NULL, COLUMN_TEXT, OWNER_ROWS_BAR, AT_SHOWN)->flags = COLUMN_EXTRA;
}

void owner_rows_add_columns(struct owner_rows_build *b, bool has_notes)
{
	if (b->rows->scope == METRIC_PROCESS)
		add_process_columns(b);
	else
		add_owner_columns(b, owner_of(metric_owner_kind(b->rows->scope)));
	owner_rows_add(b, NULL, "exported", COLUMN_FLAG, OWNER_ROWS_EXPORTED, 0);
	owner_rows_add_metrics(b);
	owner_rows_add_share(b);
	owner_rows_add_bar(b);
	if (has_notes)
		owner_rows_add_note(b);
	b->to->column = b->column;
	b->to->columns = b->columns;
}

const struct metric *owner_rows_summed(const struct owner_rows_build *b, size_t i)
{
	const struct metric *m = b->metric[i];

	return m && b->column[i].head && b->column[i].place != AT_SORT &&
	                       !(m->flags & METRIC_CGROUP_ONLY)
	               ? m
	               : NULL;
}

static bool is_sort(enum metric_scope scope, const char *field)
{
	char error[QUERY_ERROR_SIZE];
	struct query q;

	query_init(&q, scope);
	return query_set(&q, "sort", field, error) == 0;
}

char *owner_rows_find_sort(const char *name, char to[static METRIC_NAME_SIZE])
{
	size_t len;

	if (!strcasecmp(name, SHARE_HEAD))
		name = SHARE_FIELD;
	for (size_t k = 0; k < ARRAY_SIZE(shown); k++)
		if (!strcasecmp(name, shown[k].head))
			name = shown[k].field;
	len = sort_names_lower(name, to, METRIC_NAME_SIZE);
	for (unsigned int scope = METRIC_USER; !name[len] && scope <= METRIC_PROCESS; scope++)
		if (is_sort((enum metric_scope)scope, to))
			return to;
	return NULL;
}

void owner_rows_add_sorts(enum metric_scope scope, struct sort_names *to)
{
	const struct owner *owner = owner_of(
		scope == METRIC_PROCESS ? OWNER_PROGRAM : metric_owner_kind(scope));

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		if (is_sort(scope, shown[i].field))
			sort_names_add(to, shown[i].head, shown[i].field);
		if (!strcmp(shown[i].field, SHARE_FIELD))
			sort_names_add(to, SHARE_HEAD, NULL);
	}
	if (scope == METRIC_PROCESS) {
		sort_names_add(to, "PID", "pid");
		sort_names_add(to, "USER", "user");
	}
	sort_names_add(to, owner->title, owner->name);
}

void owner_rows_refuse_sort(
	enum metric_scope scope, const char *sort, char error[static QUERY_ERROR_SIZE])
{
	size_t count;
	const struct metric *table = metric_table(scope, &count);
	struct sort_names names;

	sort_names_init(&names, sort);
	owner_rows_add_sorts(scope, &names);
	for (size_t i = 0; i < count; i++) {
		char field[METRIC_NAME_SIZE];

		metric_field(&table[i], field);
		if (is_sort(scope, field))
			sort_names_add(&names, NULL, field);
	}
	sort_names_refuse(&names, error);
}
