/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x is a page's share before, 1/m. The functions compute its share after. The bounds over all
 * distributions of x with the known mean are the convex and concave hulls of what one page can
 * become, taken at the mean. If the mean implies more sharers than are known, only two
 * distributions count: all pages alike; and pages that the known processes share alone, beside
 * pages with so many sharers that they count nothing. Fractions are in units of 2^-31, so that two
 * multiply in 64 bits, which halves the cost; for 1 GiB the error is a few bytes.
 */
#include "config.h"

#include "collectors/model/degree.h"

#include <stdbool.h>

#include "base/amount.h"

#define ONE (UINT64_C(1) << 31)

enum {
	SPREAD = 4,
	STIR_SPREAD = 2,
	WHOLE_PART = 16, /* The mean share count may be off a whole number by this part of 1. */
};

static uint64_t share_of(uint64_t rss, uint64_t pss)
{
	return amount_min(amount_part(pss, ONE, rss), ONE / 2);
}

/* 1 / (1/X + ADDED): the share after ADDED sharers more. */
static uint64_t with_more(uint64_t x, uint64_t added)
{
	return amount_part(x, ONE, amount_add(ONE, amount_part(x, added, 1)));
}

/* 1 / (1/X - REMOVED), at most 1: the share after REMOVED sharers fewer. */
static uint64_t with_fewer(uint64_t x, uint64_t removed)
{
	uint64_t lost = amount_part(x, removed, 1);

	return lost >= ONE ? ONE : amount_min(amount_part(x, ONE, ONE - lost), ONE);
}

/* The value at X of the line through (X0, Y0) and (X1, Y1); outside of them the nearer end. */
static uint64_t between(uint64_t x, uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1)
{
	if (x1 <= x0 || x <= x0)
		return y0;
	if (x >= x1)
		return y1;
	if (y1 >= y0)
		return y0 + amount_part(y1 - y0, x - x0, x1 - x0);
	return y0 - amount_part(y0 - y1, x - x0, x1 - x0);
}

/*
 * The share, before X, of a page that all members and others map, after DEAD exits and BORN births.
 */
static uint64_t alike(uint64_t x, uint64_t dead, uint64_t born)
{
	return with_more(with_fewer(x, dead), born);
}

/*
 * The mean share of pages of two kinds: mapped by MEMBERS alone, of which LIVE are left and BORN
 * are new; and mapped by so many others that they count nothing. X is the mean before.
 */
static uint64_t mixed(uint64_t x, uint64_t members, uint64_t live, uint64_t born)
{
	return amount_part(with_more(ONE / live, born), x, ONE / members);
}

/*
 * Returns how many processes shared the pages if all shared all: the number that the mean X
 * implies, if that is .members up to degree_slack(). Returns 0 if not all share all.
 */
static uint64_t even_members(uint64_t x, const struct degree_change *c)
{
	uint64_t found = (ONE + x / 2) / amount_max(x, 1), members = c->members;
	uint64_t slack = degree_slack(c);

	return found + slack >= members && found <= members + slack ? found : 0;
}

/*
 * The share of a page that had MEMBERS sharers and the share X, if all processes that are there now
 * have it, except those that copied it.
 */
static uint64_t even_after(uint64_t x, uint64_t members, const struct degree_change *c)
{
	uint64_t now = (c->members - (uint64_t)c->dead + c->born) * DEGREE_ONE;

	now = amount_max(amount_less(now, c->parted), DEGREE_ONE);
	return amount_min(amount_part(x, members * DEGREE_ONE, now), ONE);
}

/*
 * The likely share after C. If all shared all, all processes that are there now do. Else the
 * sharers of a page exited, and were born, in the same proportion as all members. That is too much
 * if a page has more sharers than are known; then the additional sharers are taken to be equally
 * many for each page.
 */
static uint64_t middle(uint64_t x, const struct degree_change *c)
{
	uint64_t live = c->members - c->dead, even = even_members(x, c), others;
	uint64_t all_others = (c->members - UINT64_C(1)) * DEGREE_ONE;

	if (even && (c->dead || c->born))
		return even_after(x, even, c);
	if (x < ONE / c->members && !c->parted)
		return alike(x, c->dead, c->born);
	/* 1 / (1 + (1/x - 1) * (live - parted - 1) / (members - 1)) */
	if (all_others && (c->dead || c->parted)) {
		others = amount_part(
			ONE - x, amount_less((live - 1) * DEGREE_ONE, c->parted), all_others);
		x = amount_part(x, ONE, amount_add(x, others));
	}
	return amount_min(amount_part(x, live, live + c->born), with_more(x, c->own));
}

