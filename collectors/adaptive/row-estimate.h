/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row Estimates
 *
 * What an adaptive pass shows for a process: an estimate of its PSS from its own measurement, or
 * from that of its speaker, or a guess if there is neither. Also keeps how far off estimates were
 * when the process was measured.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_ROW_ESTIMATE_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_ROW_ESTIMATE_H

#include "collectors/adaptive/tracked.h"
#include "collectors/model/estimate.h"
#include "collectors/process/process.h"
#include "snapshot/record.h"

struct row_estimate {
	uint64_t page_bytes;
	/* sums over measured processes in the last pass, in bytes; for the guesses of processes
	 * that were never measured */
	uint64_t file_pss, file_rss;
	uint64_t next_file_pss, next_file_rss; /* the same of this pass */
	/* CLOCK_BOOTTIME of the oldest measurement in this pass's rows; 0: there is none */
	uint64_t measured_ns;
	/* relative errors of estimates, as measurements found them */
	struct snapshot_histogram errors;
	/* sums, in bytes: error of estimates, and PSS that was measured instead */
	uint64_t off_bytes, found_bytes;
	uint64_t recent_off, recent_found; /* the same, fading within about the maximum age */
};

/* Makes R empty. PAGE_BYTES is the kernel's page size. */
void row_estimate_init(struct row_estimate *r, uint64_t page_bytes);

/* Begins a pass, ELAPSED_NS after the last one. MAX_AGE_NS is the maximum age of a measurement. */
void row_estimate_begin(struct row_estimate *r, uint64_t elapsed_ns, uint64_t max_age_ns);

/*
 * Writes to *RET the estimate of T now, without a doubt of host-drift.h: from the measurement of T
 * or of its speaker, else a guess.
 */
void row_estimate_get(const struct row_estimate *r, const struct tracked *t, struct estimate *ret);

/*
 * Counts the error of an estimate in the histogram and the sums of R: a measurement has found FOUND
 * where ESTIMATED was expected, both PSS in bytes.
 */
void row_estimate_found(struct row_estimate *r, uint64_t estimated, uint64_t found);

/*
 * Fills ROW of P: pid, uid, gid, quantities, source and outcome. The row is shown as measured if P
 * was measured since SINCE_NS (CLOCK_BOOTTIME), its counters have not moved since, its measurement
 * is not in doubt, and its reads do not block; else as an estimate, which is a guess if neither P
 * nor a speaker of P was measured. A process that could not be measured gets its RSS at most.
 *
 * Adds a measured process to the sums in R for guesses in the next pass, and to .measured_ns.
 */
void row_estimate_fill(struct row_estimate *r, const struct process *p, uint64_t since_ns,
	struct snapshot_process *row);

/*
 * Returns the age at NOW_NS (CLOCK_BOOTTIME) of the oldest measurement in the pass's rows, in ns;
 * 0: there is none.
 */
uint64_t row_estimate_oldest_ns(const struct row_estimate *r, uint64_t now_ns);

#endif
