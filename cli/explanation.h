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

/* Another process with the same address space (CLONE_VM without CLONE_THREAD, vfork). */
struct explanation_twin {
	pid_t pid;
	char *program; /* clean */
};

/* All of it is borrowed. */
struct explanation {
	pid_t pid;
	const char *program, *user; /* clean; .user NULL: not known */
	/* Of its status, by process_quantity. */
	uint64_t present;
	const uint64_t *q;
	struct portrait *portrait;           /* sorted by this */
	struct sharers *sharers;             /* likewise */
	const struct explanation_twin *twin; /* who has all that it has */
	size_t twins;
	bool knows_twins;       /* that these are all, of those that could be looked at */
	size_t looked, refused; /* other processes whose maps could be read, or not, whyever */
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
	uint64_t share; /* of .shared, in the PSS */
	uint64_t pagetable;
	/* What would become of it if it ended; 0 as long as another has the same address space. */
	uint64_t freed;                     /* at once, page tables included */
	bool freed_is_exact;                /* else that is the most that it can be */
	uint64_t shmem_freed;               /* likewise, unless it has a name or is held open */
	uint64_t shmem_kept;                /* others map it, too, but have not touched it */
	uint64_t cached;                    /* of files */
	uint64_t others_more;               /* by how much the PSS of others would grow */
	uint64_t swap_freed, hugetlb_freed; /* at most */
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
