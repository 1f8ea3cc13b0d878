/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floors of a series
 *
 * The smallest value in each slot of five minutes. Peaks between two garbage collections and short
 * bursts do not show in it; memory that is never freed does. Pure.
 */
#ifndef MEMTALLY_TREND_FLOORS_H
#define MEMTALLY_TREND_FLOORS_H

#include <stddef.h>
#include <stdint.h>

enum {
	FLOORS_SLOT_S = 300,
	FLOORS_MAX = 1000, /* three days and eleven hours */
};

struct trend_floor {
	int64_t at_s; /* the start of the slot, a multiple of FLOORS_SLOT_S since the epoch */
	double value; /* in the unit of the series */
};

/* All zeros: empty. Callers only read the fields. */
struct floors {
	struct trend_floor *item; /* in ascending order of time; slots without a value are absent */
	size_t count, room;
};

/* Frees what F owns and empties F. */
void floors_done(struct floors *f);

/*
 * Adds VALUE at AT_S, in seconds since the epoch. A value of an earlier slot than the last one is
 * ignored: the clock was set back. With FLOORS_MAX slots the oldest one makes room. Returns 0 or
 * -ENOMEM with F unchanged.
 */
int floors_add(struct floors *f, int64_t at_s, double value);

/*
 * Makes at most MOST floors of the COUNT floors FROM, each the smallest of as many neighbours, and
 * writes them to TO. Returns their number. MOST is not 0.
 */
size_t floors_coarsen(
	const struct trend_floor *from, size_t count, size_t most, struct trend_floor *to);

#endif
