/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a segment are once in the PSS of all sharers together. If they were the same pages before and after, one's
 * part is divided by as much more as all together have. What of the difference comes from pages that nobody had is
 * told by what is found above that, summed over lessons, so that single errors cancel.
 */
#include "config.h"

#include "collectors/experience.h"

#include "collectors/amount.h"

enum {
	FADES = 8,   /* what was learned, by so large a part with each lesson */
	FORMER = 8,  /* times as long what was learned before is kept */
	FORWARD = 3, /* quarters of the way from then to now, to what is next */
	FRESH_ONE = 1 << 16,
	UNLEARNED = 4,         /* lessons' worth of being as wrong as can be, to begin with */
	LIKELY = 8,            /* times the mean, beyond which hardly any are off */
	LIKELY_OWN = 3,        /* times what one was off itself */
	ODD_ONE = 1 << 8,      /* as far off as it was taken to have moved */
	LESSON_MIN = 64 << 10, /* bytes: what has moved by less tells of itself alone, */
	OWN_MIN = 16 << 10,    /* by still less, nothing: there are always some odd pages */
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* What C's PSS is if all have the same pages as before. */
static uint64_t divided(const struct experience_change *c, uint64_t still)
{
	return amount_part(still, c->then, c->now);
}

static uint64_t part_of(int64_t added, uint64_t grown)
{
	return added > 0 ? amount_part((uint64_t)added, FRESH_ONE, grown) : 0;
}

/*
 * Which part of what is touched is new. It was learned over the time between two measurements, and where it becomes less,
 * as memory fills up, it is less by now.
 */
static uint64_t fresh_part(const struct experience *x)
{
	uint64_t now = part_of(x->added, x->grown);
	uint64_t former = part_of(x->former_added, x->former_grown);

	return amount_less(now, amount_part(amount_less(former, now), FORWARD, 4));
}

void experience_guess(
	const struct experience *x, const struct experience_change *c, struct experience_guess *ret)
{
	uint64_t still = amount_part(c->pss, c->now_rss, c->rss), added = 0;

	*ret = (struct experience_guess){
		.still = still, .grown = amount_part(c->now_rss, c->now - c->then, c->now)};
	added = amount_part(ret->grown, fresh_part(x), FRESH_ONE);
	ret->mid = amount_min(
		amount_add(divided(c, still), amount_min(added, ret->grown)), c->now_rss);
	ret->moved = amount_add(amount_part(still, amount_min(c->stirred, c->now), c->now),
		distance(still, c->pss));
}

static void fade(uint64_t *sum, uint64_t more)
{
	*sum = amount_add(*sum - *sum / FADES, more);
}

/* SUM and MORE, as far as that fits. */
static int64_t added_to(int64_t sum, int64_t more)
{
	int64_t both;

	if (__builtin_add_overflow(sum, more, &both))
		return more < 0 ? INT64_MIN : INT64_MAX;
	return both;
}

uint16_t experience_learn(
	struct experience *x, const struct experience_change *c, uint64_t found, uint16_t odd)
{
	struct experience_guess g;
	uint64_t off, now_odd;
	int64_t more;

	experience_guess(x, c, &g);
	if (g.moved < OWN_MIN)
		return odd;
	off = distance(g.mid, found);
	now_odd = amount_max(amount_part(off, ODD_ONE, g.moved) + 1, odd / 2);
	if (g.moved >= LESSON_MIN) {
		if (!experience_tells(x))
			x->moved = x->off = amount_part(g.moved, UNLEARNED, 1);
		fade(&x->moved, g.moved);
		fade(&x->off, off);
		more = amount_difference(found, divided(c, g.still));
		fade(&x->grown, g.grown);
		x->former_grown = amount_add(
			x->former_grown - x->former_grown / (FORMER * FADES), g.grown);
		x->former_added = added_to(
			x->former_added - x->former_added / (FORMER * FADES), more);
		x->added = added_to(x->added - x->added / FADES, more);
	}
	return (uint16_t)amount_min(now_odd, UINT16_MAX);
}

uint64_t experience_likely(
	const struct experience *x, const struct experience_guess *g, uint16_t odd)
{
	uint64_t off = amount_part(g->moved, amount_part(x->off, LIKELY, 1), x->moved), own;

	/* Of one that was measured but once nobody knows whether it is like the others. */
	own = odd ? amount_part(g->moved, LIKELY_OWN * (uint64_t)odd, ODD_ONE)
	          : amount_add(off, off);
	return amount_add(amount_max(off, own), OWN_MIN);
}
