/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/partlist.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void partlist_done(struct partlist *l)
{
	for (size_t i = 0; i < l->rows; i++)
		free(l->row[i].name);
	for (size_t i = 0; i < l->objects; i++)
		free(l->object[i]);
	free(l->row);
	free(l->object);
	buffer_done(&l->files);
	list_done(&l->list);
}

/*
 * Returns a copy of OBJECT. Rows of one file, maybe millions, come one after the other and share
 * it. NULL if there is no memory.
 */
static char *keep_object(struct partlist *l, const char *object)
{
	if (l->objects && !strcmp(l->object[l->objects - 1], object))
		return l->object[l->objects - 1];
	if (ARRAY_RESERVE(l->object, l->objects_room, l->objects + 1) < 0)
		return NULL;
	l->object[l->objects] = strdup(object);
	return l->object[l->objects] ? l->object[l->objects++] : NULL;
}

static int keep_row(struct partlist *l, const struct partrow *row)
{
	size_t bytes = row->name ? strlen(row->name) : 0;
	struct partrow *kept;

	if (l->rows == PARTLIST_ROWS_MAX || bytes > PARTLIST_NAMES_MAX - l->name_bytes)
		return -E2BIG;
	if (ARRAY_RESERVE(l->row, l->room, l->rows + 1) < 0)
		return -ENOMEM;
	kept = &l->row[l->rows++];
	*kept = *row;
	kept->name = row->name ? strdup(row->name) : NULL;
	kept->object = keep_object(l, row->object);
	l->name_bytes += kept->name ? bytes : 0;
	return (row->name && !kept->name) || !kept->object ? -ENOMEM : 0;
}

int partlist_add(struct partlist *l, const struct partrow *row)
{
	l->count++;
	l->one_count++;
	return l->is_sorted ? keep_row(l, row) : list_add(&l->list, row);
}

static void partlist_add_amounts(struct partrow *to, const struct partrow *row)
{
	for (unsigned int i = 0; i < PARTROW_FIELDS; i++)
		to->q[i] += row->q[i];
}

void partlist_sum(struct partlist *l, const struct partrow *row)
{
	partlist_add_amounts(&l->one_total, row);
}

static void drop_row(struct partlist *l)
{
	struct partrow *row = &l->row[--l->rows];

	l->name_bytes -= row->name ? strlen(row->name) : 0;
	free(row->name);
}

static void begin_next(struct partlist *l)
{
	l->one_total = (struct partrow){.name = NULL};
	l->one_count = 0;
}

void partlist_keep(struct partlist *l)
{
	partlist_add_amounts(&l->total, &l->one_total);
	l->total_count += l->one_count;
	l->whole_rows = l->rows;
	l->whole_files = l->files.len;
	l->whole++;
	begin_next(l);
}

void partlist_drop(struct partlist *l)
{
	while (l->rows > l->whole_rows)
		drop_row(l);
	if (l->is_sorted)
		l->files.len = l->whole_files;
	begin_next(l);
}

void partlist_add_file(
	struct partlist *l, pid_t pid, const char *file, const char *symbols, const char *error)
{
	json_t *row = json_pack("{s:i,s:s,s:s*,s:s*}", "pid", (int)pid, "file", file, "symbols",
		symbols, "error", error);
	char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;

	if (l->files.len)
		buffer_add_char(&l->files, ',');
	if (text)
		buffer_add_text(&l->files, text);
	else
		l->files.error = -ENOMEM;
	free(text);
	json_decref(row);
}

void partlist_begin(struct partlist *l)
{
	if (l->format.look.form == LIST_JSON)
		buffer_printf(l->text, "{\"version\":1,\"by\":\"%s\",\"rows\":[",
			l->format.of_symbols ? "symbol" : "section");
	l->list = partrow_list(&l->format, l->text);
	if (l->is_sorted)
		list_keep_sort(&l->list, l->sort);
	list_begin(&l->list);
}

static int partlist_compare_rows(const void *a, const void *b, void *field)
{
	const struct partrow *x = a, *y = b;
	uint64_t p = x->q[*(enum partrow_field *)field], q = y->q[*(enum partrow_field *)field];

	if (p != q)
		return p < q ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static int print_kept(struct partlist *l)
{
	enum partrow_field field = l->sort;
	int r = 0;

	if (l->rows)
		qsort_r(l->row, l->rows, sizeof(*l->row), partlist_compare_rows, &field);
	for (size_t i = 0; r == 0 && i < l->rows; i++)
		r = list_add(&l->list, &l->row[l->ascending ? l->rows - 1 - i : i]);
	return r;
}

int partlist_finish(struct partlist *l)
{
	AUTO_BUFFER struct buffer beside = {0};
	int r = print_kept(l);

	if (r < 0)
		return r;
	if (l->format.look.form == LIST_JSON) {
		buffer_add_text(l->text, "],\"total\":");
		if (l->whole)
			list_add_sums(&l->list, &l->total, l->text);
		else
			buffer_add_text(l->text, "{}");
		buffer_add_text(l->text, ",\"files\":[");
		buffer_add(l->text, l->files.data, l->files.len);
		buffer_add_char(l->text, ']');
	} else if (l->whole) {
		buffer_printf(&beside, "total of %zu row%s, in bytes", l->total_count,
			l->total_count == 1 ? "" : "s");
		list_total(&l->list, &l->total, &beside);
	}
	return l->files.error ? l->files.error : list_end(&l->list);
}
