/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/change-table.h"

#include <string.h>

#include "base/clock.h"
#include "base/saturate.h"
#include "render/human.h"
#include "render/json.h"
#include "snapshot/owner.h"

enum {
	WIDE_BYTES = 1 << 20, /* bounds that are closer are not shown, as in cli/table/note.h */
	WIDE_PART = 20,       /* nor those within a twentieth of the growth */
};

/* The row of a list: a row of changes, or the total. */
struct change_table_row {
	const struct change_row *row; /* NULL: the total */
	const struct change_figure *first, *last;
};

/* Values of .index that are no enum change_field. */
enum {
	CHANGE_TABLE_LOW = CHANGE_FIELDS,
	CHANGE_TABLE_HIGH,
	CHANGE_TABLE_PID,
	CHANGE_TABLE_USER,
	CHANGE_TABLE_ABOVE,
	CHANGE_TABLE_ID,
	CHANGE_TABLE_START,
	CHANGE_TABLE_NEW,
	CHANGE_TABLE_GONE,
	CHANGE_TABLE_NOTE,
};

/* Variants of the list. */
enum {
	WITH_RANGE = 1 << 0,
	OF_PROCESSES = 1 << 1,
	WITH_USER = 1 << 2,
	WITH_ABOVE = 1 << 3,
	WITH_ID = 1 << 4,
	WITH_NOTE = 1 << 5,
};

static bool is_new(const struct change_row *row)
{
	return !row->first.is_there;
}

static bool is_gone(const struct change_row *row)
{
	return !row->last.is_there;
}

/* Appends BYTES with a sign, exactly or for people. */
static void add_change(struct buffer *to, int64_t bytes, bool exact)
{
	const struct column c = {.kind = COLUMN_CHANGE};

	column_add_shown(to, &c, &(const struct column_value){.change = bytes}, exact);
}

/* Returns true if the bounds of G are so far apart that they are shown. */
static bool change_table_is_wide(const struct change_growth *g)
{
	uint64_t between = (uint64_t)g->high - (uint64_t)g->low;

	return g->is_known && g->has_low && g->has_high && between >= WIDE_BYTES &&
	       between >= saturate_size(g->bytes) / WIDE_PART;
}

static void add_bounds(
	struct buffer *to, const struct change_growth *g, const char *between, bool exact)
{
	add_change(to, g->low, exact);
	buffer_add_text(to, between);
	add_change(to, g->high, exact);
}

/* Appends the note of a row, or nothing: "new", "gone", and the bounds of its growth. */
static void add_note(struct buffer *to, const struct change_table_row *r, bool exact)
{
	struct change_growth growth;

	change_growth(r->first, r->last, &growth);
	if (is_new(r->row))
		buffer_add_text(to, is_gone(r->row) ? "new and gone" : "new");
	else if (is_gone(r->row))
		buffer_add_text(to, "gone");
	if (!change_table_is_wide(&growth))
		return;
	if (to->len)
		buffer_add_text(to, ", ");
	add_bounds(to, &growth, " to ", exact);
}

static bool change_table_has_note(const struct change_row *row)
{
	struct change_growth growth;

	change_growth(&row->first, &row->last, &growth);
	return is_new(row) || is_gone(row) || change_table_is_wide(&growth);
}

/* Gets an amount of a row, or of the total, which has no range. */
static bool change_table_get_amount(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct change_table_row *r = row_;
	struct change_row total;

	(void)l;
	if (r->row)
		return change_get(r->row, (enum change_field)c->index, &ret->change);
	total = (struct change_row){.first = *r->first, .last = *r->last};
	total.first.is_there = total.last.is_there = true;
	return change_get(&total, (enum change_field)c->index, &ret->change);
}

static bool get_bound(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct change_table_row *r = row_;
	struct change_growth growth;

	(void)l;
	change_growth(r->first, r->last, &growth);
	ret->change = c->index == CHANGE_TABLE_LOW ? growth.low : growth.high;
	return growth.is_known && (c->index == CHANGE_TABLE_LOW ? growth.has_low : growth.has_high);
}

