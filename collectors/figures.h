/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an adaptive pass shows of a process: an estimate of its PSS from its own measurement, from another's who can
 * speak for it, or, where there is neither, a guess; and how far off estimates turned out to be.
 */
#ifndef MEMTALLY_COLLECTORS_FIGURES_H
#define MEMTALLY_COLLECTORS_FIGURES_H

#include "collectors/estimate.h"
#include "collectors/process.h"
#include "collectors/watch.h"
#include "snapshot/record.h"

struct figures {
	uint64_t page_bytes;
	uint64_t file_pss, file_rss; /* over those that were measured, for those that never were */
	uint64_t next_file_pss, next_file_rss; /* the same of the pass under way */
	uint64_t
		measured_ns; /* CLOCK_BOOTTIME of the oldest measurement that this pass shows; 0: there is none */
	struct snapshot_histogram errors;  /* of estimates, relative: what a measurement found */
	uint64_t off_bytes, found_bytes;   /* the same in sums: how far off, and of how much */
	uint64_t recent_off, recent_found; /* likewise, but these fade within about a maximum age */
};

void figures_init(struct figures *f, uint64_t page_bytes);

/* A pass has begun, ELAPSED_NS after the last one. */
void figures_begin(struct figures *f, uint64_t elapsed_ns, uint64_t max_age_ns);

/* Its rows are about to be filled. */
void figures_begin_rows(struct figures *f);

/* What is known of W now, without any doubt of the pool's. */
void figures_estimate(const struct figures *f, const struct watch *w, struct estimate *ret);

/* A measurement has found FOUND where ESTIMATED was expected. */
void figures_found(struct figures *f, uint64_t estimated, uint64_t found);

/*
 * Fills in ROW of the member P: quantities, source and outcome. Who was measured since SINCE_NS (CLOCK_BOOTTIME) and
 * is as it was then is shown as measured.
 */
void figures_fill(struct figures *f, const struct process *p, uint64_t since_ns,
	struct snapshot_process *row);

/* How old the oldest measurement that the pass shows is at NOW_NS (CLOCK_BOOTTIME), in nanoseconds; 0: there is none. */
uint64_t figures_oldest_ns(const struct figures *f, uint64_t now_ns);

#endif
