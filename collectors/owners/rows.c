/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/owners/rows.h"

#include <stdlib.h>

void rows_done(struct rows *r)
{
	builder_done(&r->builder);
	free((void *)r->member);
	*r = (struct rows){0};
}

void rows_begin(struct rows *r)
{
	builder_begin(&r->builder);
}

void rows_rest(struct rows *r)
{
	builder_rest(&r->builder);
}

struct snapshot_process *rows_add(struct rows *r, struct process *p)
{
	struct snapshot_process *row = builder_add_process(&r->builder);
	uint32_t count = rows_count(r);

	if (!row)
		return NULL;
	if (count > r->capacity) {
		size_t capacity = count + count / 2 + 256;
		struct process **member = reallocarray(
			(void *)r->member, capacity, sizeof(struct process *));

		if (!member)
			return NULL;
		r->member = member;
		r->capacity = capacity;
	}
	r->member[count - 1] = p;
	return row;
}

uint32_t rows_count(const struct rows *r)
{
	return builder_process_count(&r->builder);
}

struct snapshot_process *rows_at(struct rows *r, size_t i)
{
	return builder_process(&r->builder, (uint32_t)i);
}
