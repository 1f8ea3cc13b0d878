/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the sums of all rows of an adaptive pass against those of the host (pool.h):
 *
 *	hostsum_before, hostsum_after   before and after the polls of all processes: read the host's sums
 *	hostsum_left                    for each process that has exited or called exec
 *	hostsum_begin                   then
 *	hostsum_add                     for each row
 *	hostsum_end                     if it returns true:
 *	hostsum_settle                  for each row
 */
#ifndef MEMTALLY_COLLECTORS_HOSTSUM_H
#define MEMTALLY_COLLECTORS_HOSTSUM_H

#include "collectors/meminfo.h"
#include "collectors/pool.h"
#include "collectors/watch.h"
#include "snapshot/record.h"

struct hostsum {
	struct pool pool;
	uint64_t page_bytes;
	uint32_t cpus;
	bool sees_all; /* no process of the host is hidden from us */
	/*
	 * Set by the caller: the kernel averages map counts (mapcounts.h). AnonPages and Mapped then count a folio whole
	 * if any page of it is mapped, and the PSS of all does not add up to them: no bound follows but the most.
	 */
	bool is_averaged;
	struct meminfo before, after; /* the processes were sensed */
	uint64_t anon_most,
		file_most;      /* AnonPages and Mapped at most, in bytes; UINT64_MAX: not known */
	bool has_lower;         /* a process that was never measured is shown with more */
	uint64_t absent;        /* RSS of processes without a PSS; UINT64_MAX: not known of all */
	uint64_t leaving, left; /* told to hostsum_left() since the last pass; as of that */
};

void hostsum_init(struct hostsum *h, uint64_t page_bytes);

/* PROC_FD is of /proc. */
void hostsum_before(struct hostsum *h, int proc_fd);
void hostsum_after(struct hostsum *h, int proc_fd);

/*
 * An exited process, or the former image of one that has called exec, had BYTES resident. Call it in each pass in which the
 * kernel may still be freeing them: until then they are in the host's sums and belong to no process.
 */
void hostsum_left(struct hostsum *h, uint64_t bytes);

void hostsum_begin(struct hostsum *h);
void hostsum_add(struct hostsum *h, const struct watch *w, const struct snapshot_process *row);

/* SEES_ALL: no process is hidden from us; IS_WHOLE: and the rows are of about one moment, NOW_NS (CLOCK_BOOTTIME). */
bool hostsum_end(struct hostsum *h, bool sees_all, bool is_whole, uint64_t now_ns);
void hostsum_settle(struct hostsum *h, const struct watch *w, struct snapshot_process *row);

/* What all have together at most, in bytes, by what the host had in the pass and has NOW; UINT64_MAX: nobody knows. */
uint64_t hostsum_most(const struct hostsum *h, const struct meminfo *now);

/* The least that all processes with a shown PSS have together, in bytes; 0: not known, or .is_averaged. */
uint64_t hostsum_least(const struct hostsum *h, const struct meminfo *now);

#endif