/*
 * The least share after C: as few sharers as possible exited, and all that were born map the page.
 * As the share count falls from all members to the living ones, the number of exited ones among its
 * sharers falls by as many.
 */
static uint64_t least(uint64_t x, const struct degree_change *c)
{
	uint64_t dead = amount_less(c->dead, c->unsure), live = c->members - dead;
	uint64_t all;

	if (x <= ONE / c->members)
		return amount_min(alike(x, dead, c->born), mixed(x, c->members, live, c->born));
	all = with_more(ONE / live, c->born);
	return between(x, ONE / live, all, ONE / 2, with_more(ONE / 2, c->born));
}

/*
 * Returns how many exited members may all have mapped the same page: all of them if they are a
 * large part of the members, else SPREAD times the number expected by chance. If DEAD of MEMBERS
 * exited, a page with m sharers has lost at most SPREAD * (1 + DEAD * (m - 1) / MEMBERS); if that
 * is m - 1, it is private.
 */
static uint32_t dead_together(const struct degree_change *c)
{
	uint64_t others = c->members - UINT64_C(1), often = SPREAD * (uint64_t)c->dead;

	if (often >= others)
		return c->dead;
	return (uint32_t)amount_min(c->dead, SPREAD * others / (others - often));
}

/*
 * The largest share after C: as many sharers as possible exited. Processes that were born map the
 * page only if all members do, or if they are the process's own descendants.
 */
static uint64_t most(uint64_t x, const struct degree_change *c)
{
	uint64_t live = c->members - c->dead, first = ONE / c->members, y, one_left;
	uint64_t born = amount_less(c->born, c->early), own = amount_less(c->own, c->early);
	uint64_t all = with_more(ONE / live, born);
	uint32_t dead = dead_together(c);

	if (x <= first)
		return amount_max(alike(x, c->dead, born), mixed(x, c->members, live, born));
	one_left = with_more(ONE, own);
	y = with_more(with_fewer(x, dead), own);
	y = amount_max(
		y, between(x, first, all, ONE / 2, with_more(with_fewer(ONE / 2, dead), own)));
	if (dead && dead + 1 < c->members)
		y = amount_max(y, between(x, first, all, ONE / (dead + 1), one_left));
	return y;
}

/*
 * Makes a span of the fractions LOW, MID and HIGH of RSS. Their formulas differ and each is
 * rounded, so this restores low <= mid <= high.
 */
static struct degree_span span_of(uint64_t rss, uint64_t low, uint64_t mid, uint64_t high)
{
	struct degree_span s;

	s.high = amount_part(rss, high, ONE);
	s.low = amount_min(amount_part(rss, low, ONE), s.high);
	s.mid = amount_max(amount_min(amount_part(rss, mid, ONE), s.high), s.low);
	return s;
}

/*
 * Whether N processes that map all of RSS, and OTHERS that map SOME of it, would imply a PSS above
 * PSS; with IS_AS_GOOD, a PSS of at least PSS. Up to a WHOLE_PART of one sharer is ignored.
 */
static bool counts_more(
	uint64_t rss, uint64_t pss, uint64_t some, uint64_t n, uint64_t others, bool is_as_good)
{
	uint64_t count = (rss - some) / n + some / amount_add(n, others);
	uint64_t off = pss / n / WHOLE_PART;

	return is_as_good ? amount_add(count, off) >= pss : count > amount_add(pss, off);
}

