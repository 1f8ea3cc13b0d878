/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan of all processes for `memtally sharing`: reads them one after the other and counts their
 * pages.
 */
#ifndef MEMTALLY_CLI_SHARING_SHARING_WALK_H
#define MEMTALLY_CLI_SHARING_SHARING_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/sharing/progress.h"
#include "cli/sharing/groups.h"
#include "cli/sharing/sharing-options.h"
#include "cli/sharing/sharing-row.h"
#include "collectors/procfs/procfs.h"
#include "config/settings.h"
#include "inspect/frames/frame-mappers.h"

/* Results for a group. The counts are processes, by outcome. */
struct sharing_tally {
	uint64_t page_tables; /* bytes */
	uint32_t read, denied, blocked, ended;
};

struct sharing_walk {
	const struct inspection *options; /* borrowed */
	const struct view *view;          /* borrowed; the snapshot with the processes */
	struct procfs procfs;
	struct groups groups;         /* owned */
	struct sharing_tally *tally;  /* owned; by group */
	struct frame_mappers mappers; /* complete after sharing_walk_all() */
	struct progress progress;
	struct sharing_statistics statistics;
	uint64_t begin_ns; /* CLOCK_MONOTONIC, ns */
	bool has_failed;   /* a chosen process could not be read: see sharing_walk_all() */
	pid_t refused;     /* a process that could not be read; 0: there is none */
};

/*
 * Begins a scan: opens the files that need root's rights. The caller then sets .view and .groups. W
 * must not move until sharing_walk_done(), which must follow also after a failure. Returns 0;
 * -ECANCELED if rights are missing or /proc cannot be opened, which has been logged.
 */
int sharing_walk_open(struct sharing_walk *w, const struct inspection *options);

/* Closes and frees what W owns. */
void sharing_walk_done(struct sharing_walk *w);
#define AUTO_SHARING_WALK CLEANUP(sharing_walk_done)

/*
 * Reads the processes in .groups, which are of .view, and counts their pages. Shows its progress on
 * a terminal. Logs why a chosen process could not be read. Returns 0; -ENOMEM; -ERANGE
 * (frame-map.h); or a negative errno of read().
 */
int sharing_walk_all(struct sharing_walk *w);

/*
 * Returns true if it is known which places in swap a group has alone: every process that may have
 * pages in swap was read. The kernel does not count the users of a place in swap.
 */
bool sharing_walk_tells_swap(const struct sharing_walk *w);

#endif
