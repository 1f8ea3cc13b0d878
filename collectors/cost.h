/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to walk a process's page tables: a constant, and so much for each 4 KiB page, each huge
 * page and each mapping. The four coefficients start from a prior and are learned from our own reads on
 * this host. Reads are noisy (caches, interrupts, other guests), so that a single one moves little,
 * however long it took, while a host that is three times slower is learned in some dozens of them. A
 * coefficient is never negative, and one that nothing was read for follows the speed of the host.
 *
 * How many mappings a process has is not to be seen from smaps_rollup. What a process costs beyond the
 * model is therefore kept with it, its habit. Pure; no allocation; a learning costs less than 1 us.
 */
#ifndef MEMTALLY_COLLECTORS_COST_H
#define MEMTALLY_COLLECTORS_COST_H

#include <stdbool.h>
#include <stdint.h>

/* How page tables are walked. The ways differ in price, so each has a model of its own. */
enum cost_way {
	COST_ROLLUP, /* smaps_rollup: one hold of the address-space lock */
	COST_SLICES, /* smaps through a small buffer: a hold for each mapping or few */
	COST_WAYS,
};

enum { COST_TERMS = 4 };

struct cost_model {
	double prior_ns[COST_TERMS]; /* constant, 4 KiB page, huge page, mapping */
	double factor[COST_TERMS];   /* what each is on this host: times the prior, at least 0 */
	double square[COST_TERMS][COST_TERMS], product[COST_TERMS]; /* sums over reads, fading */
	double reads, read_sum; /* of reads over what the prior says: the speed of the host */
	double spread;          /* how far half of the reads lie from predictions, relative */
	bool slices;
};

/* What a walk meets, as the last one found it or as the cheap counters let expect it. */
struct cost_work {
	uint64_t pages;         /* of 4 KiB, resident, not part of huge pages */
	uint64_t huge_pages;    /* of 2 MiB */
	uint64_t mappings;      /* 0: not known */
	uint64_t largest_pages; /* of the largest mapping, for slices; 0: not known */
};

/* What one process costs beyond the model. All 0: nothing is known. */
struct cost_habit {
	int32_t excess_ns[2]; /* of the last two walks, the later one first */
};

struct cost_prediction {
	uint64_t cpu_ns;
	uint64_t hold_ns; /* the longest hold of the address-space lock */
};

void cost_init(struct cost_model *m, enum cost_way way);

/* What is resident, in bytes, as work: RSS_BYTES of which HUGE_BYTES are huge pages (at most the former). */
struct cost_work cost_work_of(uint64_t rss_bytes, uint64_t huge_bytes);

/*
 * What a walk over W will cost. HABIT is the process's, from walks of the same way; NULL: none. For the way
 * COST_SLICES the hold is that of the largest mapping, where it is known, else of all pages.
 *
 * An excess counts only as far as both of the last two walks had it, so that one that was interrupted
 * makes no process expensive; the first walk of all counts alone. Never less than a quarter of what the
 * model says, never 0.
 */
struct cost_prediction cost_predict(
	const struct cost_model *m, const struct cost_work *w, const struct cost_habit *habit);

/* A walk over W took CPU_NS: teaches M and HABIT (may be NULL). */
void cost_learn(
	struct cost_model *m, const struct cost_work *w, struct cost_habit *habit, uint64_t cpu_ns);

#endif
