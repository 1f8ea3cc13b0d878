/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom to measure: gathers what plan.h decides by, and keeps what it has chosen until that is measured.
 *
 *	choosing_begin, choosing_add of each, choosing_end
 *	choosing_next, as long as there is one
 */
#ifndef MEMTALLY_COLLECTORS_CHOOSING_H
#define MEMTALLY_COLLECTORS_CHOOSING_H

#include "base/buffer.h"
#include "collectors/plan.h"
#include "collectors/walks.h"
#include "collectors/watch.h"

/* As what one was chosen: measured in another way it would be another choice. */
enum choice_kind {
	CHOICE_WHOLE,
	CHOICE_SLICES,
	CHOICE_GIANT,
	CHOICE_KINDS,
};

/* Sets of kinds: sums of (1 << kind). */
enum {
	CHOICES_WHOLE = 1 << CHOICE_WHOLE, /* what a pass measures itself: it has no pauses */
	CHOICES_ALL = (1 << CHOICE_KINDS) - 1,
};

/* One that is to be measured. */
struct choice {
	uint32_t place; /* in the table */
	enum choice_kind kind;
	bool is_excused, is_taken;
	uint32_t cost_us; /* predicted */
};

struct choosing {
	struct buffer *scratch;  /* borrowed */
	struct plan_item *items; /* in it; of choosing_begin() */
	size_t count;
	struct choice *choice; /* processes to measure, in this order */
	size_t capacity, chosen;
	size_t first[CHOICE_KINDS];   /* no choice of this kind before it is left */
	size_t left[CHOICE_KINDS];    /* choices of each kind that are not taken, */
	size_t excused[CHOICE_KINDS]; /* and how many of these are excused */
	uint64_t left_ns;             /* predicted cost of those that are not taken */
	uint64_t round;
	uint64_t deferred[PLAN_REASONS]; /* since the start */
};

/* SCRATCH stays borrowed. */
void choosing_init(struct choosing *c, struct buffer *scratch);
void choosing_done(struct choosing *c);

/* Nobody is chosen any more. */
void choosing_drop(struct choosing *c);

/* The kind of a choice to be measured in the way F. */
enum choice_kind choosing_kind(const struct forecast *f);

/* At most COUNT are to be added. -ENOMEM. */
int choosing_begin(struct choosing *c, size_t count);

/*
 * W, at PLACE of the table, may be measured, in the way F; its estimate is PSS_BYTES, which may be off by DOUBT_BYTES.
 * Returns the item, which stays valid until choosing_end().
 */
struct plan_item *choosing_add(struct choosing *c, const struct watch *w, size_t place,
	const struct forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes);

/*
 * Chooses among the items with LIMITS, of which it sets .round, and adds the plan's counts to .deferred. Returns 0, or
 * -ENOMEM: then nothing is chosen.
 */
int choosing_end(struct choosing *c, const struct plan_limits *limits);

/* Returns true if a choice of the set KINDS is not taken yet; if EXCUSED_ALONE, one that is excused. */
bool choosing_has(const struct choosing *c, unsigned int kinds, bool excused_alone);

/*
 * Takes the first choice that choosing_has() counts. Returns it, NULL if there is none. It stays valid until choosing_end() or
 * choosing_done().
 */
struct choice *choosing_next(struct choosing *c, unsigned int kinds, bool excused_alone);

/* Gives back CHOICE, which was taken: it is to be measured as one of KIND, in its old place in the order. */
void choosing_give_back(struct choosing *c, struct choice *choice, enum choice_kind kind);

/* How many choices are not taken. */
size_t choosing_left(const struct choosing *c);

/* By how many bytes the estimate PSS of W, with the bounds LOW and HIGH, may be wrong, as the plan uses it. */
uint64_t choosing_doubt(const struct watch *w, uint64_t low, uint64_t pss, uint64_t high);

/* The same for the bounds in ROW, which may be wider than those of W alone: the pool's doubts are in them. */
uint64_t choosing_row_doubt(const struct watch *w, const struct snapshot_process *row);

#endif
