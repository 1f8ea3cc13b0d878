/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of page tables: how one would be made and what it would cost, making it, whole or by slices, and what it
 * teaches. What each read has used is charged to the budget here, whatever becomes of the walk. What its sample
 * means for the process is the caller's, who also asks the budget before each read.
 *
 * Of those that were there before memtallyd the first walk is excused: it waits for no tokens and is not charged.
 */
#ifndef MEMTALLY_COLLECTORS_WALKS_H
#define MEMTALLY_COLLECTORS_WALKS_H

#include "collectors/budget.h"
#include "collectors/cost.h"
#include "collectors/slices.h"
#include "collectors/watch.h"

/* Since the start. */
struct walks_counts {
	uint64_t reads[COST_WAYS];
	uint64_t slices, discarded;     /* slices read; walks by slices that came to nothing */
	uint64_t predicted_ns, used_ns; /* CPU, also of the latter */
};

/* In which way a process is to be measured, and what it will cost. */
struct forecast {
	enum cost_way way;
	struct cost_work work;
	struct cost_prediction prediction;
	bool is_giant; /* one mapping alone is predicted to be above the stall budget */
	bool is_excused;
};

/* Of a walk that is over. */
struct walked {
	enum cost_way way;
	uint64_t cpu_ns;
	uint64_t largest_rss; /* of its mappings, by slices; bytes */
	struct statm before;  /* as a walk by slices began, if .has_before */
	uint32_t
		faults; /* that it had before the walk, if .has_faults: of what it writes to later this knows nothing */
	bool has_before, has_faults, is_excused;
};

/* One by slices that is under way. */
struct walk {
	struct slices slices;
	uint64_t cpu_ns; /* of its slices of smaps */
	uint64_t predicted_ns;
	uint64_t ready_ns; /* CLOCK_MONOTONIC at which its pause is over */
	struct statm before;
	uint32_t faults;
	bool has_before, has_faults, is_excused;
};

/* One that is long does not keep others waiting. */
enum { WALKS_AT_ONCE = 4 };

struct walks {
	struct process_reader *reader; /* borrowed */
	struct budget *budget;         /* borrowed */
	uint64_t page_bytes;
	uint64_t stall_ns;    /* the longest hold that is allowed */
	bool is_undisturbing; /* no walk keeps its process waiting: there is nothing to slice */
	bool excuses;         /* those that were there: not where they have to wait all the same */
	uint64_t slice_ns; /* how long a slice goes on, but never for more than half of .stall_ns */
	struct cost_model model[COST_WAYS];
	struct walk walk[WALKS_AT_ONCE];
	unsigned int under_way;
	struct walks_counts counts;
};

/* READER and BUDGET stay borrowed. */
void walks_init(
	struct walks *s, struct process_reader *reader, struct budget *budget, uint64_t page_bytes);
void walks_done(struct walks *s);

/* P is another image from now on, or about to be forgotten: ends its walk by slices. */
void walks_forget(struct walks *s, const struct process *p);

struct forecast walks_forecast(const struct walks *s, const struct watch *w);

/* Measures P at once, as process_read() does. */
int walks_whole(struct walks *s, struct process *p, const struct forecast *f, uint64_t now_ns,
	struct sample *ret, struct walked *ret_walked);

/* Whether P is being walked by slices. */
bool walks_has(const struct walks *s, const struct process *p);

/* Whether one more may begin. */
static inline bool walks_have_room(const struct walks *s)
{
	return s->under_way < WALKS_AT_ONCE;
}

enum walks_outcome {
	WALKS_LOOKED = 1, /* a walk has begun, or there is none: the sample is of a look */
	WALKS_MORE,       /* there is more to walk, after a pause */
	WALKS_GIANT, /* it is given up: a mapping turned out to be too large, as walks_forecast() says now */
};

/* Begins to measure P by slices; there is room. 0: it is over already, with *RET; WALKS_LOOKED; -ENOMEM. */
int walks_begin_slices(struct walks *s, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret, struct walked *ret_walked);

/* When the next slice may be read, EXCUSED_ALONE: of a walk that is excused; UINT64_MAX: there is none. */
uint64_t walks_next_ns(const struct walks *s, bool excused_alone);

/*
 * Reads the slice that has waited longest, of those that walks_next_ns() speaks of; there is one. If the worker that read for a
 * walk is gone, because a read of another process has blocked, the walk begins again and is not over. After SLICES_LOSSES such
 * losses the next one ends the walk with OUTCOME_ERROR: the last measurement of the process stays, and the next walk of the
 * process is planned as any other measurement is.
 * 0: its walk is over, with *RET of *RET_PROCESS; WALKS_MORE; WALKS_GIANT; -ENOMEM.
 */
int walks_step(struct walks *s, bool excused_alone, uint64_t now_ns, struct sample *ret,
	struct process **ret_process, struct walked *ret_walked);

/* P's watch has taken S over, which the walk WALKED has found. */
void walks_learn(struct walks *s, struct process *p, const struct sample *sample,
	const struct walked *walked);

#endif
