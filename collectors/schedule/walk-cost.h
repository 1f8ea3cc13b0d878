/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of Walks
 *
 * Predicts the CPU time of a page-table walk and how long it holds the address-space lock: a
 * constant, and a coefficient each for 4 KiB pages, huge pages and mappings. The four coefficients
 * start from a prior and are learned from memtallyd's own walks on this host. Walks are noisy
 * (caches, interrupts, other guests), so one walk moves little, however long it took; a host that
 * is three times slower is learned in some dozens of walks. A coefficient is never negative, and
 * one without walks follows the speed of the host.
 *
 * smaps_rollup does not show how many mappings a process has. So the cost of a process beyond the
 * model is kept with the process, as its habit. Pure; no allocation; one lesson takes less than
 * 1 us.
 */
#ifndef MEMTALLY_COLLECTORS_SCHEDULE_WALK_COST_H
#define MEMTALLY_COLLECTORS_SCHEDULE_WALK_COST_H

#include <stdbool.h>
#include <stdint.h>

/* The ways to walk page tables. They differ in cost, so each has a model of its own. */
enum walk_cost_way {
	WALK_COST_ROLLUP, /* smaps_rollup: holds the address-space lock once */
	WALK_COST_SLICES, /* smaps through a small buffer: one hold for each mapping, or for a few */
	WALK_COST_WAYS,
};

enum { WALK_COST_TERMS = 4 };

struct walk_cost_model {
	double prior_ns[WALK_COST_TERMS]; /* constant, 4 KiB page, huge page, mapping */
	/* the coefficients on this host, as multiples of the prior, at least 0 */
	double factor[WALK_COST_TERMS];
	/* sums of the least squares over walks, fading */
	double square[WALK_COST_TERMS][WALK_COST_TERMS], product[WALK_COST_TERMS];
	/* fading number of walks, and sum of their cost / prior: the speed of the host */
	double reads, read_sum;
	double spread; /* the median of |cost - prediction| / prediction */
	bool slices;
};

/* The size of a walk, as the last walk found it or as the cheap counters predict it. */
struct walk_cost_work {
	uint64_t pages;         /* resident 4 KiB pages that are not part of huge pages */
	uint64_t huge_pages;    /* of 2 MiB */
	uint64_t mappings;      /* 0: not known */
	uint64_t largest_pages; /* of the largest mapping, for WALK_COST_SLICES; 0: not known */
};

/* CPU time that one process costs beyond the model. All 0: not known. */
struct walk_cost_habit {
	int32_t excess_ns[2]; /* ns, of the last two walks, the later one first */
};

/* Predicted cost of a walk, in ns. */
struct walk_cost_prediction {
	uint64_t cpu_ns;
	uint64_t hold_ns; /* the longest hold of the address-space lock */
};

/* Makes M the prior for WAY. */
void walk_cost_init(struct walk_cost_model *m, enum walk_cost_way way);

/*
 * Converts RSS_BYTES, of which HUGE_BYTES (at most RSS_BYTES) are huge pages, to work. Mappings are
 * not known.
 */
struct walk_cost_work walk_cost_work_of(uint64_t rss_bytes, uint64_t huge_bytes);

/*
 * Predicts a walk of W. HABIT is the process's, from walks of the same way; NULL: none. For
 * WALK_COST_SLICES the hold is that of the largest mapping if it is known, else of all pages.
 *
 * An excess in HABIT counts only as far as both of the last two walks had it, so that one
 * interrupted walk does not make a process expensive; the very first walk counts alone. The
 * predicted CPU time is more than a quarter of the model's, and never 0.
 */
struct walk_cost_prediction walk_cost_predict(const struct walk_cost_model *m,
	const struct walk_cost_work *w, const struct walk_cost_habit *habit);

/* Teaches M, and HABIT if it is not NULL, that a walk of W took CPU_NS. */
void walk_cost_learn(struct walk_cost_model *m, const struct walk_cost_work *w,
	struct walk_cost_habit *habit, uint64_t cpu_ns);

#endif
