/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket: usage of each owner since the last write, usually of five minutes. Pure: reads
 * neither clocks nor files.
 *
 * PSS over time is memtallyd's counter. The increase between two snapshots of the same memtallyd is
 * added, whatever happened in between. A memtallyd that starts after a known one counts from 0, so
 * its whole counter is added. Of the first memtallyd ever, and of one that was known before another
 * one, only later increases count: the earlier part may be in the file already. Swap and processes
 * have no counter. The bucket integrates them, if two snapshots are close enough in time.
 *
 * Durations are those of CLOCK_MONOTONIC, as in memtallyd. A snapshot ends at its wall clock time.
 * If the clock is set, the time of the next snapshot ends at the new clock time. If it is set back,
 * two spans have the same hours, and both count.
 *
 * Protocol: bucket_take(); then, while bucket_advance() returns true, write the bucket and call
 * bucket_clear(), or bucket_stretch() if the write failed.
 */
#ifndef MEMTALLY_LEDGER_COUNT_BUCKET_H
#define MEMTALLY_LEDGER_COUNT_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/count/folding.h"
#include "ledger/count/intake.h"
#include "ledger/count/rows.h"
#include "snapshot/image.h"
#include "snapshot/view.h"

enum { BUCKET_REPLACED_MAX = 16 };

/* Up to which snapshot of which memtallyd the counters are counted. */
struct bucket_mark {
	bool is_set;
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t sequence; /* of the snapshot; the times are those of its end */
	uint64_t monotonic_ns, boottime_ns, realtime_ns;
};

struct bucket {
	struct rows rows; /* every owner with a counter, or with usage to write */
	struct bucket_mark mark;
	/* Instances of memtallyd that others have replaced, the newest first. */
	uint8_t replaced[BUCKET_REPLACED_MAX][IMAGE_INSTANCE_SIZE];
	size_t replaced_count;

	/*
	 * The open span, which the next write writes. If a write failed, it is stretched: it goes
	 * on beyond its slot.
	 */
	bool is_open, is_stretched;
	uint64_t from_ns, to_ns; /* CLOCK_REALTIME */
	uint64_t covered_ns;     /* ns for which PSS is known */
	uint64_t sampled_ns;     /* ns for which swap and processes are known */
	struct folding folding;  /* usage of owners without rows of their own */
	/*
	 * Counters of "(other)", the owners without a series, from the file (intake_take()); used
	 * up by the first snapshot.
	 */
	struct row other[USAGE_KINDS_END];

	/*
	 * The snapshot between bucket_take() and the last bucket_advance(): its number, the time
	 * that it covers, how much of that time is added to the span, when it begins by the wall
	 * clock, and whether swap and processes are integrated over it.
	 */
	struct bucket_mark next;
	uint64_t taken, brings_ns, added_ns, wall_from_ns;
	bool is_taking, is_sampled;

	uint64_t clock_sets; /* how often the clock was set */
};

/* Frees the contents of B, and makes it empty. */
void bucket_done(struct bucket *b);

enum bucket_outcome {
	BUCKET_OLD = 1, /* this snapshot, or a later one, was taken before; nothing changes */
	/* Counting begins with this snapshot: no usage is known of the time before it. */
	BUCKET_BASELINE = 2,
};

/*
 * Takes the snapshot VIEW (borrowed). SUSPENDED_NS: CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
 * OWN_USERNS: its uids are those of our user namespace, which is that of the clients.
 *
 * Returns 0 or BUCKET_BASELINE: call bucket_advance() next. Returns BUCKET_OLD or -ENOMEM: the
 * snapshot is not taken; after -ENOMEM the next one brings its usage.
 */
int bucket_take(struct bucket *b, const struct view *view, uint64_t suspended_ns, bool own_userns);

/*
 * Adds the part of the taken snapshot that belongs to the open span. Returns true if the span is
 * complete and a part of the snapshot is left: write the span, call bucket_clear() or
 * bucket_stretch(), then call again. Returns false if all of the snapshot is added.
 */
bool bucket_advance(struct bucket *b);

/*
 * Call after a failed write: keeps the span open, so that all later usage is added to it until a
 * write succeeds.
 */
void bucket_stretch(struct bucket *b);

/* Returns whether there is usage to write. */
bool bucket_has_content(const struct bucket *b);

/*
 * Returns whether the span can be written without another snapshot at REALTIME_NS (CLOCK_REALTIME):
 * its slot ended 30 s ago, or the clock was set back to more than 30 s before it.
 */
bool bucket_is_due(const struct bucket *b, uint64_t realtime_ns);

/*
 * Forgets the series ids of all rows: they are looked up again for the next write, in another file
 * or after a rollback.
 */
void bucket_forget_series(struct bucket *b);

/*
 * Call after a successful write: begins a new span, and removes owners that have neither a counter
 * nor usage left.
 */
void bucket_clear(struct bucket *b);

#endif
