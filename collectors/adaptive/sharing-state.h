/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharers of memory among the processes that adaptive passes track: passes events on to
 * fork-families.h, reads the maps that it wants, and keeps its doubts.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H

#include "collectors/adaptive/tracked.h"
#include "collectors/model/family/fork-families.h"
#include "collectors/process/process-table.h"

struct sharing_state {
	struct families families;
	uint64_t begin_ns, previous_ns; /* CLOCK_BOOTTIME of this pass and of the one before */
};

/* Makes R empty, with a random seed for its hash tables. */
void sharing_state_init(struct sharing_state *r);

/* Frees R. Call it after sharing_state_ended() of every process. */
void sharing_state_done(struct sharing_state *r);

/*
 * Makes the next pass count as the first: a process that it finds was not forked from any process
 * that R knows.
 */
void sharing_state_restart(struct sharing_state *r);

/*
 * Call when a pass is about to list the processes, at NOW_NS (CLOCK_BOOTTIME): remembers the
 * beginning of this pass and of the last one, by which births are dated.
 */
void sharing_state_begin(struct sharing_state *r, uint64_t now_ns);

/*
 * Call when the pass has polled all processes, at NOW_NS (CLOCK_BOOTTIME): from now on measurements
 * since the last such call get doubts for their mapped objects, because all sharers are known
 * (families_polled()).
 */
void sharing_state_polled(struct sharing_state *r, uint64_t now_ns);

/*
 * Returns the process in TABLE that P, started at BORN_NS (CLOCK_BOOTTIME), looks forked from;
 * NULL: there is none.
 */
struct process *sharing_state_parent(const struct sharing_state *r,
	const struct process_table *table, const struct process *p, uint64_t born_ns);

/*
 * Begins the relations of P, started at BORN_NS by a fork of PARENT (NULL: not known). If there is
 * no memory (malloc), P has none.
 */
void sharing_state_born(struct sharing_state *r, struct process *p, struct process *parent,
	uint64_t born_ns, uint64_t page_bytes);

/*
 * Call when W's process has exited or, with IS_EXEC, has called exec: puts its sharers in doubt,
 * and drops W's doubt. After an exit W has no relations; after an exec they begin again.
 */
void sharing_state_ended(struct sharing_state *r, struct tracked *w, bool is_exec);

/*
 * Call when W is exiting, while the kernel frees its memory: makes W's measurement void. W keeps
 * its relations until sharing_state_ended().
 */
void sharing_state_leaves(struct sharing_state *r, struct tracked *w);

/* State of a process before it was measured again, and further facts of the measurement. */
struct sharing_state_finding {
	/* Its former base; NULL: there was none, or it has written to shared memory, so that the
	 * result says nothing about sharers. */
	const struct estimate_base *before;
	const struct estimate *expected; /* the estimate just before; NULL: it had no base */
	uint64_t now_ns;                 /* CLOCK_BOOTTIME of the measurement */
};

/*
 * Call when P was just measured and its base has the result. Does all that follows, in the only
 * right order: corrects P's family and sharers, and the low bound of P's parent in TABLE; reads P's
 * maps if they are wanted (which may block, see workers.h); and notes by how much P was below the
 * estimate. Drops P's doubt.
 */
void sharing_state_measured(struct sharing_state *r, const struct process_table *table,
	struct process_reader *reader, struct process *p, const struct sharing_state_finding *f,
	uint64_t page_bytes);

/*
 * Call instead of sharing_state_measured() if P was measured at NOW_NS and its relations begin only
 * now: does the same, without a former state to compare with.
 */
void sharing_state_first_measured(struct sharing_state *r, const struct process_table *table,
	struct process_reader *reader, struct process *p, uint64_t now_ns, uint64_t page_bytes);

/*
 * Call when W can no longer be measured: drops its measurement, its doubt, and what its faults say.
 * W then represents no other process.
 */
void sharing_state_unmeasured(struct tracked *w);

