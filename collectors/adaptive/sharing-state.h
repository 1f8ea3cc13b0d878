/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharers of memory among the processes that adaptive passes track: passes events on to
 * fork-families.h and cow-faults.h, reads the maps that are wanted, and keeps doubts.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H

#include "collectors/adaptive/cow-faults.h"
#include "collectors/adaptive/page-walks.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/model/family/fork-families.h"
#include "collectors/process/process-table.h"

struct sharing_state {
	struct families families;
	struct cow_faults faults;          /* possible copy-on-write breaks */
	struct process_reader *reader;     /* borrowed */
	const struct process_table *table; /* borrowed */
	uint64_t page_bytes;
};

/*
 * Makes S empty, with a random seed for its hash tables. S must not move. READER and TABLE are
 * borrowed until sharing_state_done(). PAGE_BYTES is the kernel's page size.
 */
void sharing_state_init(struct sharing_state *s, struct process_reader *reader,
	const struct process_table *table, uint64_t page_bytes);

/* Frees S, in which no process has relations any more (sharing_state_ended()). */
void sharing_state_done(struct sharing_state *s);

/*
 * Returns the process that P, started at BORN_NS (CLOCK_BOOTTIME), looks forked from; NULL: there
 * is none. PREVIOUS_NS is the beginning of the last pass, 0: there was none. A process that was
 * there before it is no process's child.
 */
struct process *sharing_state_parent(const struct sharing_state *s, const struct process *p,
	uint64_t born_ns, uint64_t previous_ns);

/*
 * Begins the relations of P, started at BORN_NS by a fork of PARENT (NULL: not known). If there is
 * no memory (malloc), P has none.
 */
void sharing_state_born(
	struct sharing_state *s, struct process *p, struct process *parent, uint64_t born_ns);

/*
 * T's process has exited or, with IS_EXEC, has called exec: puts its sharers in doubt, and drops
 * T's doubt. After an exit T has no relations; after an exec they begin again.
 */
void sharing_state_ended(struct sharing_state *s, struct tracked *t, bool is_exec);

/*
 * T is exiting, and the kernel frees its memory: makes T's measurement void. T keeps its relations
 * until sharing_state_ended().
 */
void sharing_state_leaves(struct sharing_state *s, struct tracked *t);

/* A measurement of a process, and the process's state just before it. */
struct sharing_state_finding {
	const struct estimate_base *before; /* its former base; NULL: there was none */
	const struct estimate *expected;    /* the estimate just before; if .before is not NULL */
	const struct page_walk_result *walked;
	uint64_t now_ns;     /* CLOCK_BOOTTIME of the measurement */
	uint64_t max_age_ns; /* the maximum age of a measurement */
};

/*
 * P has a new base, as F says. Does all that follows, in the only right order: tells sharers what P
 * has written to; corrects P's family and sharers, and the low bound of P's parent; reads P's maps
 * if they are wanted (which may block, see workers.h); notes by how much P was below the estimate;
 * and keeps P's fault counter. Drops P's doubt.
 */
void sharing_state_measured(
	struct sharing_state *s, struct process *p, const struct sharing_state_finding *f);

/*
 * Does the same as sharing_state_measured() for the last measurement of P, if P's relations have
 * begun only after it: there is no former state to compare with.
 */
void sharing_state_first_measured(struct sharing_state *s, struct process *p);

/*
 * Sets .fell_anon_kib and .fell_file_kib to what T's base has less than BEFORE, the estimate that
 * was expected. By these T's high bound rises: an unlisted process shares with T, and if it exits
 * before the next pass, T's PSS grows again by as much. A part of sharing_state_measured().
 */
void sharing_state_fell(struct tracked *t, const struct estimate *before);

/*
 * T can no longer be measured: drops its measurement, its doubt, and what its faults say. T then
 * represents no other process.
 */
void sharing_state_unmeasured(struct tracked *t);

/*
 * Ends the polls of a brief pass at NOW_NS (CLOCK_BOOTTIME): as sharing_state_end_polls(), but reads
 * no counters of faults, and leaves the doubts to sharing_state_renew().
 */
void sharing_state_end_brief_polls(struct sharing_state *s, uint64_t now_ns);

/*
 * All processes have been polled, at NOW_NS (CLOCK_BOOTTIME): measurements since the last such call
 * get doubts for their mapped objects, because all sharers are known now; fault counters that are
 * due are read (cow_faults_look() says what the last three are); and doubts are renewed.
 */
void sharing_state_end_polls(struct sharing_state *s, uint64_t now_ns, uint64_t interval_ns,
	uint64_t max_age_ns, uint64_t available_ns);

/* Computes the doubts of the processes anew that events and measurements have affected. */
void sharing_state_renew(struct sharing_state *s);

/*
 * Returns the bytes of T that births and exits are expected to have changed since its measurement:
 * the part of the family that was born or has exited, applied to T's shared memory, and guesses.
 * Returns 0 if there were no births or exits.
 */
uint64_t sharing_state_likely(const struct tracked *t);

/*
 * Returns the bytes of T's doubt that come from pages which sharers may have touched or released
 * but probably have not: no reason to measure T.
 */
uint64_t sharing_state_stirred(const struct tracked *t);

/*
 * Returns the bytes that T may have in addition because unlisted sharers that its measurement
 * implied may be gone.
 */
uint64_t sharing_state_unsettled(const struct tracked *t);

/*
 * Returns true if sharers have moved T's PSS by so much (by births, exits or touched pages) that it
 * should be measured soon.
 */
bool sharing_state_shifted(const struct tracked *t);

/*
 * Returns the bytes of shared memory, of none of its known mapped objects, by which T has grown
 * since its measurement.
 */
uint64_t sharing_state_strayed(const struct tracked *t, uint64_t page_bytes);

/* Returns the process with a measurement that represents T, which has none; NULL: there is none. */
const struct tracked *sharing_state_speaker(const struct tracked *t);

/*
 * Estimates T in *RET, with the additional doubt MORE (NULL: none). *RET_SPEAKER, if not NULL,
 * becomes the process with the measurement that was used. Returns false if T was never measured and
 * no other process represents it.
 */
bool sharing_state_estimate(const struct tracked *t, uint64_t page_bytes,
	const struct estimate_doubt *more, struct estimate *ret,
	const struct tracked **ret_speaker);

#endif
