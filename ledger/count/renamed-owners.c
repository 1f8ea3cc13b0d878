/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/count/renamed-owners.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "snapshot/owner.h"

void renamed_owners_done(struct renamed_owners *o)
{
	free((void *)o->row);
	*o = (struct renamed_owners){0};
}

static int order_of(const struct row *a, const struct row *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->created_ns != b->created_ns)
		return a->created_ns < b->created_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_order(const void *a, const void *b)
{
	return order_of(*(const struct row *const *)a, *(const struct row *const *)b);
}

static bool renamed_owners_is_missing(const struct row *row, uint64_t number)
{
	return row->now.is_known && row->seen != number &&
	       owner_of(usage_owner(row->kind))->has_user;
}

int renamed_owners_collect(struct renamed_owners *o, const struct rows *rows, uint64_t number)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += renamed_owners_is_missing(rows->row[i], number);
	if (!count)
		return 0;
	o->row = (struct row **)calloc(count, sizeof(struct row *));
	if (!o->row)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++)
		if (renamed_owners_is_missing(rows->row[i], number))
			o->row[o->count++] = rows->row[i];
	qsort((void *)o->row, o->count, sizeof(struct row *), by_order);
	return 0;
}

static bool is_nearer(const struct row *a, const struct row *b, uint32_t id, double counter)
{
	if ((a->id == id) != (b->id == id))
		return a->id == id;
	return fabs(counter - a->counted) < fabs(counter - b->counted);
}

struct row *renamed_owners_find(
	const struct renamed_owners *o, const struct row *row, uint64_t created_ns, double counter)
{
	const struct row key = {.kind = row->kind, .created_ns = created_ns, .name = row->name};
	struct row *found = NULL;

	/* The caller clears is_known of a row that it was given, so no row is found twice. */
	for (size_t i = ARRAY_FIRST(o->count, k, order_of(o->row[k], &key) >= 0);
		i < o->count && !order_of(o->row[i], &key); i++)
		if (o->row[i]->now.is_known &&
			(!found || is_nearer(o->row[i], found, row->id, counter)))
			found = o->row[i];
	return found;
}
