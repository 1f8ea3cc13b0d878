/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharers of memory among the processes that adaptive passes track: passes events on to
 * fork-families.h, reads the maps that it wants, and keeps its doubts.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_STATE_H

#include "collectors/adaptive/tracked.h"
#include "collectors/model/fork-families.h"
#include "collectors/process/process-table.h"

struct sharing_state {
	struct families kin;
	uint64_t begin_ns, previous_ns; /* CLOCK_BOOTTIME of this pass and of the one before */
};

/* Makes R empty, with a random seed for its hash tables. */
void sharing_state_init(struct sharing_state *r);

/* Frees R. Call it after sharing_state_ended() of every process. */
void sharing_state_done(struct sharing_state *r);

/* The next pass counts as the first: nothing is known of the time before. */
void sharing_state_restart(struct sharing_state *r);

/* A pass is about to list the processes, at NOW_NS (CLOCK_BOOTTIME). */
void sharing_state_begin(struct sharing_state *r, uint64_t now_ns);

/* The pass has polled all processes, at NOW_NS (CLOCK_BOOTTIME). */
void sharing_state_sensed(struct sharing_state *r, uint64_t now_ns);

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

/* W's process is gone, or with IS_EXEC runs another image. */
void sharing_state_ended(struct sharing_state *r, struct tracked *w, bool is_exec);

/*
 * W is exiting, and the kernel frees its memory: W keeps its relations until sharing_state_ended().
 * Its measurement is void.
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
 * P was measured just now; its base has the result. Does all that follows, in the only right order:
 * corrects P's family and sharers, and the low bound of P's parent in TABLE; reads P's maps if they
 * are wanted (which may block, see workers.h); and notes by how much P was below the estimate. P's
 * doubt is void.
 */
void sharing_state_measured(struct sharing_state *r, const struct process_table *table,
	struct process_reader *reader, struct process *p, const struct sharing_state_finding *f,
	uint64_t page_bytes);

/*
 * Does the same for P, measured at NOW_NS, if its relations begin only now: without a former state.
 */
void sharing_state_met(struct sharing_state *r, const struct process_table *table,
	struct process_reader *reader, struct process *p, uint64_t now_ns, uint64_t page_bytes);

/* W can no longer be measured: its measurement, and everything that follows from it, is void. */
void sharing_state_unmeasured(struct tracked *w);

/* Call after all events of a pass: renews the doubts of affected processes. */
void sharing_state_renew(struct sharing_state *r, uint64_t page_bytes);

/*
 * W, which was measured, has FAULTS minor faults at NOW_NS: computes how much shared memory it may
 * have written since its measurement.
 */
void sharing_state_faulted(
	struct tracked *w, uint64_t faults, uint64_t page_bytes, uint64_t now_ns);

/*
 * W's faults could not be read until NOW_NS, or W could not be measured. Until they are, the high
 * bounds of W and its family allow for writes to all of its shared memory.
 */
void sharing_state_unwatched(struct tracked *w, uint64_t page_bytes, uint64_t now_ns);

/*
 * Returns the bytes of W's high bound that are only for unread faults: no reason to measure W,
 * since reading its faults is cheaper.
 */
uint64_t sharing_state_unlooked(const struct tracked *w);

/*
 * Call before sharing_state_measured(): W was measured again, where BEFORE was expected. Tells its
 * family about its private copies: at most WRITTEN bytes (UINT64_MAX: not known), made before
 * AT_NS. Other growth is memory that sharers have released. Returns true if W has certainly
 * written: then the result says nothing about sharers.
 */
bool sharing_state_broke(struct sharing_state *r, struct tracked *w, const struct estimate *before,
	uint64_t written, uint64_t at_ns);

/*
 * W was measured again, where BEFORE was expected. If it has less, an unlisted process shares with
 * it, which may be gone before the next pass: then W's PSS grows again by that.
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
