/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/top-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { BARS_MAX = 64 };

void top_tree_done(struct top_tree *t)
{
	free(t->place);
	free(t->spare);
	*t = (struct top_tree){0};
}

static int top_tree_reserve(struct top_tree *t, size_t count)
{
	int r = ARRAY_RESERVE(t->place, t->places, count + 1);

	return r == 0 ? ARRAY_RESERVE(t->spare, t->spares, 2 * (count + 1)) : r;
}

/* Makes the amounts of rows with children sums. Returns false if no row has any. */
static bool begin_sums(struct top_row *row, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		row[i].children = 0;
	for (size_t i = 0; i < count; i++)
		if (row[i].parent != TOP_ROW_NONE) {
			row[row[i].parent].children++;
			any = true;
		}
	for (size_t i = 0; any && i < count; i++)
		if (row[i].children) {
			struct amounts own = row[i].amounts;

			amounts_begin(&row[i].amounts);
			amounts_add(&row[i].amounts, &own);
		}
	return any;
}

int top_tree_sum(
	struct top_tree *t, struct top_row *row, size_t count, const struct snapshot_scope *host)
{
	uint32_t *ready, *waiting;
	size_t end = 0;

	if (top_tree_reserve(t, count) < 0)
		return -ENOMEM;
	if (!begin_sums(row, count))
		return 0;
	/* A row is ready if all rows below it have been added to it. */
	ready = t->spare;
	waiting = t->spare + count;
	for (size_t i = 0; i < count; i++) {
		waiting[i] = row[i].children;
		if (!waiting[i])
			ready[end++] = (uint32_t)i;
	}
	for (size_t i = 0; i < end; i++) {
		struct top_row *r = &row[ready[i]];

		if (r->children)
			amounts_end(&r->amounts, host);
		if (r->parent == TOP_ROW_NONE)
			continue;
		amounts_add(&row[r->parent].amounts, &r->amounts);
		if (!--waiting[r->parent])
			ready[end++] = r->parent;
	}
	/* A row that never gets ready is its own ancestor. */
	for (size_t i = 0; end < count && i < count; i++)
		if (waiting[i]) {
			amounts_end(&row[i].amounts, host);
			row[row[i].parent].children--;
			row[i].parent = TOP_ROW_NONE;
		}
	return 0;
}

/* The rows that are sorted, and the direction. */
struct order {
	const struct top_row *row;
	bool is_turned, is_text;
};

/* Rows with equal values, or without any, have the order of their PSS, the largest first. */
static int compare_pss(
	const struct order *order, const struct top_tree_place *a, const struct top_tree_place *b)
{
	const struct amounts *of_a = &order->row[a->row].amounts,
			     *of_b = &order->row[b->row].amounts;
	uint64_t pss_a = 0, pss_b = 0;
	bool has_a = amounts_get(of_a, AMOUNT_PSS, &pss_a);
	bool has_b = amounts_get(of_b, AMOUNT_PSS, &pss_b);

	if (has_a != has_b)
		return has_a ? -1 : 1;
	if (pss_a != pss_b)
		return pss_a > pss_b ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int compare_places(const void *a_, const void *b_, void *context)
{
	const struct top_tree_place *a = a_, *b = b_;
	const struct order *how = context;
	int order;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->is_absent != b->is_absent)
		return a->is_absent ? 1 : -1;
	if (how->is_text)
		order = strcmp(a->text, b->text);
	else
		order = (a->rank < b->rank) - (a->rank > b->rank);
	if (order)
		return how->is_turned ? -order : order;
	return compare_pss(how, a, b);
}

/* Sorts the rows by their parents, and within each by the column; the rows without a parent come last. */
static void top_tree_sort(struct top_tree *t, const struct top_glance *glance,
	const struct top_asks *asks, const struct top_row *row, size_t count)
{
	struct order how = {.row = row,
		.is_turned = asks->is_turned,
		.is_text = top_columns_spec(asks->sort)->is_text};

	for (size_t i = 0; i < count; i++) {
		struct top_tree_place *p = &t->place[i];

		*p = (struct top_tree_place){
			.parent = row[i].parent, .row = (uint32_t)i & INT32_MAX};
		if (how.is_text)
			p->text = top_columns_text(glance, asks->sort, &row[i]);
		else
			p->is_absent = !top_columns_rank(asks->sort, &row[i], &p->rank);
	}
	qsort_r(t->place, count, sizeof(*t->place), compare_places, &how);
}

/* Sets the place of R below PARENT (NULL: it has none). */
static void set_place(struct top_row *r, const struct top_row *parent, bool is_last)
{
	r->depth = parent ? parent->depth + 1 : 0;
	r->is_last = is_last;
	r->bars = parent ? parent->bars : 0;
	if (parent && !parent->is_last && parent->depth < BARS_MAX)
		r->bars |= UINT64_C(1) << parent->depth;
}

int top_tree_order(struct top_tree *t, const struct top_glance *glance, const struct top_asks *asks,
	struct top_row *row, size_t count, uint32_t *ret, size_t *ret_count)
{
	uint32_t *first, *stack, parent = TOP_ROW_NONE;
	size_t shown = 0, depth = 0, at = 0;

	if (top_tree_reserve(t, count) < 0)
		return -ENOMEM;
	top_tree_sort(t, glance, asks, row, count);
	/* The place of the first child of each row, and the next place at each depth. */
	first = t->spare;
	stack = t->spare + count;
	while (at < count && t->place[at].parent != TOP_ROW_NONE) {
		first[t->place[at].parent] = (uint32_t)at;
		at += row[t->place[at].parent].children;
	}
	stack[0] = (uint32_t)at;
	for (;;) {
		size_t i = stack[depth];
		struct top_row *r;

		/* The rows of a parent are next to each other; those without one are at the end. */
		if (i == count || t->place[i].parent != parent) {
			if (!depth)
				break;
			parent = row[parent].parent;
			depth--;
			continue;
		}
		stack[depth]++;
		r = &row[t->place[i].row];
		set_place(r, parent == TOP_ROW_NONE ? NULL : &row[parent],
			i + 1 == count || t->place[i + 1].parent != parent);
		ret[shown++] = t->place[i].row;
		r->is_open = r->children && top_state_is_open(asks, r->key);
		if (r->is_open) {
			parent = t->place[i].row;
			stack[++depth] = first[parent];
		}
	}
	*ret_count = shown;
	return 0;
}
