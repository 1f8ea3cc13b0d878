/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/list.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "cli/table/cell.h"
#include "cli/table/output.h"

enum { KIB = 1024, KIB_WIDTH = 9, BYTES_WIDTH = 14 };

static const char absent[] = "-";

/* A line with columns of fixed widths, at the end of a buffer. */
struct line {
	struct buffer *to;
	size_t begin; /* where it begins in .to */
	size_t due;   /* column at which the last cell would end if every cell fitted its column */
	bool is_after_right;
};

struct list list_make(const struct columns *columns, const struct list_look *look,
	const void *context, struct buffer *to)
{
	return (struct list){
		.column = columns->column,
		.columns = columns->count,
		.form = look->form,
		.to = to,
		.context = context,
		.bytes = look->bytes,
		.has_styles = look->has_styles,
		.limit = look->limit,
		.width = look->width,
	};
}

void list_keep_sort(struct list *l, unsigned int index)
{
	for (size_t i = 0; i < l->columns && !l->sort; i++)
		if (l->column[i].flags & COLUMN_SORT && l->column[i].index == index)
			l->sort = &l->column[i];
}

void list_done(struct list *l)
{
	table_done(&l->table);
	buffer_done(&l->room);
	buffer_done(&l->cell);
}

static bool is_text_form(unsigned int form)
{
	return form & (LIST_TABLE | LIST_LINES);
}

static bool list_has(const struct list *l, const struct column *c, unsigned int form)
{
	if (c->only && !(c->only & l->variant))
		return false;
	if (c->forms && !(c->forms & form))
		return false;
	return is_text_form(form) ? c->head != NULL : c->field != NULL;
}

static int list_place_of(const struct list *l, const struct column *c)
{
	return is_text_form(l->form) ? c->place : l->form == LIST_CSV ? c->csv_place : 0;
}

/* Puts the columns of the form in order. */
static void list_arrange(struct list *l)
{
	l->count = 0;
	for (size_t i = 0; i < l->columns; i++) {
		const struct column *c = &l->column[i];
		size_t at = l->count;

		if (!list_has(l, c, l->form))
			continue;
		assert(l->count < (l->form == LIST_TABLE ? (size_t)TABLE_COLUMNS_MAX
							 : (size_t)LIST_COLUMNS_MAX));
		for (; at && list_place_of(l, l->order[at - 1]) > list_place_of(l, c); at--)
			l->order[at] = l->order[at - 1];
		l->order[at] = c;
		l->count++;
	}
}

/* Gets the value of C in ROW. ROOM is emptied, and lends memory to the value. */
static bool list_get(const struct list *l, const struct column *c, const void *row,
	struct buffer *room, struct buffer *to, struct column_value *ret)
{
	bool is_there;

	*ret = (struct column_value){.room = room};
	buffer_clear(room);
	is_there = c->get(l, c, row, ret);
	if (room->error)
		to->error = room->error;
	return is_there && !room->error;
}

static size_t list_width_of(const struct list *l, const struct column *c)
{
	if (c->width)
		return c->width;
	return l->bytes ? BYTES_WIDTH : KIB_WIDTH;
}

static void list_add_blanks(struct line *line, size_t len)
{
	size_t at = line->to->len - line->begin;
	size_t count = line->due > at + len ? line->due - at - len : 0;

	if (!count && at && !line->to->error && line->to->data[line->to->len - 1] != ' ')
		count = 1;
	while (count--)
		buffer_add_char(line->to, ' ');
}

static bool list_is_name(const struct column *c)
{
	return c->flags & (COLUMN_CUT | COLUMN_PATH);
}

/*
 * Returns the columns of the terminal that column I of a line, a name, may have if it begins at AT;
 * 0: any number.
 */
static size_t list_room_of(const struct list *l, size_t i, size_t at)
{
	size_t end = at + CELL_NAME_MIN;

	if (!l->width || !list_is_name(l->order[i]))
		return 0;
	for (size_t k = i + 1; k < l->count; k++)
		end += list_is_name(l->order[k]) ? CELL_NAME_MIN + 1
		                                 : list_width_of(l, l->order[k]);
	return CELL_NAME_MIN + (l->width > end ? l->width - end : 0);
}

/* Adds the cell of column I. */
static void list_add_line_cell(const struct list *l, struct line *line, size_t i, const char *text)
{
	const struct column *c = l->order[i];
	bool is_right = column_is_right(c);

	line->due += is_right ? list_width_of(l, c) : line->is_after_right;
	list_add_blanks(line, is_right ? strlen(text) : 0);
	cell_add_name(line->to, text, list_room_of(l, i, line->to->len - line->begin),
		c->flags & COLUMN_PATH);
	line->due += is_right ? 0 : list_width_of(l, c);
	line->is_after_right = is_right;
}