static bool change_table_get(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct change_table *t = l->context;
	const struct change_table_row *r = row_;

	switch (c->index) {
	case CHANGE_NAME: return column_use_text(ret, change_text(t->change, r->row->name));
	case CHANGE_TABLE_USER: return column_use_name(ret, change_text(t->change, r->row->user));
	case CHANGE_TABLE_PID: ret->number = r->row->pid; return true;
	case CHANGE_TABLE_ABOVE: return column_use_name(ret, change_text(t->change, r->row->above));
	case CHANGE_TABLE_ID: ret->number = r->row->id; return r->row->id != OWNER_NO_ID;
	case CHANGE_TABLE_START: ret->number = r->row->start_ns; return r->row->start_ns;
	case CHANGE_TABLE_NEW: ret->number = is_new(r->row); return true;
	case CHANGE_TABLE_GONE: ret->number = is_gone(r->row); return true;
	default: add_note(ret->room, r, l->bytes); return column_use_room(ret);
	}
}

/* clang-format off */
#define OTHER(name, type, of) .field = (name), .kind = (type), .get = change_table_get, .index = (of)
#define AMOUNT(name, type, of, getter)                                                             \
	.field = (name), .kind = (type), .get = (getter), .index = (of), .place = 1
/* clang-format on */

/* These columns have a head or a name that depends on the kind of rows. */
enum { PID_COLUMN, NAME_COLUMN, USER_COLUMN, ABOVE_COLUMN, ID_COLUMN };

static const struct column columns[] = {
	[PID_COLUMN] = {OTHER("pid", COLUMN_COUNT, CHANGE_TABLE_PID), .head = "PID",
		.only = OF_PROCESSES},
	[NAME_COLUMN] = {OTHER(NULL, COLUMN_TEXT, CHANGE_NAME), .place = 4, .flags = COLUMN_CUT},
	[USER_COLUMN] = {OTHER("user", COLUMN_TEXT, CHANGE_TABLE_USER), .head = "USER",
		.only = WITH_USER, .place = 3, .flags = COLUMN_CUT},
	[ABOVE_COLUMN] = {OTHER(NULL, COLUMN_TEXT, CHANGE_TABLE_ABOVE), .only = WITH_ABOVE,
		.place = 3, .flags = COLUMN_CUT},
	[ID_COLUMN] = {OTHER(NULL, COLUMN_COUNT, CHANGE_TABLE_ID), .only = WITH_ID},
	{OTHER("start_time_seconds", COLUMN_SECONDS, CHANGE_TABLE_START), .only = OF_PROCESSES},
	{AMOUNT("pss_growth_bytes", COLUMN_CHANGE, CHANGE_GROWTH, change_table_get_amount),
		.head = "GROWTH", .flags = COLUMN_SUM | COLUMN_SORT},
	{AMOUNT("pss_growth_low_bytes", COLUMN_SIGNED, CHANGE_TABLE_LOW, get_bound),
		.flags = COLUMN_SUM},
	{AMOUNT("pss_growth_high_bytes", COLUMN_SIGNED, CHANGE_TABLE_HIGH, get_bound),
		.flags = COLUMN_SUM},
	{AMOUNT("pss_first_bytes", COLUMN_SIGNED, CHANGE_FIRST, change_table_get_amount),
		.head = "FIRST", .drop = 2, .flags = COLUMN_SUM | COLUMN_SORT},
	{AMOUNT("pss_last_bytes", COLUMN_SIGNED, CHANGE_LAST, change_table_get_amount),
		.head = "LAST", .drop = 1, .flags = COLUMN_SUM | COLUMN_SORT},
	{AMOUNT("pss_min_bytes", COLUMN_SIGNED, CHANGE_MIN, change_table_get_amount), .head = "MIN",
		.only = WITH_RANGE, .drop = 5, .flags = COLUMN_SORT},
	{AMOUNT("pss_max_bytes", COLUMN_SIGNED, CHANGE_MAX, change_table_get_amount), .head = "MAX",
		.only = WITH_RANGE, .drop = 4, .flags = COLUMN_SORT},
	{OTHER("new", COLUMN_FLAG, CHANGE_TABLE_NEW)},
	{OTHER("gone", COLUMN_FLAG, CHANGE_TABLE_GONE)},
	{OTHER(NULL, COLUMN_TEXT, CHANGE_TABLE_NOTE), .head = "NOTE", .only = WITH_NOTE, .place = 5,
		.drop = 3},
};

const struct columns change_table_columns = {columns, ARRAY_SIZE(columns)};

static bool any_has_note(const struct change *c)
{
	for (size_t i = 0; i < c->rows; i++)
		if (change_table_has_note(&c->row[i]))
			return true;
	return false;
}

