/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of one process's memory: what it has alone and shares with whom, what is swapped out, what has grown, what
 * is largest, what would come back if it ended; and that as JSON. Pure.
 */
#ifndef MEMTALLY_CLI_EXPLANATION_H
#define MEMTALLY_CLI_EXPLANATION_H

#include <jansson.h>
#include <stdbool.h>

#include "inside/portrait.h"
#include "inside/sharers.h"
#include "snapshot/record.h"

/* All of it is borrowed. */
struct explanation {
	pid_t pid;
	const char *program, *user; /* clean; .user NULL: not known */
	/* Of its status, by process_quantity. */
	uint64_t present;
	const uint64_t *q;
	struct portrait *portrait; /* sorted by this */
	struct sharers *sharers;   /* likewise */
	size_t looked, refused; /* other processes whose maps could be read, and that could not */
	bool hides;             /* /proc hides others' processes, which are in neither number, */
	bool is_inside;         /* and so it does those outside of a pid namespace */
	const struct snapshot_process
		*grown;      /* its row in memtallyd's snapshot; NULL: there is none, and */
	const char *unknown; /* why, clean */
	uint64_t snapshot_age_ns;
	bool bytes;   /* exact */
	size_t limit; /* of the largest of each kind of row; not 0 */
};

/* What follows from it, in bytes. */
struct explanation_figures {
	bool is_known; /* .alone and .shared are */
	uint64_t rss, pss, alone, shared;
	uint64_t freed, pagetable; /* at once, if it ended, with the latter */
	uint64_t shmem_freed;      /* likewise, unless it has a name or is held open */
	uint64_t shmem_kept;       /* others map it, too, but have not touched it */
	uint64_t others_more;      /* by how much the PSS of others would grow */
};

void explanation_reckon(const struct explanation *e, struct explanation_figures *ret);

/* Whether status has QUANTITY. */
static inline bool explanation_has(const struct explanation *e, enum process_quantity quantity)
{
	return (e->present >> quantity) & 1;
}

/* An object, exact and whole, the caller's; NULL: out of memory. */
json_t *explanation_json(const struct explanation *e);

#endif