/*
 * Formats the cell of C in ROW, terminated, in .cell. Returns false if the value is absent, 0 or
 * empty.
 */
static bool list_format(struct list *l, const struct column *c, const void *row)
{
	bool in_kib = l->form == LIST_LINES && !l->bytes;
	struct column_value v;
	bool is_there = list_get(l, c, row, &l->room, l->to, &v);

	buffer_clear(&l->cell);
	if (in_kib && c->kind == COLUMN_BYTES)
		v.number /= KIB;
	else if (in_kib && (c->kind == COLUMN_SIGNED || c->kind == COLUMN_CHANGE))
		v.change /= KIB;
	if (is_there)
		column_add_shown(&l->cell, c, &v, l->bytes || l->form == LIST_LINES);
	else
		buffer_add_text(&l->cell, absent);
	buffer_add_char(&l->cell, '\0');
	if (l->cell.error)
		l->to->error = l->cell.error;
	return is_there && !l->cell.error && !column_is_zero(c, &v);
}

static const char *list_cell(const struct list *l)
{
	return l->cell.error ? "" : l->cell.data;
}

static void list_add_line(struct list *l, const void *row)
{
	struct line line = {.to = l->to, .begin = l->to->len};

	for (size_t i = 0; i < l->count; i++) {
		list_format(l, l->order[i], row);
		list_add_line_cell(l, &line, i, list_cell(l));
	}
	buffer_add_char(l->to, '\n');
}

static void list_add_heads(struct list *l)
{
	struct line line = {.to = l->to};

	if (l->has_styles)
		buffer_add_text(l->to, PRINT_BOLD);
	line.begin = l->to->len;
	for (size_t i = 0; i < l->count; i++)
		list_add_line_cell(l, &line, i, l->order[i]->head);
	if (l->has_styles)
		buffer_add_text(l->to, PRINT_PLAIN);
	buffer_add_char(l->to, '\n');
}

static void list_add_csv_heads(struct list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (i)
			buffer_add_char(l->to, ',');
		buffer_add_text(l->to, l->order[i]->field);
	}
	buffer_add_char(l->to, '\n');
}

static void list_begin_table(struct list *l)
{
	l->table = (struct table){.columns = l->count, .has_styles = l->has_styles};
	for (size_t i = 0; i < l->count; i++)
		l->table.column[i] = (struct table_column){
			.column = l->order[i], .is_kept = l->order[i] == l->sort};
}

/* Returns the columns of the terminal that a line takes with names of CELL_NAME_KEPT columns. */
static size_t list_line_width(const struct list *l)
{
	bool is_after_right = false;
	size_t all = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = l->order[i];
		bool is_right = column_is_right(c);

		all += !is_right && is_after_right;
		all += list_is_name(c) && !c->width ? CELL_NAME_KEPT : list_width_of(l, c);
		is_after_right = is_right;
	}
	return all;
}

/* Takes columns from lines until the others fit in the terminal, or until none may disappear. */
static void list_drop_columns(struct list *l)
{
	while (l->width && list_line_width(l) > l->width) {
		size_t chosen = l->count;

		for (size_t i = 0; i < l->count; i++)
			if (l->order[i]->drop && l->order[i] != l->sort &&
				(chosen == l->count || l->order[i]->drop > l->order[chosen]->drop))
				chosen = i;
		if (chosen == l->count)
			return;
		l->count--;
		memmove(&l->order[chosen], &l->order[chosen + 1],
			(l->count - chosen) * sizeof(const struct column *));
	}
}

void list_begin(struct list *l)
{
	l->rows = l->shown = 0;
	list_arrange(l);
	if (l->form == LIST_LINES)
		list_drop_columns(l);
	switch (l->form) {
	case LIST_TABLE: list_begin_table(l); break;
	case LIST_LINES: list_add_heads(l); break;
	case LIST_CSV: list_add_csv_heads(l); break;
	default: break;
	}
}

static void list_add_cells(struct list *l, const void *row)
{
	for (size_t i = 0; i < l->count; i++) {
		if (list_format(l, l->order[i], row))
			l->table.column[i].is_used = true;
		buffer_add(&l->table.text, l->cell.data, l->cell.len);
	}
	l->table.rows++;
}

static void list_add_csv(struct list *l, const void *row)
{
	for (size_t i = 0; i < l->count; i++) {
		struct column_value v;

		if (i)
			buffer_add_char(l->to, ',');
		if (list_get(l, l->order[i], row, &l->room, l->to, &v))
			column_add_csv(l->to, l->order[i], &v);
	}
	buffer_add_char(l->to, '\n');
}

