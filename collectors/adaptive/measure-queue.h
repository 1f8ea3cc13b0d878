/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurement Queue
 *
 * The processes to measure: collects the items for measure-plan.h, and keeps the chosen ones until
 * they are measured.
 *
 *	measure_queue_begin, measure_queue_add of each, measure_queue_end
 *	measure_queue_next, until it returns NULL
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_MEASURE_QUEUE_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_MEASURE_QUEUE_H

#include "base/buffer.h"
#include "collectors/adaptive/page-walks.h"
#include "collectors/adaptive/tracked.h"
#include "collectors/schedule/measure-plan.h"

/* The way in which a process was chosen to be measured. */
enum measure_choice_kind {
	CHOICE_WHOLE,
	CHOICE_SLICES,
	CHOICE_GIANT,
	CHOICE_KINDS,
};

/* Sets of kinds: sums of (1 << kind). */
enum {
	/* the kind that is measured within a pass: it needs no pauses */
	CHOICES_WHOLE = 1 << CHOICE_WHOLE,
	CHOICES_ALL = (1 << CHOICE_KINDS) - 1,
};

/* A process to be measured. */
struct measure_choice {
	uint32_t place; /* index in the process table */
	enum measure_choice_kind kind;
	bool is_excused, is_taken;
	uint32_t cost_us; /* predicted CPU */
};

struct measure_queue {
	struct buffer *scratch;          /* borrowed */
	struct measure_plan_item *items; /* in .scratch; valid from measure_queue_begin() on */
	size_t count;
	struct measure_choice *choice; /* owned: the processes to measure, in this order */
	size_t capacity, chosen;
	size_t first[CHOICE_KINDS];   /* no choice of this kind before this index is left */
	size_t left[CHOICE_KINDS];    /* choices of each kind that are not taken */
	size_t excused[CHOICE_KINDS]; /* of .left, those that are excused */
	uint64_t left_ns;             /* predicted CPU of the choices that are not taken */
	uint64_t round;
	uint64_t deferred[MEASURE_PLAN_REASONS]; /* by reason, since the start */
};

/* Makes Q empty. SCRATCH is borrowed until measure_queue_done(). */
void measure_queue_init(struct measure_queue *q, struct buffer *scratch);

/* Frees what Q owns, and forgets all choices. */
void measure_queue_done(struct measure_queue *q);

/* Forgets all choices. */
void measure_queue_drop(struct measure_queue *q);

/* Returns the kind of a choice that would be measured as F says. */
enum measure_choice_kind measure_queue_kind(const struct page_walk_forecast *f);

/* Starts a new set of items, of which at most COUNT will be added. Returns 0, or -ENOMEM. */
int measure_queue_begin(struct measure_queue *q, size_t count);

/*
 * Adds an item for T, at index PLACE of the table, which would be measured as F says. Its estimate
 * is PSS_BYTES, which may be off by DOUBT_BYTES. Returns the item, which stays valid until
 * measure_queue_end().
 */
struct measure_plan_item *measure_queue_add(struct measure_queue *q, const struct tracked *t,
	size_t place, const struct page_walk_forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes);

/*
 * Chooses among the items with LIMITS, of which it sets .round, and adds the plan's counts to
 * .deferred. Returns 0, or -ENOMEM: then nothing is chosen.
 */
int measure_queue_end(struct measure_queue *q, const struct measure_plan_limits *limits);

/*
 * Returns true if a choice of the set KINDS is not taken yet; if EXCUSED_ALONE, one that is
 * excused.
 */
bool measure_queue_has(const struct measure_queue *q, unsigned int kinds, bool excused_alone);

/*
 * Takes the first choice that measure_queue_has() counts. Returns it, NULL if there is none. It
 * stays valid until measure_queue_end() or measure_queue_done().
 */
struct measure_choice *measure_queue_next(
	struct measure_queue *q, unsigned int kinds, bool excused_alone);

/* Returns how many choices are not taken. */
size_t measure_queue_left(const struct measure_queue *q);

/*
 * Returns by how many bytes the estimate PSS of T, with the bounds LOW and HIGH, may be wrong, as
 * the plan uses it. Unread faults do not count, and unlikely causes count less than in the bounds.
 */
uint64_t measure_queue_doubt(const struct tracked *t, uint64_t low, uint64_t pss, uint64_t high);

/*
 * Returns by how many bytes the PSS in ROW, the row of T, may be wrong, as measure_queue_doubt()
 * computes it from the bounds in ROW. Those contain host drift's doubts, too. Returns at least
 * cow_faults_broken().
 */
uint64_t measure_queue_row_doubt(const struct tracked *t, const struct snapshot_process *row);

#endif
