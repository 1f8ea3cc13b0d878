/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that passes remember, by rising pid.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_TABLE_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_TABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "collectors/process/process.h"

struct process_table {
	struct process **item; /* owned, and so is each process */
	size_t count, capacity;
	struct process **spare; /* of the same capacity, for the next list */
	/* called for each process before it is freed; may be NULL */
	void (*forget)(void *to, struct process *p);
	void *to;
};

void process_table_done(struct process_table *t);

/*
 * Makes T the list of PIDS, COUNT pids in rising order. Keeps the processes that T has, adds the
 * others, and frees those that are not listed, giving their descriptors back to READER. Returns 0,
 * or -ENOMEM with T unchanged.
 */
int process_table_sync(
	struct process_table *t, struct process_reader *reader, const pid_t *pids, size_t count);

/* Returns the process with PID, or NULL. */
struct process *process_table_find(const struct process_table *t, pid_t pid);

#endif
