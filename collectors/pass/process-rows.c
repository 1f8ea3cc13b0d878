/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/process-rows.h"

#include <stdlib.h>

#include "base/array.h"

void process_rows_done(struct process_rows *r)
{
	builder_done(&r->builder);
	free((void *)r->member);
	*r = (struct process_rows){0};
}

void process_rows_begin(struct process_rows *r)
{
	builder_begin(&r->builder);
}

void process_rows_rest(struct process_rows *r)
{
	builder_rest(&r->builder);
}

struct snapshot_process *process_rows_add(struct process_rows *r, struct process *p)
{
	struct snapshot_process *row = builder_add_process(&r->builder);
	uint32_t count = process_rows_count(r);

	if (!row || ARRAY_RESERVE(r->member, r->capacity, count) < 0)
		return NULL;
	r->member[count - 1] = p;
	return row;
}

uint32_t process_rows_count(const struct process_rows *r)
{
	return builder_process_count(&r->builder);
}

struct snapshot_process *process_rows_at(struct process_rows *r, size_t i)
{
	return builder_process(&r->builder, (uint32_t)i);
}