uint64_t degree_sharers(
	uint64_t rss, uint64_t pss, const struct degree_outside *outside, uint32_t known)
{
	uint64_t some = amount_min(outside->bytes, rss), low = 1, high = pss ? rss / pss + 2 : 1,
		 least;

	if (!pss)
		return 0;
	/* The fewest sharers that imply no more than PSS, with as many others as allowed. */
	while (low < high) {
		uint64_t n = low + (high - low) / 2;

		if (counts_more(rss, pss, some, n, outside->others, false))
			low = n + 1;
		else
			high = n;
	}
	least = low;
	/* The most sharers that imply at least PSS, with one other. */
	for (low = 0, high = rss / pss + 2; low < high;) {
		uint64_t n = low + (high - low + 1) / 2;

		if (counts_more(rss, pss, some, n, 1, true))
			low = n;
		else
			high = n - 1;
	}
	return least > low ? 0 : amount_max(least, amount_min(low, known));
}

void degree_forked(
	uint64_t rss, uint64_t pss, const struct degree_change *c, struct degree_span *ret)
{
	uint64_t x = share_of(rss, pss), mid = middle(x, c);

	/* The bounds ignore copy-on-write breaks, except that they contain the middle. */
	*ret = span_of(rss, amount_min(least(x, c), mid), mid, amount_max(most(x, c), mid));
}

void degree_mapped(
	uint64_t rss, uint64_t pss, const struct degree_change *c, struct degree_span *ret)
{
	struct degree_change died = *c, joined = *c;
	uint64_t x = share_of(rss, pss), sharers = x ? ONE / x : UINT32_MAX;

	/* Processes outside of the family map files, too: the mean implies at least this many
	 * sharers. */
	if (sharers > UINT32_MAX - 1)
		sharers = UINT32_MAX - 1;
	if (sharers > died.members)
		died.members = (uint32_t)sharers;
	died.born = died.early = died.own = died.parted = 0;
	joined.members = died.members;
	joined.dead = joined.unsure = joined.own = joined.parted = 0;
	*ret = span_of(rss, least(x, &joined), middle(x, &died), most(x, &died));
}

void degree_stirred(uint64_t rss, uint64_t pss, uint64_t lost, uint64_t gained, uint64_t *ret_down,
	uint64_t *ret_up)
{
	uint64_t x = share_of(rss, pss), sharers = x ? ONE / x / STIR_SPREAD : UINT32_MAX;

	sharers = amount_max(2, amount_min(sharers, UINT32_MAX));
	*ret_up = amount_min(lost / (sharers * (sharers - 1)), amount_less(rss, pss));
	*ret_down = amount_min(gained / (sharers * (sharers + 1)), pss);
}

/*
 * A page with m sharers gains at most 1/m for each other sharer that copies it. So pages with m >=
 * M gain at most an Mth of BYTES in all. Pages with fewer sharers can be few only, if the mean is
 * near that of all members.
 */
uint64_t degree_written(uint64_t rss, uint64_t pss, uint32_t members, uint64_t bytes)
{
	uint64_t most = amount_min(bytes / 2, amount_less(rss, pss));
	uint64_t extra = amount_less(pss, rss / amount_max(members, 1));

	for (uint64_t m = 4; m / 2 < members; m *= 2) {
		uint64_t limit = amount_min(m, members);
		uint64_t fewer = amount_part(
			extra, (limit - 1) * members, members - limit + UINT64_C(1));

		most = amount_min(most, amount_add(bytes / limit, fewer));
	}
	return most;
}

uint32_t degree_correction(uint64_t guessed_rss, uint64_t guessed_pss, uint64_t rss, uint64_t pss)
{
	uint64_t guessed = amount_part(guessed_pss, ONE, guessed_rss),
		 found = amount_part(pss, ONE, rss);
	uint64_t correction = amount_part(DEGREE_AS_GUESSED, found, guessed);

	if (!correction)
		return DEGREE_AS_GUESSED;
	/* A larger correction says something about that one process only. */
	return (uint32_t)amount_max(
		amount_min(correction, 16 * DEGREE_AS_GUESSED), DEGREE_AS_GUESSED / 16);
}

void degree_correct(struct degree_span *s, uint32_t correction, uint64_t rss)
{
	uint64_t mid, step;

	if (correction == DEGREE_AS_GUESSED)
		return;
	mid = amount_min(amount_part(s->mid, correction, DEGREE_AS_GUESSED), rss);
	step = mid > s->mid ? mid - s->mid : s->mid - mid;
	s->mid = mid;
	s->low = amount_min(s->low, amount_less(mid, step / 4));
	s->high = amount_max(s->high, amount_min(mid + step / 4, rss));
}
