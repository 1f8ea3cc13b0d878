/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of Page Tables
 *
 * Predicts how a process would be walked and what that would cost, walks it, whole or by slices,
 * and learns from the cost. The CPU of each read is charged to the budget here, whatever becomes of
 * the walk. The caller handles the sample, and asks the budget before each read.
 *
 * The first walk of a process that was there before memtallyd is excused: it waits for no tokens
 * and is not charged.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_PAGE_WALKS_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_PAGE_WALKS_H

#include "collectors/adaptive/smaps-slices.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/schedule/cpu-budget.h"
#include "collectors/schedule/walk-cost.h"

/* Since the start. */
struct page_walks_counts {
	uint64_t reads[WALK_COST_WAYS];
	uint64_t slices, discarded;     /* slices read; walks by slices without a result */
	uint64_t predicted_ns, used_ns; /* CPU; .used_ns includes walks without a result */
};

/* How a process is to be walked, and the predicted cost. */
struct page_walk_forecast {
	enum walk_cost_way way;
	struct walk_cost_work work;
	struct walk_cost_prediction prediction;
	/* a single mapping is predicted to hold the lock for longer than the stall budget */
	bool is_giant;
	bool is_excused;
};

/* A finished walk. */
struct page_walk_result {
	enum walk_cost_way way;
	uint64_t cpu_ns;
	uint64_t largest_rss; /* of its largest mapping, by slices; bytes */
	struct statm before;  /* statm at the beginning of a walk by slices, if .has_before */
	/* minor faults before the walk, if .has_faults: later copy-on-write breaks cause further
	 * ones */
	uint32_t faults;
	bool has_before, has_faults, is_excused;
};

/* A walk by slices that is not finished. */
struct page_walk {
	struct smaps_slices slices;
	struct page_walk_result result; /* so far; .cpu_ns of its slices of smaps */
	uint64_t predicted_ns;
	uint64_t ready_ns; /* CLOCK_MONOTONIC: end of its pause */
};

/* More than one, so that a long walk does not keep others waiting. */
enum { PAGE_WALKS_AT_ONCE = 4 };

struct page_walks {
	struct process_reader *reader; /* borrowed */
	struct cpu_budget *budget;     /* borrowed */
	uint64_t page_bytes;
	uint64_t stall_ns; /* the longest hold that is allowed */
	/* walks do not block mmap on this kernel (lock trial): slices are not needed */
	bool is_undisturbing;
	/* first walks of processes that were there are excused; false while they have to wait all
	 * the same */
	bool excuses;
	uint64_t slice_ns; /* length of a slice; more than half of .stall_ns is not used */
	struct walk_cost_model model[WALK_COST_WAYS];
	struct page_walk walk[PAGE_WALKS_AT_ONCE];
	unsigned int under_way;
	struct page_walks_counts counts;
};

/* Makes W ready, without walks. READER and BUDGET are borrowed until page_walks_done(). */
void page_walks_init(struct page_walks *w, struct process_reader *reader, struct cpu_budget *budget,
	uint64_t page_bytes);

/* Frees what W owns, and ends its walks. */
void page_walks_done(struct page_walks *w);

/*
 * Ends the walk of P by slices, if there is one, without a result. Call it when P has another
 * image, or before P is freed.
 */
void page_walks_forget(struct page_walks *w, const struct process *p);

/* Predicts the next walk of T, in the way that the stall budget allows. */
struct page_walk_forecast page_walks_forecast(const struct page_walks *w, const struct tracked *t);

/*
 * Walks P at once, by process_read(). Returns 0 with the sample in *RET and the walk in
 * *RET_WALKED, or -ENOMEM.
 */
int page_walks_whole(struct page_walks *w, struct process *p, const struct page_walk_forecast *f,
	uint64_t now_ns, struct sample *ret, struct page_walk_result *ret_walked);

/* Returns true if P is being walked by slices. */
bool page_walks_has(const struct page_walks *w, const struct process *p);

/* Returns true if another walk by slices may begin. */
static inline bool page_walks_have_room(const struct page_walks *w)
{
	return w->under_way < PAGE_WALKS_AT_ONCE;
}

enum page_walks_outcome {
	/* *RET is a sample of process_look(); a walk has begun, or is not possible now */
	PAGE_WALKS_LOOKED = 1,
	PAGE_WALKS_MORE, /* there is more to walk, after a pause */
	/* the walk was abandoned: a mapping is too large, as page_walks_forecast() now says, too */
	PAGE_WALKS_GIANT,
};

/*
 * Begins to walk P by slices; page_walks_have_room() must be true. Returns 0 if the walk is over
 * already, with *RET and *RET_WALKED; PAGE_WALKS_LOOKED; or -ENOMEM.
 */
int page_walks_begin_slices(struct page_walks *w, struct process *p,
	const struct page_walk_forecast *f, uint64_t now_ns, struct sample *ret,
	struct page_walk_result *ret_walked);

/*
 * Returns when the next slice may be read (CLOCK_MONOTONIC), with EXCUSED_ALONE of an excused walk
 * only; UINT64_MAX if there is no walk.
 */
uint64_t page_walks_next_ns(const struct page_walks *w, bool excused_alone);

/*
 * Reads the next slice of the walk that has waited longest, of those that page_walks_next_ns()
 * considers; there must be one. If the worker that read for a walk is gone, because a read of
 * another process has blocked, the walk begins again and is not over. After SMAPS_SLICES_LOSSES
 * such losses the next one ends the walk with OUTCOME_ERROR: the last measurement of the process
 * stays, and its next walk is planned like any other. Returns 0 if the walk is over, with *RET,
 * *RET_PROCESS and *RET_WALKED; PAGE_WALKS_MORE; PAGE_WALKS_GIANT; or -ENOMEM.
 */
int page_walks_step(struct page_walks *w, bool excused_alone, uint64_t now_ns, struct sample *ret,
	struct process **ret_process, struct page_walk_result *ret_walked);

/* Learns from the walk WALKED of P. P's tracked process has its result SAMPLE already. */
void page_walks_learn(struct page_walks *w, struct process *p, const struct sample *sample,
	const struct page_walk_result *walked);

#endif