/* Appends the member of C in ROW with BEFORE it. Returns false if it is absent. */
static bool list_add_member(const struct list *l, const struct column *c, const void *row,
	char before, struct buffer *room, struct buffer *to)
{
	struct column_value v;

	if (!list_get(l, c, row, room, to, &v))
		return false;
	buffer_add_char(to, before);
	buffer_add_char(to, '"');
	buffer_add_text(to, c->field);
	buffer_add_text(to, "\":");
	column_add_json(to, c, &v);
	return true;
}

static int list_add_json(struct list *l, const void *row)
{
	char before = '{';
	int r = 0;

	if (l->shown)
		buffer_add_char(l->to, ',');
	for (size_t i = 0; i < l->count; i++)
		if (list_add_member(l, l->order[i], row, before, &l->room, l->to))
			before = ',';
	if (before == '{')
		buffer_add_char(l->to, '{');
	if (l->add_members)
		r = l->add_members(l, row, l->to);
	buffer_add_char(l->to, '}');
	return r;
}

int list_add(struct list *l, const void *row)
{
	int r = 0;

	l->rows++;
	if (l->limit && l->shown == l->limit)
		return l->to->error;
	switch (l->form) {
	case LIST_TABLE: list_add_cells(l, row); break;
	case LIST_LINES: list_add_line(l, row); break;
	case LIST_CSV: list_add_csv(l, row); break;
	default: r = list_add_json(l, row);
	}
	l->shown++;
	if (r < 0)
		return r;
	return l->form == LIST_TABLE ? l->to->error : output_flush_some(l->to);
}

void list_add_sums(const struct list *l, const void *row, struct buffer *to)
{
	const struct list sums = {
		.form = LIST_SUMS, .context = l->context, .variant = l->variant, .bytes = l->bytes};
	AUTO_BUFFER struct buffer room = {0};
	char before = '{';

	for (size_t i = 0; i < l->columns; i++) {
		const struct column *c = &l->column[i];

		if (c->flags & COLUMN_SUM && list_has(&sums, c, LIST_JSON | LIST_SUMS) &&
			list_add_member(&sums, c, row, before, &room, to))
			before = ',';
	}
	if (before == '{')
		buffer_add_char(to, '{');
	buffer_add_char(to, '}');
}

/* Appends a rule, and below it the sums. Their line ends behind the last of them, with BESIDE. */
static void list_add_line_total(struct list *l, const void *row, const struct buffer *beside)
{
	AUTO_BUFFER struct buffer text = {0};
	struct line line = {.to = &text};
	size_t last = l->count;

	while (last && !(l->order[last - 1]->flags & COLUMN_SUM))
		last--;
	for (size_t i = 0; i < last; i++) {
		const struct column *c = l->order[i];
		bool is_sum = c->flags & COLUMN_SUM;

		if (is_sum)
			list_format(l, c, row);
		list_add_line_cell(l, &line, i, is_sum ? list_cell(l) : "");
	}
	if (text.error)
		l->to->error = text.error;
	for (size_t i = 0; !l->has_no_rule && i <= text.len; i++)
		buffer_add_char(l->to, i < text.len ? '-' : '\n');
	buffer_add(l->to, text.data, text.len);
	cell_add_phrases(l->to, beside, text.len, l->width);
	buffer_add_char(l->to, '\n');
}

void list_total(struct list *l, const void *row, const struct buffer *beside)
{
	struct table *t = &l->table;

	if (beside->error)
		l->to->error = beside->error;
	if (l->form == LIST_LINES)
		list_add_line_total(l, row, beside);
	if (l->form != LIST_TABLE)
		return;
	for (size_t i = 0; i < l->count; i++) {
		bool is_sum = l->order[i]->flags & COLUMN_SUM;

		if (is_sum && list_format(l, l->order[i], row))
			t->column[i].is_used = true;
		buffer_add_text(&t->text, is_sum ? list_cell(l) : "");
		buffer_add_char(&t->text, '\0');
	}
	buffer_add(&t->total, beside->data, beside->len);
	t->rows++;
	t->has_total = true;
}

void list_add_not_shown(const struct list *l, struct buffer *to)
{
	if (l->shown < l->rows)
		buffer_printf(to, " (%zu not shown)", l->rows - l->shown);
}

int list_end(struct list *l)
{
	int r = l->to->error;

	if (r == 0)
		r = l->table.text.error ? l->table.text.error : l->table.total.error;
	if (r == 0 && l->form == LIST_TABLE)
		r = print_table(&l->table, l->width, l->to);
	if (r == 0 && l->form == LIST_CSV && l->shown < l->rows)
		log_info("%zu of %zu rows shown", l->shown, l->rows);
	return r;
}

const struct column *list_find_sort(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *c = &columns->column[i];

		if (c->flags & COLUMN_SORT && ((c->head && !strcasecmp(c->head, name)) ||
						      (c->field && !strcasecmp(c->field, name))))
			return c;
	}
	return NULL;
}