/* Call after all events of a pass: computes the doubts of the affected processes anew. */
void sharing_state_renew(struct sharing_state *r, uint64_t page_bytes);

/*
 * Call when W, which was measured, has FAULTS minor faults at NOW_NS: computes how much shared
 * memory W may have written since its measurement, and puts its family in doubt by as much.
 */
void sharing_state_faulted(
	struct tracked *w, uint64_t faults, uint64_t page_bytes, uint64_t now_ns);

/*
 * Call when W's faults could not be read until NOW_NS, or W could not be measured. Until they are,
 * the high bounds of W and its family allow for writes to all of its shared memory.
 */
void sharing_state_unwatched(struct tracked *w, uint64_t page_bytes, uint64_t now_ns);

/*
 * Returns the bytes of W's high bound that are only for unread faults: no reason to measure W,
 * since reading its faults is cheaper.
 */
uint64_t sharing_state_unlooked(const struct tracked *w);

/*
 * Call before sharing_state_measured() if W was measured again, where BEFORE was expected. Tells
 * its family about its private copies: at most WRITTEN bytes (UINT64_MAX: not known), made before
 * AT_NS. Other growth is memory that sharers have released. Withdraws what W was suspected of.
 * Returns true if W has certainly written: then the result says nothing about sharers.
 */
bool sharing_state_broke(struct sharing_state *r, struct tracked *w, const struct estimate *before,
	uint64_t written, uint64_t at_ns);

/*
 * Call when W was measured again, where BEFORE was expected: sets .fell_anon_kib and .fell_file_kib
 * to what W has less. By these W's high bound rises: an unlisted process shares with W, and if it
 * exits before the next pass, W's PSS grows again by as much.
 */
void sharing_state_fell(struct tracked *w, const struct estimate *before);

/*
 * Returns the bytes of PSS that W may have gained by copy-on-write breaks, by its faults and its
 * family.
 */
uint64_t sharing_state_broken(const struct tracked *w);

/*
 * Returns the same, and in addition what other members are suspected of and what only unread fault
 * counters leave possible.
 */
uint64_t sharing_state_suspected(const struct tracked *w);

/* Returns the bytes of PSS that W would gain if no other process shared its anonymous memory. */
uint64_t sharing_state_room(const struct tracked *w);

/*
 * Returns the bytes of W that births and exits are expected to have changed since its measurement:
 * the part of the family that was born or has exited, applied to W's shared memory, and guesses.
 * Returns 0 if there were no births or exits.
 */
uint64_t sharing_state_likely(const struct tracked *w);

/*
 * Returns the bytes of W's doubt that come from pages which sharers may have touched or released
 * but probably have not: no reason to measure W.
 */
uint64_t sharing_state_stirred(const struct tracked *w);

/*
 * Returns the bytes that W may have in addition because of its measurement itself: writes since
 * then, if it was measured right after its birth; and unlisted sharers that may be gone.
 */
uint64_t sharing_state_unsettled(const struct tracked *w);

/*
 * Returns true if sharers have moved W's PSS by so much (by births, exits or touched pages) that it
 * should be measured soon.
 */
bool sharing_state_shifted(const struct tracked *w);

/*
 * Returns the bytes of shared memory, of none of its known mapped objects, by which W has grown
 * since its measurement.
 */
uint64_t sharing_state_strayed(const struct tracked *w, uint64_t page_bytes);

/* Returns the process with a measurement that represents W, which has none; NULL: there is none. */
const struct tracked *sharing_state_speaker(const struct tracked *w);

/*
 * Estimates W in *RET, with the additional doubt MORE (NULL: none). *RET_SPEAKER, if not NULL,
 * becomes the process with the measurement that was used. Returns false if W was never measured and
 * no other process represents it.
 */
bool sharing_state_estimate(const struct tracked *w, uint64_t page_bytes,
	const struct estimate_doubt *more, struct estimate *ret,
	const struct tracked **ret_speaker);

#endif
