/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of processes of the image that is being built, each with the process that it is of: a member, one with
 * memory and a known user. Memory stays and is used again, but where it rests.
 */
#ifndef MEMTALLY_COLLECTORS_ROWS_H
#define MEMTALLY_COLLECTORS_ROWS_H

#include <stdint.h>

#include "collectors/process.h"
#include "snapshot/builder.h"

struct rows {
	struct builder builder;  /* of the whole image, not of these rows alone */
	struct process **member; /* borrowed: of each row, until processes are listed again */
	size_t capacity;
};

void rows_done(struct rows *r);

/* The next image begins, without any row. */
void rows_begin(struct rows *r);

/* Gives memory back until rows_begin(). There are no rows any more. */
void rows_rest(struct rows *r);

/* A new row of the member P, all zeros, good until the next one. NULL: out of memory. */
struct snapshot_process *rows_add(struct rows *r, struct process *p);

uint32_t rows_count(const struct rows *r);

/* Row I; row 0 of none is NULL. */
struct snapshot_process *rows_at(struct rows *r, size_t i);

#endif
