/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PSS of all sharers together counts each page of an object once. If the pages stay the same
 * while the sum of resident memory grows, the share of each process falls in proportion. What a
 * measurement finds above that comes from new pages; it is summed over lessons, so that single
 * errors cancel.
 *
 * The fuller an object, the smaller the part of touched memory that is new: if all pages are
 * equally likely, that part falls exponentially with the memory that all have touched. Two means of
 * lessons, a late and a former one, are two points of that curve, and tell the part for points near
 * them. Touched pages stay in memory when their sharers exit, though all together have less then:
 * so the point is given by the most that they ever had.
 */
#include "config.h"

#include "collectors/model/object-error.h"

#include "base/saturate.h"

enum {
	FADES = 8,       /* with each lesson, earlier ones lose this part */
	FADES_LATE = 16, /* the same for the growth means */
	FADES_FORMER = 128,
	FRESH_BITS = 24,
	FRESH_ONE = 1 << FRESH_BITS,
	POWER_BITS = 16,
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

static uint64_t object_error_part_of(const struct object_error_growth *g)
{
	return g->added > 0 ? saturate_min(saturate_part((uint64_t)g->added, FRESH_ONE, g->grown),
				      FRESH_ONE)
	                    : 0;
}

/*
 * Returns the logarithm of V > 0 to the base 2, in units of 1 / (1 << POWER_BITS); linear between
 * powers of two, as object_error_power() is.
 */
static int64_t object_error_logarithm(uint64_t v)
{
	unsigned int whole = 63 - (unsigned int)__builtin_clzll(v);
	uint64_t rest = v - (UINT64_C(1) << whole);

	return ((int64_t)whole << POWER_BITS) |
	       (int64_t)saturate_part(rest, 1 << POWER_BITS, UINT64_C(1) << whole);
}

/* The inverse of object_error_logarithm(): 0 for less than 1, at most FRESH_ONE. */
static uint64_t object_error_power(int64_t log)
{
	int64_t whole = log >> POWER_BITS;
	uint64_t rest = (uint64_t)log & ((1 << POWER_BITS) - 1);

	if (whole < 0)
		return 0;
	if (whole >= FRESH_BITS)
		return FRESH_ONE;
	return (UINT64_C(1) << whole) + ((rest << whole) >> POWER_BITS);
}

/*
 * Returns the part of touched memory that is new if all sharers have PLACE, in units of 1 /
 * FRESH_ONE.
 */
static uint64_t fresh_part(const struct object_error *e, uint64_t place)
{
	uint64_t late = object_error_part_of(&e->late), former = object_error_part_of(&e->former),
		 way, beyond;
	int64_t fall;

	if (!late || former <= late || e->late.place <= e->former.place)
		return late;
	fall = object_error_logarithm(former) - object_error_logarithm(late);
	way = e->late.place - e->former.place;
	/* The curve is used neither before the former place, nor farther beyond the late place than
	 * twice their distance. */
	place = saturate_max(place, e->former.place);
	beyond = saturate_min(saturate_distance(place, e->late.place), saturate_add(way, way));
	fall = (int64_t)saturate_part((uint64_t)fall, beyond, way);
	return object_error_power(
		object_error_logarithm(late) + (place < e->late.place ? fall : -fall));
}

/*
 * Returns the place of C: halfway between what all had and have, more if they have had more before.
 */
static uint64_t object_error_place_of(
	const struct object_error *e, const struct object_error_change *c)
{
	return c->then + (c->now - c->then) / 2 + saturate_less(e->most, c->now);
}

void object_error_guess(const struct object_error *e, const struct object_error_change *c,
	struct object_error_guess *ret)
{
	uint64_t still = saturate_part(c->pss, c->now_rss, c->rss), added = 0;

	*ret = (struct object_error_guess){
		.still = still, .grown = saturate_part(c->now_rss, c->now - c->then, c->now)};
	added = saturate_part(ret->grown, fresh_part(e, object_error_place_of(e, c)), FRESH_ONE);
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

static void object_error_grow(struct object_error_growth *to, uint64_t grown, int64_t added,
	uint64_t place, unsigned int fades)
{
	uint64_t way = saturate_distance(place, to->place);

	object_error_fade(&to->grown, grown, fades);
	to->added = saturate_sum(to->added - to->added / (int)fades, added);
	way = saturate_part(way, grown, to->grown);
	to->place = place < to->place ? to->place - way : to->place + way;
}

uint16_t object_error_learn(
	struct object_error *e, const struct object_error_change *c, uint64_t found, uint16_t odd)
{
	struct object_error_guess g;
	uint64_t off, now_odd, place;
	int64_t more;

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
		e->most = saturate_max(e->most, c->now);
		place = object_error_place_of(e, c);
		more = saturate_difference(found, object_error_divided(c, g.still));
		object_error_grow(&e->late, g.grown, more, place, FADES_LATE);
		object_error_grow(&e->former, g.grown, more, place, FADES_FORMER);
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
