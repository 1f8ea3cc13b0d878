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

/* One that is to be measured. */
struct choice {
	uint32_t place; /* in the table */
	enum choice_kind kind;
	bool is_excused;
	uint32_t cost_us; /* predicted */
};

struct choosing {
	struct buffer *scratch;  /* borrowed */
	struct plan_item *items; /* in it; of choosing_begin() */
	size_t count;
	struct choice *choice; /* whom to measure: [next, chosen) */
	size_t capacity, chosen, next;
	size_t sliced, excused,
		excused_sliced; /* how many of those are CHOICE_SLICES, excused, and both */
	uint64_t left_ns;       /* predicted cost of those */
	uint64_t round;
	uint64_t deferred[PLAN_REASONS]; /* since the start */
};

/* SCRATCH stays borrowed. */
void choosing_init(struct choosing *c, struct buffer *scratch);
void choosing_done(struct choosing *c);

/* Nobody is chosen any more. */
void choosing_drop(struct choosing *c);

/* At most COUNT are to be added. -ENOMEM. */
int choosing_begin(struct choosing *c, size_t count);

/*
 * W, at PLACE of the table, may be measured, in the way F; its estimate is PSS_BYTES, which may be off by DOUBT_BYTES.
 * Returns the item, which stays valid until choosing_end().
 */
struct plan_item *choosing_add(struct choosing *c, const struct watch *w, size_t place,
	const struct forecast *f, uint64_t doubt_bytes, uint64_t pss_bytes);

/*
 * Chooses among those that were added; LIMITS but for .round. COUNTS: who is put off waits until the next pass, and is
 * counted. -ENOMEM: nobody.
 */
int choosing_end(struct choosing *c, const struct plan_limits *limits, bool counts);

/* Whether one is left; if not WITH_SLICED, one that is not to be read by slices; if EXCUSED_ALONE, one that is. */
static inline bool choosing_has(const struct choosing *c, bool with_sliced, bool excused_alone)
{
	size_t left = excused_alone ? c->excused : c->chosen - c->next;

	return left > (with_sliced ? 0 : excused_alone ? c->excused_sliced : c->sliced);
}

/* Takes out the next one that choosing_has() speaks of. False: there is none. */
bool choosing_next(struct choosing *c, bool with_sliced, bool excused_alone, struct choice *ret);

/* How far off an estimate may be, for the plan: of W itself, and of W with the figures in its ROW. */
uint64_t choosing_doubt(const struct watch *w, uint64_t low, uint64_t pss, uint64_t high);
uint64_t choosing_row_doubt(const struct watch *w, const struct snapshot_process *row);

#endif
