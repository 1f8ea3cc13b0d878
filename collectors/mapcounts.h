/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Map counts of large folios. A kernel counts for each page of a large folio how often it is mapped, or, with
 * CONFIG_NO_PAGE_MAPCOUNT (Linux 6.15), only for the whole folio: then smaps divides each page by the folio's rounded mean,
 * and the PSS of shared pages may be wrong either way. A trial by a child process tells which kernel this is.
 */
#ifndef MEMTALLY_COLLECTORS_MAPCOUNTS_H
#define MEMTALLY_COLLECTORS_MAPCOUNTS_H

#include <stdint.h>
#include <sys/types.h>

#include "collectors/smaps.h"
#include "snapshot/record.h"

enum mapcounts_verdict {
	MAPCOUNTS_UNKNOWN, /* not tried yet, or no huge page was to be had; taken for exact */
	MAPCOUNTS_EXACT,
	MAPCOUNTS_AVERAGED,
};

/*
 * Judges two readings of smaps_rollup of a process that shares a dirty huge page of HUGE_BYTES with its child: BEFORE, while both
 * map all of it, and AFTER the child has unmapped half. Compares Shared_Dirty. On an exact kernel as much less is shared; on an
 * averaging one it is all shared still. UNKNOWN if BEFORE has no huge page, or the difference is neither. Pure.
 */
enum mapcounts_verdict mapcounts_judge(
	const struct smaps *before, const struct smaps *after, uint64_t huge_bytes);

struct mapcounts {
	enum mapcounts_verdict verdict;
	pid_t pid; /* of the child; 0: none */
	int fd;    /* where its verdict comes from; -1: none */
};

void mapcounts_init(struct mapcounts *m);

/* Ends a trial that is under way. */
void mapcounts_done(struct mapcounts *m);

/*
 * Starts the trial and returns at once. The child takes a few ms of CPU and at most 4 MiB, has no rights, no other descriptor
 * and ends with its parent. Negative errno of fork() or pipe2(): the verdict stays unknown.
 */
int mapcounts_ask(struct mapcounts *m);

/* Takes the verdict if the child has ended; never waits. */
void mapcounts_answer(struct mapcounts *m);

/* Waits for the verdict for at most TIMEOUT_MS, and ends the trial. */
void mapcounts_await(struct mapcounts *m, int timeout_ms);

/*
 * Returns how many bytes of the host's anonymous memory are in large folios, at most: the sum of nr_anon below FOLDER,
 * /sys/kernel/mm/transparent_hugepage. UINT64_MAX if the kernel does not say (before Linux 6.12).
 */
uint64_t mapcounts_large_anon(const char *folder);

/*
 * Widens the bounds of ROW's PSS, which has them, by what averaged map counts may do to it: any shared page of a large folio
 * may be mapped by this process alone, or by many. LARGE_ANON is mapcounts_large_anon()'s; of files and shared memory
 * no such amount is known, so that LARGE_ANON 0 widens by these alone. Pages that are private by smaps are certain. Pure.
 */
void mapcounts_widen(struct snapshot_process *row, uint64_t large_anon);

#endif
