/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was used since it was last written down, from snapshot to snapshot: usually what of five minutes has passed.
 *
 * PSS over time is memtallyd's own counter: what it has gone up between two snapshots of one memtallyd is added,
 * whatever happened in between and to whomever. Of another memtallyd that came after the one known so far the
 * counters began at 0 when it did, so that all of them is new. Of the very first one that is seen, and of one that
 * was seen before another, only what comes from now on counts: nobody knows what of it was counted already. Swap and
 * processes are no counters: they are integrated here, as long as snapshots are not too far apart.
 *
 * Where in time: durations are CLOCK_MONOTONIC's, by which memtallyd integrates; a snapshot's end is that of the wall
 * clock. When the clock is set, the time that a snapshot brings ends at what the clock says afterwards: where it was
 * set back two spans have the same hours, and both count, each once.
 *
 * Pure: neither clocks nor files.
 */
#ifndef MEMTALLY_LEDGER_BUCKET_H
#define MEMTALLY_LEDGER_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/folding.h"
#include "ledger/intake.h"
#include "ledger/rows.h"
#include "snapshot/image.h"
#include "snapshot/view.h"

enum { BUCKET_FORMER_MAX = 16 };

/* How far the counters of which memtallyd have been counted. */
struct bucket_mark {
	bool is_set;
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t sequence;
	uint64_t monotonic_ns, boottime_ns, realtime_ns;
};

struct bucket {
	struct rows rows;
	struct bucket_mark mark;
	uint8_t former[BUCKET_FORMER_MAX][IMAGE_INSTANCE_SIZE]; /* the newest first */
	size_t formers;

	/* What is to be written: from when to when by the wall clock, and how much of that is known. */
	bool is_open, is_stretched;
	uint64_t from_ns, to_ns;
	uint64_t covered_ns; /* PSS */
	uint64_t sampled_ns; /* swap and processes */
	struct folding folding;
	struct intake_pool pool[USAGE_KINDS_END]; /* until the first snapshot is taken */

	/* The snapshot that is being taken: what it brings, and what of that has been added. */
	struct bucket_mark next;
	uint64_t taken, brings_ns, added_ns, wall_from_ns;
	bool is_taking, is_sampled;

	uint64_t clock_sets, restarts; /* counts: of the clock; of memtallyd */
};

void bucket_done(struct bucket *b);

enum bucket_outcome {
	BUCKET_OLD = 1,      /* nothing new: it was taken before */
	BUCKET_BASELINE = 2, /* nothing is known of the time before it */
};

/*
 * Takes VIEW. SUSPENDED_NS is what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC. OWN_USERNS: its uids are those of our
 * user namespace, in which users ask. bucket_advance() has to be called then. 0 or an outcome; -ENOMEM: it is as if
 * it had not come.
 */
int bucket_take(struct bucket *b, const struct view *view, uint64_t suspended_ns, bool own_userns);

/*
 * Adds what of the snapshot belongs to the time that is open. True: that is complete, there is more, and this is to
 * be called again when it was written and bucket_clear() was called, or bucket_stretch().
 */
bool bucket_advance(struct bucket *b);

/* It can't be written now: what comes is added to it, until it can be. */
void bucket_stretch(struct bucket *b);

/* Whether there is anything to write, and whether no more can be added to it, since it is REALTIME_NS. */
bool bucket_has_content(const struct bucket *b);
bool bucket_is_due(const struct bucket *b, uint64_t realtime_ns);

/* What rows are called by the store is to be looked for again. */
void bucket_forget_series(struct bucket *b);

/* It was written. */
void bucket_clear(struct bucket *b);

#endif
