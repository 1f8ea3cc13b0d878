/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void compare_done(struct compare *c)
{
	free(c->row);
	*c = (struct compare){0};
}

/* By what rows are the same; 0: they are. */
static int compare_keys(const struct atlas_row *a, const struct atlas_row *b)
{
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->is_deleted != b->is_deleted)
		return a->is_deleted ? 1 : -1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->perms, b->perms);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(
		*(const struct atlas_row *const *)a, *(const struct atlas_row *const *)b);
}

static const struct atlas_row **sorted(const struct atlas *a)
{
	const struct atlas_row **row = calloc(a->rows + 1, sizeof(struct atlas_row *));

	for (size_t i = 0; row && i < a->rows; i++)
		row[i] = &a->row[i];
	if (row)
		qsort((void *)row, a->rows, sizeof(struct atlas_row *), by_key);
	return row;
}

static int64_t less(uint64_t now, uint64_t then)
{
	return now >= then ? (int64_t)(now - then) : -(int64_t)(then - now);
}

/* Amounts are at most INT64_MAX: what no smaps and no sum has more of. */
static uint64_t amount_of(const struct atlas_row *row, unsigned int field)
{
	uint64_t value = row ? row->q[field] : 0;

	return value <= INT64_MAX ? value : INT64_MAX;
}

static bool has_changed(const struct compare_row *r)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((r->present >> i & 1) && r->q[i])
			return true;
	return !r->now || !r->then;
}

static void add(struct compare *c, const struct atlas_row *now, const struct atlas_row *then)
{
	struct compare_row *r = &c->row[c->rows];
	bool is_first = !c->rows && !c->total.present;

	*r = (struct compare_row){
		.now = now,
		.then = then,
		.present = (now ? now->present : UINT64_MAX) & (then ? then->present : UINT64_MAX),
	};
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		if (!atlas_is_sum((enum mapping_field)i))
			r->present &= ~(UINT64_C(1) << i);
		else if (r->present >> i & 1)
			r->q[i] = less(amount_of(now, i), amount_of(then, i));
		if (__builtin_add_overflow(c->total.q[i], r->q[i], &c->total.q[i]))
			c->total.q[i] = r->q[i] > 0 ? INT64_MAX : INT64_MIN;
	}
	c->total.present = is_first ? r->present : c->total.present & r->present;
	c->rows += has_changed(r);
}

static int by_growth(const void *a_, const void *b_, void *field_)
{
	const struct compare_row *a = a_, *b = b_;
	enum mapping_field field = *(enum mapping_field *)field_;

	if (a->q[field] != b->q[field])
		return a->q[field] < b->q[field] ? 1 : -1;
	return compare_keys(a->now ? a->now : a->then, b->now ? b->now : b->then);
}

int compare_make(const struct atlas *now, const struct atlas *then, enum mapping_field field,
	struct compare *ret)
{
	AUTO_FREE const struct atlas_row **a = sorted(now), **b = sorted(then);
	struct compare c = {.row = calloc(now->rows + then->rows + 1, sizeof(*c.row))};
	size_t i = 0, k = 0;

	if (!a || !b || !c.row) {
		free(c.row);
		return -ENOMEM;
	}
	while (i < now->rows || k < then->rows) {
		int order = i == now->rows ? 1 : k == then->rows ? -1 : compare_keys(a[i], b[k]);

		add(&c, order <= 0 ? a[i] : NULL, order >= 0 ? b[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	qsort_r(c.row, c.rows, sizeof(*c.row), by_growth, &field);
	*ret = c;
	return 0;
}
