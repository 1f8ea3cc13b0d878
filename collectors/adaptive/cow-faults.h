/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy-on-write Between Two Measurements
 *
 * A write to shared memory copies a page, and moves no counter except the process's minor faults
 * (stat). This module reads the fault counters of processes that share much memory in turn, and
 * more of them if one of them, or the host's sum, shows that some process writes. It tells fork
 * families (fork-families.h) what their members may have written, and what measurements have found.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_COW_FAULTS_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_COW_FAULTS_H

#include "collectors/adaptive/page-walks.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/model/family/fork-families.h"
#include "collectors/process/process-table.h"

struct cow_faults {
	struct families *families;         /* borrowed */
	struct process_reader *reader;     /* borrowed */
	const struct process_table *table; /* borrowed */
	uint64_t page_bytes;
	uint64_t turn; /* number of passes so far; with a pid it says which passes read it */
	/* begin of this pass (CLOCK_BOOTTIME); a counter read later was read in this pass */
	uint64_t begin_ns;
	uint64_t left; /* counters that this pass may still read out of turn */
	/* the index in the process table at which reading out of turn continues */
	size_t first;
};

/*
 * Makes F ready for its first pass. FAMILIES, READER and TABLE stay borrowed as long as F is used.
 * PAGE_BYTES is the kernel's page size.
 */
void cow_faults_init(struct cow_faults *f, struct families *families, struct process_reader *reader,
	const struct process_table *table, uint64_t page_bytes);

/* Returns the bytes of PSS that T would gain if no other process shared its anonymous memory. */
uint64_t cow_faults_room(const struct tracked *t);

/*
 * Returns the bytes of PSS that T may have gained by copy-on-write breaks, by its faults and its
 * family.
 */
uint64_t cow_faults_broken(const struct tracked *t);

/*
 * Returns the same, and in addition what other members are suspected of and what only unread fault
 * counters leave possible.
 */
uint64_t cow_faults_suspected(const struct tracked *t);

/*
 * Returns the bytes of T's high bound that are only for unread faults: no reason to measure T,
 * since reading its faults is cheaper.
 */
uint64_t cow_faults_unread(const struct tracked *t);

/*
 * P was measured at NOW_NS by the walk WALKED, where BEFORE was expected, and its family does not
 * know that yet. Tells the processes that share memory with P how much P has written to since its
 * former measurement, and withdraws what P was suspected of. Returns true if P has certainly
 * written, by its faults: then the measurement says nothing about sharers.
 */
bool cow_faults_found(const struct cow_faults *f, struct process *p,
	const struct page_walk_result *walked, const struct estimate *before, uint64_t now_ns);

/*
 * Keeps the fault counter of P, which was measured by the walk WALKED, if P shares enough memory
 * for that to matter; reads it if WALKED does not have it. MAX_AGE_NS is the maximum age of a
 * measurement.
 */
void cow_faults_measured(const struct cow_faults *f, struct process *p,
	const struct page_walk_result *walked, uint64_t max_age_ns);

/*
 * Reads fault counters, as part of a pass:
 * - of the 64 processes that share most, if each shares more than 128 MiB of anonymous memory,
 *   whatever is left of the budget;
 * - of others in turn: of each about four times within MAX_AGE_NS, at most once a pass;
 * - out of turn, of families in which a process has written within MAX_AGE_NS, of processes that
 *   were measured within 30 s of their birth, and of those left out before. This takes at most a
 *   quarter of AVAILABLE_NS, the CPU tokens that are left, so that a process that writes much does
 *   not use up what other estimates need.
 *
 * INTERVAL_NS is the interval of passes, and must be at least 1. If the rest would not suffice for
 * cow_faults_alarmed(), a process without a reading for longer than INTERVAL_NS is suspected of any
 * writes.
 */
void cow_faults_look(
	struct cow_faults *f, uint64_t interval_ns, uint64_t max_age_ns, uint64_t available_ns);

/*
 * Reads the counters of all processes that this pass has not read, up to what cow_faults_look() has
 * left: the host's sum shows that some process writes (host_drift_alarms()).
 */
void cow_faults_alarmed(struct cow_faults *f);

#endif
