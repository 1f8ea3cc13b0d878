/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of processes in the image that is being built, each with its process: a member, which
 * has memory and a known user. The memory is used again for the next image.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PROCESS_ROWS_H
#define MEMTALLY_COLLECTORS_PASS_PROCESS_ROWS_H

#include <stdint.h>

#include "collectors/process/process.h"
#include "snapshot/builder.h"

struct process_rows {
	struct builder builder; /* of the whole image, not only of these rows */
	/* borrowed: the process of each row, valid until processes are listed again */
	struct process **member;
	size_t capacity;
};

void process_rows_done(struct process_rows *r);

/* Begins the next image, without rows. */
void process_rows_begin(struct process_rows *r);

/* Removes all rows, and gives their memory back to the kernel until process_rows_begin(). */
void process_rows_rest(struct process_rows *r);

/*
 * Adds a zeroed row for the member P. The pointer is valid until the next call. Returns NULL if
 * memory runs out.
 */
struct snapshot_process *process_rows_add(struct process_rows *r, struct process *p);

uint32_t process_rows_count(const struct process_rows *r);

/* Returns row I. Returns NULL for row 0 if there are no rows. */
struct snapshot_process *process_rows_at(struct process_rows *r, size_t i);

#endif
