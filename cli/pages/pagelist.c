/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pagelist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "inspect/pages/pagewalk.h"

enum { PAGES_VERSION = 1 };

void pagelist_done(struct pagelist *l)
{
	for (size_t i = 0; i < l->rows; i++)
		free(l->row[i].name);
	free(l->row);
	buffer_done(&l->name);
	list_done(&l->list);
}

static bool is_by(const struct pagelist *l, enum pagerow_by by)
{
	return l->format.by == by;
}

static void pagelist_begin_list(struct pagelist *l)
{
	l->list = pagerow_list(&l->format, l->text);
	if (l->is_sorted && l->rows)
		list_keep_sort(&l->list, l->sort);
	list_begin(&l->list);
}

int pagelist_begin(struct pagelist *l)
{
	if (l->format.look.form == LIST_JSON)
		buffer_printf(l->text, "{\"version\":%d,\"by\":\"%s\",\"rows\":[", PAGES_VERSION,
			pagerow_by_name(l->format.by));
	if (is_by(l, PAGEROW_BY_PAGE))
		pagelist_begin_list(l);
	if (!is_by(l, PAGEROW_BY_KIND))
		return 0;
	l->row = calloc(KIND_END, sizeof(*l->row));
	if (!l->row)
		return -ENOMEM;
	l->rows = l->room = l->whole.rows = KIND_END;
	return 0;
}

/* Returns a new row; NULL if there is no memory. */
static struct pagerow *pagelist_add_row(struct pagelist *l, pid_t pid, const char *name)
{
	struct pagerow *row;

	if (ARRAY_RESERVE(l->row, l->room, l->rows + 1) < 0)
		return NULL;
	row = &l->row[l->rows];
	*row = (struct pagerow){.pid = pid, .name = strdup(name)};
	if (!row->name)
		return NULL;
	l->rows++;
	return row;
}

/* Returns the name of M, valid until the next call; NULL if there is no memory. */
static char *pagelist_name_of(struct pagelist *l, const struct mapping *m)
{
	buffer_clear(&l->name);
	kind_add_name(m, &l->name);
	buffer_add_text(&l->name, kind_note(kind_is_deleted(m), kind_fate(m)));
	buffer_add_char(&l->name, '\0');
	return l->name.error ? NULL : l->name.data;
}

/* Returns the row for M; NULL if there is no memory. */
static struct pagerow *row_for(
	struct pagelist *l, pid_t pid, const char *program, const struct mapping *m)
{
	char *name;

	if (is_by(l, PAGEROW_BY_KIND))
		return &l->row[kind_of(m)];
	if (is_by(l, PAGEROW_BY_PROCESS))
		return l->rows && l->row[l->rows - 1].pid == pid
		               ? &l->row[l->rows - 1]
		               : pagelist_add_row(l, pid, program);
	name = pagelist_name_of(l, m);
	if (!name)
		return NULL;
	if (is_by(l, PAGEROW_BY_MAPPING))
		return pagelist_add_row(l, pid, name);
	l->mapping = (struct pagerow){.pid = pid, .name = name};
	return &l->mapping;
}

int pagelist_enter(struct pagelist *l, pid_t pid, const char *program, const struct mapping *m,
	uint64_t start, uint64_t end)
{
	struct pagerow *row = row_for(l, pid, program, m);

	if (!row)
		return -ENOMEM;
	if (!is_by(l, PAGEROW_BY_KIND) && !is_by(l, PAGEROW_BY_PROCESS)) {
		row->start = start;
		row->end = end;
		memcpy(row->perms, m->perms, sizeof(row->perms));
	}
	row->kind = kind_of(m);
	row->mappings++;
	row->sum.q[PAGESUM_SIZE] += end - start;
	l->size_bytes += end - start;
	l->of_file = m->inode;
	l->into = row;
	return 0;
}

int pagelist_add(struct pagelist *l, const struct page *page)
{
	pagesum_add(&l->into->sum, page, pagewalk_page_size(), l->of_file);
	return is_by(l, PAGEROW_BY_PAGE)
	               ? list_add(&l->list, &(struct pagerow_page){&l->mapping, page})
	               : 0;
}

