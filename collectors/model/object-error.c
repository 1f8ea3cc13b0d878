/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PSS of all sharers together counts each page of an object once. If the pages stay the same
 * while the sum of resident memory grows, the share of each process falls in proportion. What a
 * measurement finds above that comes from new pages; it is summed over lessons, so that single
 * errors cancel.
 */
#include "config.h"

#include "collectors/model/object-error.h"

#include "base/saturate.h"

enum {
	FADES = 8,         /* with each lesson, earlier ones lose this part */
	FADES_GROWTH = 16, /* the same for growth */
	FRESH_ONE = 1 << 24,
	/* weight, in lessons, of the initial assumption that guesses are totally wrong */
	UNLEARNED = 4,
	LIKELY = 8,            /* times the mean error: hardly any guess is farther off */
	LIKELY_OWN = 3,        /* times the process's own earlier error */
	ODD_ONE = 1 << 8,      /* unit of ODD: as far off as it was thought to have moved */
	LESSON_MIN = 64 << 10, /* bytes: a smaller movement teaches only about the process itself */
	/* bytes: a smaller movement teaches nothing, because a few pages always differ */
	OWN_MIN = 16 << 10,
};

/*
 * Returns C's PSS if all sharers have the same pages as before. STILL is the PSS without the
 * others' doing.
 */
static uint64_t object_error_divided(const struct object_error_change *c, uint64_t still)
{
	return saturate_part(still, c->then, c->now);
}

/* Returns the part of touched memory that is new, in units of 1 / FRESH_ONE. */
static uint64_t fresh_part(const struct object_error *e)
{
	return e->added > 0 ? saturate_min(saturate_part((uint64_t)e->added, FRESH_ONE, e->grown),
				      FRESH_ONE)
	                    : 0;
}

void object_error_guess(const struct object_error *e, const struct object_error_change *c,
	struct object_error_guess *ret)
{
	uint64_t still = saturate_part(c->pss, c->now_rss, c->rss), added = 0;

	*ret = (struct object_error_guess){
		.still = still, .grown = saturate_part(c->now_rss, c->now - c->then, c->now)};
	added = saturate_part(ret->grown, fresh_part(e), FRESH_ONE);
	ret->mid = saturate_min(
		saturate_add(object_error_divided(c, still), saturate_min(added, ret->grown)),
		c->now_rss);
	ret->moved = saturate_add(saturate_part(still, saturate_min(c->stirred, c->now), c->now),
		saturate_distance(still, c->pss));
}

static void object_error_fade(uint64_t *sum, uint64_t more, unsigned int fades)
{
	*sum = saturate_add(*sum - *sum / fades, more);
}

uint16_t object_error_learn(
	struct object_error *e, const struct object_error_change *c, uint64_t found, uint16_t odd)
{
	struct object_error_guess g;
	uint64_t off, now_odd;
	int64_t added;

	object_error_guess(e, c, &g);
	if (g.moved < OWN_MIN)
		return odd;
	off = saturate_distance(g.mid, found);
	now_odd = saturate_max(saturate_part(off, ODD_ONE, g.moved) + 1, odd / 2);
	if (g.moved >= LESSON_MIN) {
		if (!object_error_tells(e))
			e->moved = e->off = saturate_part(g.moved, UNLEARNED, 1);
		object_error_fade(&e->moved, g.moved, FADES);
		object_error_fade(&e->off, off, FADES);
		object_error_fade(&e->grown, g.grown, FADES_GROWTH);
		added = saturate_difference(found, object_error_divided(c, g.still));
		e->added = saturate_sum(e->added - e->added / FADES_GROWTH, added);
	}
	return (uint16_t)saturate_min(now_odd, UINT16_MAX);
}

uint64_t object_error_likely(
	const struct object_error *e, const struct object_error_guess *g, uint16_t odd)
{
	uint64_t off = saturate_part(g->moved, saturate_part(e->off, LIKELY, 1), e->moved), own;

	/* If the process was measured only once, it is not known whether it is like the others. */
	own = odd ? saturate_part(g->moved, LIKELY_OWN * (uint64_t)odd, ODD_ONE)
	          : saturate_add(off, off);
	return saturate_add(saturate_max(off, own), OWN_MIN);
}
