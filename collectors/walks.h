/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of page tables: how one would be made and what it would cost, making it, whole or by slices, and what it
 * teaches. What a walk has used is charged to the budget here. What its sample means for the process is the
 * caller's.
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
	uint64_t predicted_ns, used_ns; /* CPU */
};

/* In which way a process is to be measured, and what it will cost. */
struct forecast {
	enum cost_way way;
	struct cost_work work;
	struct cost_prediction prediction;
	bool is_giant; /* one mapping alone is predicted to be above the stall budget */
};

/* Of the walk that was just made. */
struct walked {
	enum cost_way way;
	uint64_t cpu_ns;
};

struct walks {
	struct process_reader *reader; /* borrowed */
	struct budget *budget;         /* borrowed */
	uint64_t page_bytes;
	uint64_t stall_ns; /* the longest hold that is allowed */
	struct cost_model model[COST_WAYS];
	struct slices slices;
	uint64_t slices_ns; /* CPU of the walk that is under way */
	uint64_t slices_predicted_ns;
	struct walks_counts counts;
};

/* READER and BUDGET stay borrowed. */
void walks_init(
	struct walks *s, struct process_reader *reader, struct budget *budget, uint64_t page_bytes);
void walks_done(struct walks *s);

/* P is about to be forgotten. */
void walks_forget(struct walks *s, const struct process *p);

struct forecast walks_forecast(const struct walks *s, const struct watch *w);

/* Finds out whether a mapping of P may be too large for a slice; walks_forecast() tells. */
void walks_find_largest(struct walks *s, struct process *p);

/* Measures P at once, as process_read() does. */
int walks_whole(struct walks *s, struct process *p, const struct forecast *f, uint64_t now_ns,
	struct sample *ret, struct walked *ret_walked);

enum walks_outcome {
	WALKS_LOOKED = 1, /* a walk has begun, or there is none: the sample is of a look */
	WALKS_MORE,       /* there is more to walk, after a pause */
};

/* Begins to measure P by slices. 0: it is over already, with *RET; WALKS_LOOKED; -ENOMEM. */
int walks_begin_slices(struct walks *s, struct process *p, const struct forecast *f,
	uint64_t now_ns, struct sample *ret, struct walked *ret_walked);

/* Reads a slice of the walk that is under way. 0: it is over, with *RET of *RET_PROCESS; WALKS_MORE; -ENOMEM. */
int walks_step(struct walks *s, uint64_t now_ns, struct sample *ret, struct process **ret_process,
	struct walked *ret_walked);

/* P's watch has taken S over, which the walk WALKED has found. */
void walks_learn(struct walks *s, struct process *p, const struct sample *sample,
	const struct walked *walked);

#endif
