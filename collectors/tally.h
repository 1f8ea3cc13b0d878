/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tally: rows of processes summed up by owners of each kind and for the host, by the rules of
 * snapshot/sums.h, and the counters that go on from pass to pass. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_TALLY_H
#define MEMTALLY_COLLECTORS_TALLY_H

#include "collectors/process.h"
#include "collectors/scopes.h"
#include "snapshot/metric.h"

struct tally {
	struct scopes table[OWNER_KINDS]; /* by enum owner_kind */
	struct scope other[OWNER_KINDS];  /* "(other)": what is not exported */
	struct scope host;
	uint64_t last_ns; /* CLOCK_MONOTONIC of the last pass's end; 0: there was none */
	uint64_t most;    /* bytes that there are for all together, as of that */
};

/* CREATED_NS: CLOCK_REALTIME, from which the counters count. */
void tally_init(struct tally *t, uint64_t created_ns);
void tally_done(struct tally *t);

/* Empties the sums. Rows made during the pass get CREATED_NS. */
void tally_begin(struct tally *t, uint64_t created_ns);

/*
 * Adds ROW, of a member P, whose owners are set. HWM and SWAP are what
 * growth_add_*() returned for it.
 */
void tally_add(struct tally *t, const struct process *p, const struct snapshot_process *row,
	uint64_t hwm_growth, uint64_t swap_growth);

/*
 * Closes the sums at NOW_NS (CLOCK_MONOTONIC): derived quantities, integrals, and no upper bound
 * above MOST, what the host has for all of them, nor the host's lower one below LEAST. Afterwards the rows' .sums are what a snapshot
 * shows, counters included.
 */
void tally_end(struct tally *t, uint64_t now_ns, uint64_t least, uint64_t most);

/* Makes OTHER of KIND the sum of the rows that are not exported, and feeds its counters. */
void tally_sum_other(struct tally *t, enum owner_kind kind);

#endif
