/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that passes remember, by rising pid.
 */
#ifndef MEMTALLY_COLLECTORS_PROCTABLE_H
#define MEMTALLY_COLLECTORS_PROCTABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "collectors/process.h"

struct proctable {
	struct process **item; /* owned, as each of them */
	size_t count, capacity;
	struct process **spare; /* of the same capacity, for the next list */
	void (*forget)(
		void *to, struct process *p); /* told of each that is forgotten; NULL: nobody is */
	void *to;
};

void proctable_done(struct proctable *t);

/*
 * Makes T the list of PIDS, which rise: keeps those that it has, adds the others, and forgets what is
 * no longer listed (giving its descriptor back to READER). -ENOMEM: T is as it was.
 */
int proctable_sync(
	struct proctable *t, struct process_reader *reader, const pid_t *pids, size_t count);

#endif
