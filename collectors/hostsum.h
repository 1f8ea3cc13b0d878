/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the sums of all rows of an adaptive pass against those of the host (pool.h, ceiling.h):
 *
 *	hostsum_before, hostsum_after   around the looks at all processes: what the host has
 *	hostsum_left                    whenever one is found to have let go of its memory
 *	hostsum_begin                   then
 *	hostsum_add                     of each row
 *	hostsum_end                     false: that was all; else
 *	hostsum_settle                  of each row
 */
#ifndef MEMTALLY_COLLECTORS_HOSTSUM_H
#define MEMTALLY_COLLECTORS_HOSTSUM_H

#include "collectors/ceiling.h"
#include "collectors/meminfo.h"
#include "collectors/pool.h"
#include "collectors/watch.h"
#include "snapshot/record.h"

struct hostsum {
	struct pool pool;
	struct ceiling ceiling;
	uint64_t page_bytes;
	uint32_t cpus;
	bool sees_all;                /* no process of the host is hidden from us */
	struct meminfo before, after; /* the processes were sensed */
	bool has_lower;               /* what was never measured is to be lowered */
	uint64_t absent; /* RSS of those of whom no PSS is shown; UINT64_MAX: not known of all */
	uint64_t leaving, left; /* told to hostsum_left() since the last pass; as of that */
};

void hostsum_init(struct hostsum *h, uint64_t page_bytes);

/* PROC_FD is of /proc. */
void hostsum_before(struct hostsum *h, int proc_fd);
void hostsum_after(struct hostsum *h, int proc_fd);

/*
 * One that had BYTES resident has no address space any more, or another one: for as long as the kernel takes to free the
 * former, its pages are in the host's sums and nobody's.
 */
void hostsum_left(struct hostsum *h, uint64_t bytes);

void hostsum_begin(struct hostsum *h);
void hostsum_add(struct hostsum *h, const struct watch *w, const struct snapshot_process *row);

/* SEES_ALL: no process is hidden from us; IS_WHOLE: and the rows are of about one moment, NOW_NS (CLOCK_BOOTTIME). */
bool hostsum_end(struct hostsum *h, bool sees_all, bool is_whole, uint64_t now_ns);
void hostsum_settle(struct hostsum *h, const struct watch *w, struct snapshot_process *row);

/* What all have together at most, in bytes, by what the host had in the pass and has NOW; UINT64_MAX: nobody knows. */
uint64_t hostsum_most(const struct hostsum *h, const struct meminfo *now);

/* What all those of whom a PSS is shown have together at least; 0: nobody knows. */
uint64_t hostsum_least(const struct hostsum *h, const struct meminfo *now);

#endif
