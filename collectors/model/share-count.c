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

#include "collectors/model/share-count.h"

#include <stdbool.h>

#include "base/saturate.h"

#define ONE (UINT64_C(1) << 31)

enum {
	SPREAD = 4,
	STIR_SPREAD = 2,
	WHOLE_PART = 16, /* The mean share count may be off a whole number by this part of 1. */
};

static uint64_t share_of(uint64_t rss, uint64_t pss)
{
	return saturate_min(saturate_part(pss, ONE, rss), ONE / 2);
}

/* 1 / (1/X + ADDED): the share after ADDED sharers more. */
static uint64_t with_more(uint64_t x, uint64_t added)
{
	return saturate_part(x, ONE, saturate_add(ONE, saturate_part(x, added, 1)));
}

/* 1 / (1/X - REMOVED), at most 1: the share after REMOVED sharers fewer. */
static uint64_t with_fewer(uint64_t x, uint64_t removed)
{
	uint64_t lost = saturate_part(x, removed, 1);

	return lost >= ONE ? ONE : saturate_min(saturate_part(x, ONE, ONE - lost), ONE);
}

/* The value at X of the line through (X0, Y0) and (X1, Y1); outside of them the nearer end. */
static uint64_t share_count_between(uint64_t x, uint64_t x0, uint64_t y0, uint64_t x1, uint64_t y1)
{
	if (x1 <= x0 || x <= x0)
		return y0;
	if (x >= x1)
		return y1;
	if (y1 >= y0)
		return y0 + saturate_part(y1 - y0, x - x0, x1 - x0);
	return y0 - saturate_part(y0 - y1, x - x0, x1 - x0);
}

/*
 * The share, before X, of a page that all members and others map, after DEAD exits and BORN births.
 */
static uint64_t share_count_alike(uint64_t x, uint64_t dead, uint64_t born)
{
	return with_more(with_fewer(x, dead), born);
}

/*
 * The mean share of pages of two kinds: mapped by MEMBERS alone, of which LIVE are left and BORN
 * are new; and mapped by so many others that they count nothing. X is the mean before.
 */
static uint64_t share_count_mixed(uint64_t x, uint64_t members, uint64_t live, uint64_t born)
{
	return saturate_part(with_more(ONE / live, born), x, ONE / members);
}

/*
 * Returns how many processes shared the pages if all shared all: the number that the mean X
 * implies, if that is .members up to share_count_slack(). Returns 0 if not all share all.
 */
static uint64_t even_members(uint64_t x, const struct share_count_change *c)
{
	uint64_t found = (ONE + x / 2) / saturate_max(x, 1), members = c->members;
	uint64_t slack = share_count_slack(c);

	return found + slack >= members && found <= members + slack ? found : 0;
}

/*
 * The share of a page that had MEMBERS sharers and the share X, if all processes that are there now
 * have it, except those that copied it.
 */
static uint64_t even_after(uint64_t x, uint64_t members, const struct share_count_change *c)
{
	uint64_t now = (c->members - (uint64_t)c->dead + c->born) * SHARE_COUNT_ONE;

	now = saturate_max(saturate_less(now, c->parted), SHARE_COUNT_ONE);
	return saturate_min(saturate_part(x, members * SHARE_COUNT_ONE, now), ONE);
}

/*
 * The likely share after C. If all shared all, all processes that are there now do. Else the
 * sharers of a page exited, and were born, in the same proportion as all members. That is too much
 * if a page has more sharers than are known; then the additional sharers are taken to be equally
 * many for each page.
 */
static uint64_t share_count_middle(uint64_t x, const struct share_count_change *c)
{
	uint64_t live = c->members - c->dead, even = even_members(x, c), others;
	uint64_t all_others = (c->members - UINT64_C(1)) * SHARE_COUNT_ONE;

	if (even && (c->dead || c->born))
		return even_after(x, even, c);
	if (x < ONE / c->members && !c->parted)
		return share_count_alike(x, c->dead, c->born);
	/* 1 / (1 + (1/x - 1) * (live - parted - 1) / (members - 1)) */
	if (all_others && (c->dead || c->parted)) {
		others = saturate_part(ONE - x,
			saturate_less((live - 1) * SHARE_COUNT_ONE, c->parted), all_others);
		x = saturate_part(x, ONE, saturate_add(x, others));
	}
	return saturate_min(saturate_part(x, live, live + c->born), with_more(x, c->own));
}

/*
 * The least share after C: as few sharers as possible exited, and all that were born map the page.
 * As the share count falls from all members to the living ones, the number of exited ones among its
 * sharers falls by as many.
 */
static uint64_t share_count_least(uint64_t x, const struct share_count_change *c)
{
	uint64_t dead = saturate_less(c->dead, c->unsure), live = c->members - dead;
	uint64_t all;

	if (x <= ONE / c->members)
		return saturate_min(share_count_alike(x, dead, c->born),
			share_count_mixed(x, c->members, live, c->born));
	all = with_more(ONE / live, c->born);
	return share_count_between(x, ONE / live, all, ONE / 2, with_more(ONE / 2, c->born));
}

/*
 * Returns how many exited members may all have mapped the same page: all of them if they are a
 * large part of the members, else SPREAD times the number expected by chance. If DEAD of MEMBERS
 * exited, a page with m sharers has lost at most SPREAD * (1 + DEAD * (m - 1) / MEMBERS); if that
 * is m - 1, it is private.
 */
static uint32_t dead_together(const struct share_count_change *c)
{
	uint64_t others = c->members - UINT64_C(1), often = SPREAD * (uint64_t)c->dead;

	if (often >= others)
		return c->dead;
	return (uint32_t)saturate_min(c->dead, SPREAD * others / (others - often));
}