/* Names the columns of owners, or of processes, which are named after their program. */
static void name_columns(enum metric_scope scope, struct column own[static ARRAY_SIZE(columns)])
{
	bool is_process = scope == METRIC_PROCESS;
	const struct owner *owner = owner_of(is_process ? OWNER_PROGRAM : metric_owner_kind(scope));

	own[NAME_COLUMN].head = owner->title;
	own[NAME_COLUMN].field = owner->name;
	own[ID_COLUMN].field = is_process ? "uid" : owner->id;
	if (!is_process && owner->above) {
		own[ABOVE_COLUMN].head = owner_of(owner_find(owner->above))->title;
		own[ABOVE_COLUMN].field = owner->above;
	}
	if (is_process)
		own[USER_COLUMN].place = 0;
}

static unsigned int change_table_variant(const struct change_table *t)
{
	enum metric_scope scope = t->change->scope;
	bool is_process = scope == METRIC_PROCESS;
	const struct owner *owner = owner_of(is_process ? OWNER_PROGRAM : metric_owner_kind(scope));

	return (t->has_range ? WITH_RANGE : 0) | (is_process ? OF_PROCESSES : 0) |
	       (is_process || owner->has_user ? WITH_USER : 0) |
	       (!is_process && owner->above ? WITH_ABOVE : 0) |
	       (is_process || (owner->id && !owner->words) ? WITH_ID : 0) |
	       (any_has_note(t->change) ? WITH_NOTE : 0);
}

/* "total of 9 users (2 not shown), 1 not measured, growth between +1.1 GiB and +1.4 GiB" */
static void change_table_add_total(const struct change_table *t, struct list *l)
{
	AUTO_BUFFER struct buffer beside = {0};
	struct change_figure first, last;
	struct change_growth growth;
	size_t unknown = change_sum(t->change, &first, &last);

	buffer_printf(&beside, "total of %zu %s", l->rows,
		l->rows == 1 ? metric_scope_name(t->change->scope)
			     : json_list_name(t->change->scope));
	list_add_not_shown(l, &beside);
	if (unknown)
		buffer_printf(&beside, ", %zu not measured", unknown);
	change_growth(&first, &last, &growth);
	if (change_table_is_wide(&growth)) {
		buffer_add_text(&beside, ", growth between ");
		add_bounds(&beside, &growth, " and ", l->bytes);
	}
	list_total(l, &(const struct change_table_row){.first = &first, .last = &last}, &beside);
}

static int add_rows(const struct change_table *t, struct list *l)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->change->rows; i++) {
		const struct change_row *row = &t->change->row[i];

		r = list_add(l, &(const struct change_table_row){row, &row->first, &row->last});
	}
	return r;
}

static void change_table_add_time(const char *name, uint64_t ns, struct buffer *to)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format_rfc3339(ns, text);
	buffer_printf(to, "\"%s\":\"%s\",", name, text);
}

/* Prints {"span":{...},"users":[...],"total":{...}}. */
static int change_table_json(const struct change_table *t, struct list *l)
{
	struct change_figure first, last;
	size_t unknown = change_sum(t->change, &first, &last);
	int r;

	buffer_printf(l->to, "{\"%s\":{", t->title);
	change_table_add_time("first", t->first_ns, l->to);
	change_table_add_time("last", t->last_ns, l->to);
	buffer_printf(l->to, "\"snapshots\":%zu,\"own_only\":%s},\"%s\":[", t->change->snapshots,
		t->is_own_only ? "true" : "false", json_list_name(t->change->scope));
	list_begin(l);
	r = add_rows(t, l);
	buffer_add_text(l->to, "],\"total\":");
	list_add_sums(l, &(const struct change_table_row){.first = &first, .last = &last}, l->to);
	buffer_printf(l->to, ",\"not_measured\":%zu}\n", unknown);
	return r == 0 ? l->to->error : r;
}

int change_table_print(const struct change_table *t, struct buffer *to)
{
	struct column own[ARRAY_SIZE(columns)];
	AUTO_LIST struct list l;
	int r;

	memcpy(own, columns, sizeof(columns));
	name_columns(t->change->scope, own);
	l = list_make(&(const struct columns){own, ARRAY_SIZE(columns)}, &t->look, t, to);
	l.variant = change_table_variant(t);
	list_keep_sort(&l, t->sort);
	if (l.form == LIST_JSON)
		return change_table_json(t, &l);
	list_begin(&l);
	r = add_rows(t, &l);
	change_table_add_total(t, &l);
	return r == 0 ? list_end(&l) : r;
}
