/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring of points
 *
 * The last hour: the amounts of the host and of exported owners, one point for each snapshot.
 * Rows are told apart by scope, name and user, so a restart of memtallyd does not interrupt them. A
 * row that has vanished keeps its past until that is an hour old. The memory of a ring is limited:
 * the oldest points are dropped first. Answers of memtally-ledger are kept in rings, too.
 */
#ifndef MEMTALLY_WEB_HISTORY_RING_H
#define MEMTALLY_WEB_HISTORY_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "base/siphash.h"
#include "snapshot/metric.h"
#include "snapshot/view.h"
#include "web/history/ring-blocks.h"
#include "web/history/ring-words.h"

#define RING_AGE_NS (3600 * NS_PER_SEC) /* older points are dropped */
/* Snapshots that follow an earlier point sooner are skipped. */
#define RING_SPACING_NS (NS_PER_SEC / 2)
#define RING_BYTES_MAX  ((size_t)8 << 20) /* of memtally-web's ring */

/* A row of the host or of an owner. Its name is the same in all points. */
struct ring_row {
	enum metric_scope scope;
	/* Of the row's last point: its uid or gid, as struct owner, .id, says; otherwise 0. */
	uint32_t id;
	uint32_t points; /* points that have the row; 0: the place is free */
	uint64_t number; /* of the last point that has the row */
	size_t at;       /* its place in that point, while that is being added */
	uint64_t hash;
	char *name;       /* owned; clean text; the host's is empty */
	const char *user; /* behind .name, in the same memory; empty: it has no user */
	/* The amounts before the first point, and those of the last point with the row. */
	float before[RING_QUANTITIES], last[RING_QUANTITIES];
};

struct ring_sample {
	uint32_t row;             /* index in struct ring, .row */
	float q[RING_QUANTITIES]; /* NAN: not known. Exact to 24 bits. */
};

/*
 * A point. Its samples are in words (web/history/ring-words.h), which say what has changed since the
 * point before. Read them with struct ring_cursor.
 */
struct ring_point {
	uint64_t
		realtime_ns; /* CLOCK_REALTIME of the snapshot; of the ledger the start of a slot */
	uint64_t boottime_ns; /* CLOCK_BOOTTIME of the same moment */
	uint64_t length_ns; /* until the next point is due; of the ledger the length of the slot */
	size_t words;
	uint32_t word[];
};

/* Zeroed but for .bytes_max: empty. */
struct ring {
	struct ring_point **point; /* array owned; ascending .realtime_ns */
	size_t points, point_room;
	struct ring_blocks blocks;        /* of the points */
	struct ring_row *row;             /* owned */
	size_t rows, row_room, rows_free; /* places in use or free; places; free ones */
	size_t first_free;                /* all places before it are in use */
	struct hashmap index;             /* of .row */
	struct siphash_key key;           /* secret key of the hashes; set with the first row */
	size_t bytes, bytes_max;          /* memory of points and rows; its limit */
	uint64_t dropped;                 /* points that were dropped for this limit */
	uint64_t userns;                  /* user namespace of the ids of snapshots */

	/* The point that is being added. */
	uint64_t number;
	uint64_t realtime_ns, boottime_ns, length_ns;
	struct ring_sample *sample; /* owned */
	size_t samples, sample_room;
	enum metric_scope scope; /* of the last sample */
	int error;
};

/* Frees what R owns. R is then empty and can be used again; .bytes_max stays. */
void ring_done(struct ring *r);

/*
 * Begins a point for the time REALTIME_NS, BOOTTIME_NS and LENGTH_NS (struct ring_point). Drops
 * points that are not before it: the clock was set back, or it is the same snapshot.
 */
void ring_begin(struct ring *r, uint64_t realtime_ns, uint64_t boottime_ns, uint64_t length_ns);

/*
 * Adds a row with amounts Q to the point; calls are in the order of scopes. ID is as in struct
 * ring_row; NAME and USER are copied. If the point has a row of this scope, name and user, adds Q to
 * it. A failure is remembered until ring_end().
 */
void ring_add(struct ring *r, enum metric_scope scope, uint32_t id, const char *name,
	const char *user, const float q[static RING_QUANTITIES]);

/*
 * Adds the point that ring_begin() has begun. Drops points that are more than an hour older, and the
 * oldest ones beyond .bytes_max; the new point itself if it is too large. Returns 0; or -ENOMEM, and
 * then no point was added.
 */
int ring_end(struct ring *r);

/*
 * Adds the host and the exported owners of VIEW as a point, unless the last point is less than
 * RING_SPACING_NS older, as of memtallyds with very short intervals. Drops all points before if the user
 * namespace of the uids has changed. Returns 0 or -ENOMEM, as ring_end().
 */
int ring_take(struct ring *r, const struct view *view);

/*
 * Adds VIEW, a snapshot of the past, as a point of LENGTH_NS. No earlier point becomes too old.
 * Returns 0 or -ENOMEM, as ring_end().
 */
int ring_take_at(struct ring *r, const struct view *view, uint64_t length_ns);

/* Returns the quantity of snapshots that points have as Q. */
enum scope_quantity ring_scope_quantity(enum ring_quantity q);

/*
 * Returns the index of the row with SCOPE, NAME and USER in R->row; -1: there is none.
 */
int64_t ring_find(
	const struct ring *r, enum metric_scope scope, const char *name, const char *user);

/* Reads the points of a ring, which must not change meanwhile, from the first to the last. */
struct ring_cursor {
	const struct ring *ring;
	size_t next;                    /* index of the next point */
	float (*last)[RING_QUANTITIES]; /* owned; by row, the amounts of its last sample */
	struct ring_sample *sample;     /* owned; of the point that was read */
	/* The samples of scope S are from .begin[S] to before .begin[S + 1]. */
	size_t begin[METRIC_OWNERS_END + 1];
};

/* Opens C before the first point of R. Returns 0 or -ENOMEM. Close it in any case. */
int ring_cursor_open(struct ring_cursor *c, const struct ring *r);
void ring_cursor_close(struct ring_cursor *c);
#define AUTO_RING_CURSOR CLEANUP(ring_cursor_close)

/* Reads the next point. Returns false if there is none. */
bool ring_cursor_next(struct ring_cursor *c);

/* Returns the samples of SCOPE in the point that was read, and their number in *RET_COUNT. */
static inline const struct ring_sample *ring_cursor_samples(
	const struct ring_cursor *c, enum metric_scope scope, size_t *ret_count)
{
	*ret_count = c->begin[scope + 1] - c->begin[scope];
	return c->sample + c->begin[scope];
}

#endif
