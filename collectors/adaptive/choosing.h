/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurement Queue
 *
 * The processes to measure: collects the items for plan.h, and keeps the chosen ones until they are
 * measured.
 *
 *	choosing_begin, choosing_add of each, choosing_end
 *	choosing_next, until it returns NULL
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_CHOOSING_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_CHOOSING_H

#include "base/buffer.h"
#include "collectors/adaptive/walks.h"
#include "collectors/adaptive/watch.h"
#include "collectors/schedule/plan.h"

/*
 * The way in which a process was chosen to be measured. If the way changes, the choice has to be
 * given back.
 */
enum choice_kind {
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
struct choice {
	uint32_t place; /* index in the process table */
	enum choice_kind kind;
	bool is_excused, is_taken;
	uint32_t cost_us; /* predicted CPU */
};

struct choosing {
	struct buffer *scratch;  /* borrowed */
	struct plan_item *items; /* in .scratch; valid from choosing_begin() on */
	size_t count;
	struct choice *choice; /* owned: the processes to measure, in this order */
	size_t capacity, chosen;
	size_t first[CHOICE_KINDS];   /* no choice of this kind before this index is left */
	size_t left[CHOICE_KINDS];    /* choices of each kind that are not taken */
	size_t excused[CHOICE_KINDS]; /* of .left, those that are excused */
	uint64_t left_ns;             /* predicted CPU of the choices that are not taken */
	uint64_t round;
	uint64_t deferred[PLAN_REASONS]; /* by reason, since the start */
};

/* SCRATCH is borrowed until choosing_done(). */
void choosing_init(struct choosing *c, struct buffer *scratch);
void choosing_done(struct choosing *c);

/* Forgets all choices. */
void choosing_drop(struct choosing *c);

/* Returns the kind of a choice that would be measured as F says. */
enum choice_kind choosing_kind(const struct forecast *f);

/* Starts a new set of items, of which at most COUNT will be added. Returns 0, or -ENOMEM. */
int choosing_begin(struct choosing *c, size_t count);

/*
 * Adds an item for W, at index PLACE of the table, which would be measured as F says. Its estimate
 * is PSS_BYTES, which may be off by DOUBT_BYTES. Returns the item, which stays valid until
 * choosing_end().
 */
struct plan_item *choosing_add(struct choosing *c, const struct watch *w, size_t place,
	const struct forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes);

/*
 * Chooses among the items with LIMITS, of which it sets .round, and adds the plan's counts to
 * .deferred. Returns 0, or -ENOMEM: then nothing is chosen.
 */
int choosing_end(struct choosing *c, const struct plan_limits *limits);

/*
 * Returns true if a choice of the set KINDS is not taken yet; if EXCUSED_ALONE, one that is
 * excused.
 */
bool choosing_has(const struct choosing *c, unsigned int kinds, bool excused_alone);

/*
 * Takes the first choice that choosing_has() counts. Returns it, NULL if there is none. It stays
 * valid until choosing_end() or choosing_done().
 */
struct choice *choosing_next(struct choosing *c, unsigned int kinds, bool excused_alone);

/*
 * Gives back CHOICE, which was taken: it is to be measured as KIND, at its old place in the order.
 */
void choosing_give_back(struct choosing *c, struct choice *choice, enum choice_kind kind);

/* Returns how many choices are not taken. */
size_t choosing_left(const struct choosing *c);

/*
 * Returns by how many bytes the estimate PSS of W, with the bounds LOW and HIGH, may be wrong, as
 * the plan uses it. Unread faults do not count, and unlikely causes count less than in the bounds.
 */
uint64_t choosing_doubt(const struct watch *w, uint64_t low, uint64_t pss, uint64_t high);

/*
 * The same for the bounds in ROW, which contain the pool's doubts, too. At least
 * relations_broken().
 */
uint64_t choosing_row_doubt(const struct watch *w, const struct snapshot_process *row);

#endif
