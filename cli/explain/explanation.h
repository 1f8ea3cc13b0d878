/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of `memtally explain` for one process: memory alone and shared, its sharers, swap,
 * growth, the largest mappings, and memory that is freed on exit; and these as JSON. Pure.
 */
#ifndef MEMTALLY_CLI_EXPLAIN_EXPLANATION_H
#define MEMTALLY_CLI_EXPLAIN_EXPLANATION_H

#include <jansson.h>
#include <stdbool.h>

#include "inspect/maps/breakdown.h"
#include "inspect/maps/sharers.h"
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
	struct breakdown *breakdown;         /* sorted by this module */
	struct sharers *sharers;             /* sorted by this module */
	const struct explanation_twin *twin; /* processes with the same address space */
	size_t twins;
	bool knows_twins; /* .twin has all of them among the processes that could be read */
	size_t looked,
		refused;  /* numbers of other processes with maps that could be read, or not */
	bool hides;       /* /proc hides other users' processes, which are in neither number */
	bool is_inside;   /* a pid namespace hides the processes outside of it */
	bool is_averaged; /* the kernel averages map counts (collectors/process/self/mapcounts.h) */
	/* its row in memtallyd's snapshot; NULL: there is none */
	const struct snapshot_process *grown;
	const char *unknown; /* if .grown is NULL: why, clean */
	uint64_t snapshot_age_ns;
	bool bytes;   /* exact bytes instead of KiB, MiB ... */
	size_t limit; /* rows of each list; not 0 */
};

/* Figures that follow from an explanation, in bytes. */
struct explanation_figures {
	bool is_known; /* .alone and .shared are known */
	uint64_t rss, pss, alone, shared;
	uint64_t share; /* the part of the PSS that is from .shared */
	uint64_t pagetable;
	/* On exit of the process; all 0 while another process has the same address space. */
	uint64_t freed; /* unshared anonymous memory and page tables */
	/* false: .freed is an upper limit, or with averaged map counts an approximation */
	bool freed_is_exact;
	uint64_t shmem_freed;    /* shared memory, unless it has a name or is held open */
	uint64_t shmem_kept;     /* shared memory that other processes map and have not touched */
	uint64_t shmem_named;    /* shared memory that stays: of files on tmpfs with a name */
	uint64_t unlinked_freed; /* files without a name, unless they are held open */
	uint64_t driver_freed;   /* drivers' memory, unless another reference keeps it */
	uint64_t driver_kept;    /* drivers' memory that other processes map */
	uint64_t cached;         /* pages of files that stay in the page cache */
	uint64_t others_more;    /* growth of the PSS of other processes */
	uint64_t swap_freed, hugetlb_freed; /* upper limits */
};

/* Computes the figures of E in *RET. */
void explanation_reckon(const struct explanation *e, struct explanation_figures *ret);

/* Returns true if E->q has QUANTITY. */
static inline bool explanation_has(const struct explanation *e, enum process_quantity quantity)
{
	return (e->present >> quantity) & 1;
}

/*
 * Returns E as a JSON object with exact bytes and all rows, which the caller owns; NULL: out of
 * memory.
 */
json_t *explanation_json(const struct explanation *e);

#endif