/*
 * The largest share after C: as many sharers as possible exited. Processes that were born map the
 * page only if all members do, or if they are the process's own descendants.
 */
static uint64_t share_count_most(uint64_t x, const struct share_count_change *c)
{
	uint64_t live = c->members - c->dead, first = ONE / c->members, y, one_left;
	uint64_t born = saturate_less(c->born, c->early), own = saturate_less(c->own, c->early);
	uint64_t all = with_more(ONE / live, born);
	uint32_t dead = dead_together(c);

	if (x <= first)
		return saturate_max(share_count_alike(x, c->dead, born),
			share_count_mixed(x, c->members, live, born));
	one_left = with_more(ONE, own);
	y = with_more(with_fewer(x, dead), own);
	if (dead && dead + 1 < c->members)
		y = saturate_max(y, share_count_between(x, first, all, ONE / (dead + 1), one_left));
	return y;
}

/*
 * Makes a span of the fractions LOW, MID and HIGH of RSS. Their formulas differ and each is
 * rounded, so this restores low <= mid <= high.
 */
static struct share_count_span share_count_span_of(
	uint64_t rss, uint64_t low, uint64_t mid, uint64_t high)
{
	struct share_count_span s;

	s.high = saturate_part(rss, high, ONE);
	s.low = saturate_min(saturate_part(rss, low, ONE), s.high);
	s.mid = saturate_clamp(saturate_part(rss, mid, ONE), s.low, s.high);
	return s;
}

/*
 * Whether N processes that map all of RSS, and OTHERS that map SOME of it, would imply a PSS above
 * PSS; with IS_AS_GOOD, a PSS of at least PSS. Up to a WHOLE_PART of one sharer is ignored.
 */
static bool counts_more(
	uint64_t rss, uint64_t pss, uint64_t some, uint64_t n, uint64_t others, bool is_as_good)
{
	uint64_t count = (rss - some) / n + some / saturate_add(n, others);
	uint64_t off = pss / n / WHOLE_PART;

	return is_as_good ? saturate_add(count, off) >= pss : count > saturate_add(pss, off);
}

uint64_t share_count_sharers(
	uint64_t rss, uint64_t pss, const struct share_count_outside *outside, uint32_t known)
{
	uint64_t some = saturate_min(outside->bytes, rss), low = 1, high = pss ? rss / pss + 2 : 1,
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
	return least > low ? 0 : saturate_max(least, saturate_min(low, known));
}

void share_count_forked(uint64_t rss, uint64_t pss, const struct share_count_change *c,
	struct share_count_span *ret)
{
	uint64_t x = share_of(rss, pss), mid = share_count_middle(x, c);

	/* The bounds ignore copy-on-write breaks, except that they contain the middle. */
	*ret = share_count_span_of(rss, saturate_min(share_count_least(x, c), mid), mid,
		saturate_max(share_count_most(x, c), mid));
}

void share_count_mapped(uint64_t rss, uint64_t pss, const struct share_count_change *c,
	struct share_count_span *ret)
{
	struct share_count_change died = *c, joined = *c;
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
	*ret = share_count_span_of(rss, share_count_least(x, &joined), share_count_middle(x, &died),
		share_count_most(x, &died));
}

void share_count_stirred(uint64_t rss, uint64_t pss, uint64_t lost, uint64_t gained,
	uint64_t *ret_down, uint64_t *ret_up)
{
	uint64_t x = share_of(rss, pss), sharers = x ? ONE / x / STIR_SPREAD : UINT32_MAX;

	sharers = saturate_clamp(sharers, 2, UINT32_MAX);
	*ret_up = saturate_min(lost / (sharers * (sharers - 1)), saturate_less(rss, pss));
	*ret_down = saturate_min(gained / (sharers * (sharers + 1)), pss);
}

/*
 * A page with m sharers gains at most 1/m for each other sharer that copies it. So pages with m >=
 * M gain at most an Mth of BYTES in all. Pages with fewer sharers can be few only, if the mean is
 * near that of all members.
 */
uint64_t share_count_written(uint64_t rss, uint64_t pss, uint32_t members, uint64_t bytes)
{
	uint64_t most = saturate_min(bytes / 2, saturate_less(rss, pss));
	uint64_t extra = saturate_less(pss, rss / saturate_max(members, 1));

	for (uint64_t m = 4; m / 2 < members; m *= 2) {
		uint64_t limit = saturate_min(m, members);
		uint64_t fewer = saturate_part(
			extra, (limit - 1) * members, members - limit + UINT64_C(1));

		most = saturate_min(most, saturate_add(bytes / limit, fewer));
	}
	return most;
}

uint32_t share_count_correction(
	uint64_t guessed_rss, uint64_t guessed_pss, uint64_t rss, uint64_t pss)
{
	uint64_t guessed = saturate_part(guessed_pss, ONE, guessed_rss),
		 found = saturate_part(pss, ONE, rss);
	uint64_t correction = saturate_part(SHARE_COUNT_AS_GUESSED, found, guessed);

	return correction ? saturate_u32(correction) : SHARE_COUNT_AS_GUESSED;
}

void share_count_correct(struct share_count_span *s, uint32_t correction, uint64_t rss)
{
	if (correction == SHARE_COUNT_AS_GUESSED)
		return;
	s->mid = saturate_min(saturate_part(s->mid, correction, SHARE_COUNT_AS_GUESSED), rss);
	s->low = saturate_min(s->low, s->mid);
	s->high = saturate_max(s->high, s->mid);
}