void pagelist_keep(struct pagelist *l)
{
	l->whole.rows = l->rows;
	l->whole.size_bytes = l->size_bytes;
	if (is_by(l, PAGEROW_BY_KIND))
		memcpy(l->whole.kind, l->row, sizeof(l->whole.kind));
}

void pagelist_drop(struct pagelist *l)
{
	if (is_by(l, PAGEROW_BY_PAGE))
		return;
	while (l->rows > l->whole.rows)
		free(l->row[--l->rows].name);
	l->size_bytes = l->whole.size_bytes;
	if (is_by(l, PAGEROW_BY_KIND))
		memcpy(l->row, l->whole.kind, sizeof(l->whole.kind));
}

static int pagelist_compare_rows(const void *a, const void *b, void *field)
{
	const struct pagerow *x = a, *y = b;
	uint64_t p = x->sum.q[*(enum pagesum_field *)field];
	uint64_t q = y->sum.q[*(enum pagesum_field *)field];

	if (p != q)
		return p < q ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Computes the total, removes empty rows, and sorts. */
static void pagelist_arrange(struct pagelist *l)
{
	enum pagesum_field field = l->sort;
	size_t kept = 0;

	for (size_t i = 0; i < l->rows; i++) {
		l->total.mappings += l->row[i].mappings;
		pagesum_add_sum(&l->total.sum, &l->row[i].sum);
		if (l->row[i].mappings)
			l->row[kept++] = l->row[i];
	}
	l->rows = kept;
	if (l->is_sorted && l->rows)
		qsort_r(l->row, l->rows, sizeof(*l->row), pagelist_compare_rows, &field);
	for (size_t i = 0; l->ascending && i < l->rows / 2; i++) {
		struct pagerow swapped = l->row[i];

		l->row[i] = l->row[l->rows - 1 - i];
		l->row[l->rows - 1 - i] = swapped;
	}
}

/* Prints the histogram of the first COUNT rows. */
static int print_times(struct pagelist *l, size_t count)
{
	struct pagerow_times times;
	AUTO_LIST struct list list = pagerow_times_list(&l->format, &l->total, &times, l->text);
	AUTO_BUFFER struct buffer beside = {0};
	int r = 0;

	buffer_add_text(l->text, "\nRSS by how many times its pages are mapped, by any process:\n");
	list_begin(&list);
	for (size_t i = 0; r == 0 && i < count; i++)
		if (l->row[i].sum.q[PAGESUM_RSS])
			r = list_add(&list, &l->row[i]);
	buffer_add_text(&beside, "total");
	list_total(&list, &l->total, &beside);
	return r;
}

static int finish_sums(struct pagelist *l, bool knows_times)
{
	AUTO_BUFFER struct buffer beside = {0};
	int r = 0;

	pagelist_arrange(l);
	pagelist_begin_list(l);
	for (size_t i = 0; r == 0 && i < l->rows; i++)
		r = list_add(&l->list, &l->row[i]);
	if (l->format.look.form == LIST_JSON) {
		buffer_add_text(l->text, "],\"total\":");
		list_add_sums(&l->list, &l->total, l->text);
	}
	buffer_printf(&beside, "total of %zu row%s%s", l->rows, l->rows == 1 ? "" : "s",
		l->format.look.bytes ? "" : ", in KiB");
	list_total(&l->list, &l->total, &beside);
	if (r == 0 && l->format.look.form == LIST_LINES && knows_times &&
		l->total.sum.q[PAGESUM_RSS])
		r = print_times(l, l->list.shown);
	return r;
}

static void finish_pages(struct pagelist *l)
{
	if (l->format.look.form == LIST_JSON)
		buffer_printf(l->text, "],\"pages\":%zu,\"size_bytes\":%llu", l->list.rows,
			(unsigned long long)l->size_bytes);
	else if (l->format.look.form == LIST_LINES)
		buffer_printf(l->text, "%zu of %llu pages; the others are empty\n", l->list.rows,
			(unsigned long long)(l->size_bytes / pagewalk_page_size()));
}

int pagelist_finish(struct pagelist *l, bool knows_times)
{
	int r = 0;

	if (is_by(l, PAGEROW_BY_PAGE))
		finish_pages(l);
	else
		r = finish_sums(l, knows_times);
	return r == 0 ? list_end(&l->list) : r;
}
