/* SPDX-License-Identifier: Apache-2.0 */
/* Changes have the columns of maps (cli/map/maprow.h) as far as they make sense, and one more. */
#include "config.h"

#include "cli/map/mapchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_WIDTH = 8 };

static const struct mapping_table_row *row_of(const struct compare_row *row)
{
	return row->now ? row->now : row->then;
}

static bool get_change(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct compare_row *row = row_;

	(void)l;
	(void)c;
	ret->text = !row_of(row) ? "total" : !row->then ? "new" : !row->now ? "gone" : "changed";
	return true;
}

static bool mapchange_get(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	return maprow_get(l, c, row_of(row), ret);
}

static bool mapchange_get_amount(
	const struct list *l, const struct column *c, const void *row_, struct column_value *ret)
{
	const struct compare_row *row = row_;

	(void)l;
	return maprow_sum((const uint64_t *)row->q, row->present, c->index, &ret->number);
}

static const struct column change_columns[] = {
	{.head = "CHANGE",
		.field = "change",
		.kind = COLUMN_WORD,
		.get = get_change,
		.index = MAPROW_INDICES,
		.place = MAPROW_AT_CHANGE,
		.width = CHANGE_WIDTH},
	{.field = "change",
		.kind = COLUMN_WORD,
		.get = get_change,
		.index = MAPROW_INDICES,
		.forms = LIST_SUMS,
		.flags = COLUMN_SUM},
};

bool mapchange_has(unsigned int index)
{
	if (index < MAPPING_FIELDS)
		return mapping_table_is_sum((enum mapping_field)index);
	return index < MAPROW_SUMS;
}

/* Makes *C, a column of a map, a column of changes. Returns false if they have none. */
static bool mapchange_adapt(struct column *c)
{
	switch (c->index) {
	case MAPROW_SHARERS:
	case MAPROW_MAPPINGS:
	case MAPROW_PID:
	case MAPROW_FLAGS: return false;
	case MAPROW_OFFSET: c->forms = LIST_JSON; break;
	default: break;
	}
	if (c->index >= MAPROW_SUMS) {
		c->get = mapchange_get;
		return true;
	}
	if (c->index >= MAPPING_FIELDS)
		c->field = NULL;
	c->get = mapchange_get_amount;
	c->kind = COLUMN_CHANGE;
	return mapchange_has(c->index);
}

struct list mapchange_list(
	const struct maprow_format *f, struct mapchange_columns *columns, struct buffer *to)
{
	struct columns found = {columns->column, ARRAY_SIZE(change_columns)};

	memcpy(columns->column, change_columns, sizeof(change_columns));
	for (size_t i = 0; i < maprow_columns.count; i++) {
		assert(found.count < MAPCHANGE_COLUMNS);
		columns->column[found.count] = maprow_columns.column[i];
		found.count += mapchange_adapt(&columns->column[found.count]);
	}
	return maprow_list(f, &found, to);
}

/* Rows that are alike are in the order of their names and addresses. */
static int mapchange_compare(const void *a_, const void *b_, void *index)
{
	const struct compare_row *a = a_, *b = b_;
	uint64_t x, y;
	bool has_x = maprow_sum((const uint64_t *)a->q, a->present, *(unsigned int *)index, &x);
	bool has_y = maprow_sum((const uint64_t *)b->q, b->present, *(unsigned int *)index, &y);
	int order = strcmp(row_of(a)->name, row_of(b)->name);

	if (has_x != has_y)
		return has_x ? -1 : 1;
	if (has_x && x != y)
		return (int64_t)x < (int64_t)y ? 1 : -1;
	return order ? order
	             : (row_of(a)->start > row_of(b)->start) -
	                       (row_of(a)->start < row_of(b)->start);
}

void mapchange_sort(struct compare *c, unsigned int index)
{
	if (c->rows)
		qsort_r(c->row, c->rows, sizeof(*c->row), mapchange_compare, &index);
}
