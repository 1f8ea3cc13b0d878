/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Map count trial: a child process finds out whether the kernel counts the mappings of each page.
 *
 * A kernel counts for each page of a large folio how often it is mapped. With
 * CONFIG_NO_PAGE_MAPCOUNT (Linux 6.15) it counts only for the whole folio. Then smaps divides each
 * page by the folio's rounded mean, and the PSS of shared pages may be too high or too low.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_SELF_MAPCOUNTS_H
#define MEMTALLY_COLLECTORS_PROCESS_SELF_MAPCOUNTS_H

#include <stdint.h>
#include <sys/types.h>

#include "collectors/procfs/smaps.h"
#include "snapshot/record.h"

enum mapcounts_verdict {
	MAPCOUNTS_UNKNOWN, /* not tried yet, or no huge page was available: taken for exact */
	MAPCOUNTS_EXACT,
	MAPCOUNTS_AVERAGED,
};

/*
 * Judges two readings of smaps_rollup of a process that shares a dirty huge page of HUGE_BYTES with
 * its child: BEFORE, while both map all of it, and AFTER the child has unmapped half. Compares
 * Shared_Dirty. On an exact kernel it falls by half of HUGE_BYTES; on an averaging one it stays.
 * Returns UNKNOWN if BEFORE has no huge page, or for any other difference. Pure.
 */
enum mapcounts_verdict mapcounts_judge(
	const struct smaps *before, const struct smaps *after, uint64_t huge_bytes);

struct mapcounts {
	enum mapcounts_verdict verdict;
	pid_t pid; /* of the child; 0: none */
	int fd;    /* read end of the pipe for the child's verdict; -1: none */
};

void mapcounts_init(struct mapcounts *m);

/* Kills the child of a trial that is under way, and waits for it. */
void mapcounts_done(struct mapcounts *m);

/*
 * Forks a child that makes the trial, and returns at once. The child takes a few ms of CPU and at
 * most 4 MiB, has no rights and no other descriptor, and ends with its parent. Does nothing if a
 * trial is under way. Returns 0, or a negative errno of fork() or pipe2(): the verdict stays
 * unknown.
 */
int mapcounts_ask(struct mapcounts *m);

/* Sets the verdict if the child has exited; never waits. */
void mapcounts_answer(struct mapcounts *m);

/* Waits for the verdict for at most TIMEOUT_MS, and ends the trial. */
void mapcounts_await(struct mapcounts *m, int timeout_ms);

/*
 * Returns an upper bound of the host's anonymous memory in large folios, in bytes: the sum of
 * nr_anon below FOLDER, /sys/kernel/mm/transparent_hugepage. Returns UINT64_MAX if the kernel does
 * not say (before Linux 6.12).
 */
uint64_t mapcounts_large_anon(const char *folder);

/*
 * Widens the bounds of ROW's PSS, which must have them, by the error that averaged map counts may
 * cause: any shared page of a large folio may be mapped by this process alone, or by many.
 * LARGE_ANON limits it for anonymous memory: mapcounts_large_anon()'s value, or 0 to widen by files
 * and shared memory alone, for which no limit is known. Pages that smaps shows as private are
 * certain. Pure.
 */
void mapcounts_widen(struct snapshot_process *row, uint64_t large_anon);

#endif
