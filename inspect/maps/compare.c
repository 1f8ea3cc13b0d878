/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void compare_done(struct compare *c)
{
	free(c->row);
	*c = (struct compare){0};
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * The order of A and B; 0: they are the same. The name of shared memory, "[shared]", does not
 * identify it, but its inode does.
 */
static int compare_keys(const struct mapping_table_row *a, const struct mapping_table_row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = compare_numbers(a->kind, b->kind);
	if (!order)
		order = compare_numbers(a->major, b->major);
	if (!order)
		order = compare_numbers(a->minor, b->minor);
	if (!order)
		order = compare_numbers(a->inode, b->inode);
	if (!order)
		order = compare_numbers(a->start, b->start);
	return order ? order : strcmp(a->perms, b->perms);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(*(const struct mapping_table_row *const *)a,
		*(const struct mapping_table_row *const *)b);
}

/* Returns the lesser of A and B, of which one may be NULL. */
static const struct mapping_table_row *compare_least(
	const struct mapping_table_row *a, const struct mapping_table_row *b)
{
	return !b || (a && compare_keys(a, b) <= 0) ? a : b;
}

static const struct mapping_table_row **compare_sorted(const struct mapping_table *a)
{
	const struct mapping_table_row **row = calloc(
		a->rows + 1, sizeof(struct mapping_table_row *));

	for (size_t i = 0; row && i < a->rows; i++)
		row[i] = &a->row[i];
	if (row)
		qsort((void *)row, a->rows, sizeof(struct mapping_table_row *), by_key);
	return row;
}

/* A part of the sorted rows of a table. */
struct run {
	const struct mapping_table_row **row;
	size_t count;
};

/* Returns the number of rows at the beginning of R that are the same as KEY. */
static size_t count_same(const struct run *r, const struct mapping_table_row *key)
{
	size_t count = 0;

	while (count < r->count && !compare_keys(r->row[count], key))
		count++;
	return count;
}

/* Removes the first COUNT rows from R, and returns them. */
static struct run compare_take(struct run *r, size_t count)
{
	const struct run taken = {.row = r->row, .count = count};

	r->row += count;
	r->count -= count;
	return taken;
}

static const struct mapping_table_row *compare_first_of(const struct run *r)
{
	return r->count ? r->row[0] : NULL;
}

static uint64_t present_in(const struct run *r)
{
	uint64_t present = UINT64_MAX;

	for (size_t i = 0; i < r->count; i++)
		present &= r->row[i]->present;
	return present;
}

/* Returns the sum of FIELD, at most INT64_MAX. */
static int64_t compare_sum_of(const struct run *r, unsigned int field)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->count; i++)
		if (__builtin_add_overflow(sum, r->row[i]->q[field], &sum))
			return INT64_MAX;
	return sum;
}

static bool has_changed(const struct compare_row *r)
{
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		if ((r->present >> i & 1) && r->q[i])
			return true;
	return !r->now || !r->then || r->now->is_deleted != r->then->is_deleted;
}

/* Adds the row for NOW and THEN, which are the same; unchanged rows count only in .total. */
static void compare_add(struct compare *c, const struct run *now, const struct run *then)
{
	struct compare_row *r = &c->row[c->rows];
	bool is_first = !c->rows && !c->total.present;

	*r = (struct compare_row){
		.now = compare_first_of(now),
		.then = compare_first_of(then),
		.present = present_in(now) & present_in(then),
	};
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		if (!mapping_table_is_sum((enum mapping_field)i))
			r->present &= ~(UINT64_C(1) << i);
		else if (r->present >> i & 1)
			r->q[i] = compare_sum_of(now, i) - compare_sum_of(then, i);
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

int compare_make(const struct mapping_table *now, const struct mapping_table *then,
	enum mapping_field field, struct compare *ret)
{
	AUTO_FREE const struct mapping_table_row **a = compare_sorted(now),
						 **b = compare_sorted(then);
	struct compare c = {.row = calloc(now->rows + then->rows + 1, sizeof(*c.row))};
	struct run left_now = {.row = a, .count = now->rows};
	struct run left_then = {.row = b, .count = then->rows};

	if (!a || !b || !c.row) {
		free(c.row);
		return -ENOMEM;
	}
	while (left_now.count || left_then.count) {
		const struct mapping_table_row *key = compare_least(
			compare_first_of(&left_now), compare_first_of(&left_then));
		const struct run same_now = compare_take(&left_now, count_same(&left_now, key));
		const struct run same_then = compare_take(&left_then, count_same(&left_then, key));

		compare_add(&c, &same_now, &same_then);
	}
	qsort_r(c.row, c.rows, sizeof(*c.row), by_growth, &field);
	*ret = c;
	return 0;
}
