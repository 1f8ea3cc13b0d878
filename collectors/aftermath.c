/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a part is private is known within bounds only; the guess is made for the least, the most
 * and the likely that are plausible, and the bounds hold all of them.
 */
#include "config.h"

#include "collectors/aftermath.h"

#include "collectors/amount.h"

enum {
	/* Of shared memory: with less, what one finds says little of the others. */
	TELLING_MIN = 256 << 10,
	/* Of what may be private or shared as far as the sums go, that more than this part is otherwise than
	 * it seems would take a process of which all files are its own, or none. */
	PLAUSIBLE_PART = 8,
	/* Newborns write to some of what they share at once, before anyone looks. */
	SOON_WRITTEN = 8,
};

static void span_add(struct degree_span *to, const struct degree_span *s)
{
	to->low += s->low;
	to->mid += s->mid;
	to->high += s->high;
}

static void span_widen(struct degree_span *to, const struct degree_span *s)
{
	to->low = amount_min(to->low, s->low);
	to->high = amount_max(to->high, s->high);
}

/*
 * What the anonymous memory of P becomes, if PRIVATE of it was nobody else's: its own children share that
 * too. CORRECTION is for what is shared, which is *ret_shared.
 */
static struct degree_span anon_after(const struct estimate_part *p, uint64_t private,
	const struct degree_change *c, uint32_t correction, struct degree_span *ret_shared)
{
	uint64_t rss = p->rss - private, pss = p->pss - private, unborn;
	uint64_t own = private / (UINT64_C(1) + c->own);
	struct degree_change deaths = *c;
	struct degree_span s;

	degree_forked(rss, pss, c, ret_shared);
	degree_correct(ret_shared, correction, rss);
	s = *ret_shared;
	span_add(&s, &(struct degree_span){
			     own, own, private / (UINT64_C(1) + amount_less(c->own, c->early))});
	if (c->born) {
		struct degree_span before;

		deaths.born = deaths.early = deaths.own = 0;
		degree_forked(rss, pss, &deaths, &before);
		unborn = before.mid + private;
		s.high += amount_less(unborn, s.mid) / SOON_WRITTEN;
	}
	return s;
}

/* A segment that PART_RSS bytes are of, of RSS that count PSS, all shared, and what it counts of it. */
static uint64_t segment_pss(
	const struct degree_change *gone, uint64_t part_rss, uint64_t rss, uint64_t pss)
{
	uint64_t part = part_rss / gone->members;

	/* What is left can't count more than half. */
	part = amount_max(part, amount_less(pss, (rss - part_rss) / 2));
	return amount_min(part, amount_min(pss, part_rss / 2));
}

/* The same of one with SHARERS that are all there. */
static uint64_t part_of(uint32_t sharers, uint64_t part_rss, uint64_t rss, uint64_t pss)
{
	const struct degree_change none = {.members = sharers > 2 ? sharers : 2};

	return segment_pss(&none, part_rss, rss, pss);
}

/* What PART_RSS bytes of a segment, counting PART_PSS, become by its sharers' exits. */
static struct degree_span segment_after(
	const struct degree_change *gone, uint64_t part_rss, uint64_t part_pss, uint64_t pss)
{
	uint64_t most = amount_min(
		amount_min(pss, part_rss / 2), part_rss / (gone->dead + UINT64_C(1)));
	struct degree_span s, high;

	degree_forked(part_rss, part_pss, gone, &s);
	/* The dead may never have touched it. */
	s.low = amount_min(s.mid, part_pss);
	/* More of what it shares may be of this segment, with fewer of them. */
	degree_forked(part_rss, most, gone, &high);
	s.high = amount_max(s.mid, part_pss + amount_less(high.high, most));
	return s;
}

struct file_guess {
	struct degree_span all;
	uint64_t affected; /* of .all.mid, by any event */
};

/*
 * What the files of P become, if PRIVATE of it was nobody else's: segments by the exits of their
 * sharers, the rest by what happened in the family.
 */
static struct file_guess file_after(
	const struct aftermath *a, const struct estimate_part *p, uint64_t private)
{
	struct file_guess g = {.all = {private, private, private}};
	uint64_t rss = p->rss - private, pss = p->pss - private;
	struct degree_span s;

	for (size_t i = 0; i < a->segments; i++) {
		const struct aftermath_segment *segment = &a->segment[i];
		uint64_t part_rss = amount_min(segment->bytes, rss);
		uint64_t part_pss = segment_pss(&segment->gone, part_rss, rss, pss);

		s = segment_after(&segment->gone, part_rss, part_pss, pss);
		degree_correct(&s, segment->correction, part_rss);
		span_add(&g.all, &s);
		g.affected += s.mid;
		rss -= part_rss;
		pss -= part_pss;
	}
	s = (struct degree_span){pss, pss, pss};
	if (aftermath_has_family(a)) {
		degree_mapped(rss, pss, &a->family, &s);
		degree_correct(&s, a->file, rss);
		g.affected += s.mid;
	}
	span_add(&g.all, &s);
	return g;
}

static uint64_t least_private(const struct estimate_part *p)
{
	return p->private_mid - (p->private_mid - p->private_min) / PLAUSIBLE_PART;
}

static uint64_t most_private(const struct estimate_part *p)
{
	return p->private_mid + (p->private_max - p->private_mid) / PLAUSIBLE_PART;
}

static void anon_doubt(const struct aftermath *a, const struct estimate_part *p, uint64_t rounding,
	struct estimate_doubt *ret)
{
	struct degree_span shared, other, s;
	uint64_t before;

	s = anon_after(p, least_private(p), &a->family, a->anon, &shared);
	other = anon_after(p, most_private(p), &a->family, a->anon, &shared);
	span_widen(&s, &other);
	other = anon_after(p, p->private_mid, &a->family, a->anon, &shared);
	span_widen(&s, &other);
	s.mid = other.mid;
	/* What was rounded down once is rounded down by as much more as it grows. */
	before = p->pss - p->private_mid;
	s.high += amount_part(rounding, amount_less(shared.mid, before), before);
	ret->anon_mid = amount_difference(s.mid, p->pss);
	ret->anon_down = s.mid - s.low;
	ret->anon_up = s.high - s.mid;
}

static void file_doubt(const struct aftermath *a, const struct estimate_part *p, uint64_t rounding,
	struct estimate_doubt *ret)
{
	struct degree_span s = file_after(a, p, least_private(p)).all, other;

	other = file_after(a, p, most_private(p)).all;
	span_widen(&s, &other);
	other = file_after(a, p, p->private_mid).all;
	span_widen(&s, &other);
	s.mid = other.mid;
	s.high += amount_part(rounding, amount_less(s.mid, p->pss), p->pss - p->private_mid);
	ret->file_mid = amount_difference(s.mid, p->pss);
	ret->file_down = s.mid - s.low;
	ret->file_up = s.high - s.mid;
}

/* In swap is what a fork shares as well. Of that no more is private than must be. */
static int64_t swap_doubt(const struct aftermath *a, const struct estimate_base *base)
{
	const struct estimate_part p = {.rss = base->swap, .pss = base->swap_pss};
	struct degree_span shared;

	if (p.pss > p.rss) /* or not known */
		return 0;
	return amount_difference(
		anon_after(&p, amount_less(p.pss, p.rss - p.pss), &a->family, a->anon, &shared).mid,
		p.pss);
}

void aftermath_doubt(const struct aftermath *a, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct estimate_part anon, file;

	*ret = (struct estimate_doubt){0};
	estimate_parts(base, &anon, &file);
	file_doubt(a, &file, base->rounding, ret);
	if (!aftermath_has_family(a))
		return;
	anon_doubt(a, &anon, base->rounding, ret);
	ret->forks = amount_less(a->family.own, a->family.early);
	ret->forked_growth = ret->forks ? amount_less(now->anon, base->anon) : 0;
	ret->swap_mid = base->swap ? swap_doubt(a, base) : 0;
}

void aftermath_stirred(const struct aftermath_stir *list, size_t count,
	const struct estimate_base *base, uint64_t *ret_down, uint64_t *ret_up)
{
	struct estimate_part anon, file;
	uint64_t rss, pss, most_down, down = 0, up = 0;

	estimate_parts(base, &anon, &file);
	rss = file.rss - file.private_mid;
	pss = file.pss - file.private_mid;
	most_down = pss + file.private_mid / 2;
	for (size_t i = 0; i < count; i++) {
		const struct aftermath_stir *stir = &list[i];
		uint64_t part_rss = amount_min(stir->bytes, rss);
		uint64_t part_pss = part_rss == rss ? pss
		                                    : part_of(stir->sharers, part_rss, rss, pss);
		uint64_t part_down, part_up, touched;

		degree_stirred(part_rss, part_pss, stir->lost, stir->gained, &part_down, &part_up);
		up = amount_add(up, part_up);
		down = amount_add(down, part_down);
		/* What was its own two may share now: all of it, if this was its own alone. */
		touched = amount_min(stir->gained, amount_min(stir->bytes, file.private_mid));
		if (stir->sharers > 2)
			touched = amount_min(
				touched, amount_part(2 * stir->gained, file.private_mid, file.rss));
		down = amount_add(down, touched / 2);
		rss -= part_rss;
		pss -= part_pss;
	}
	*ret_down = amount_min(down, most_down);
	*ret_up = amount_min(up, file.rss - file.pss);
}

bool aftermath_compare(const struct aftermath *a, const struct estimate_base *before,
	const struct estimate_base *found, uint32_t *ret_anon, uint32_t *ret_file)
{
	struct aftermath plain = *a;
	struct estimate_part a0, a1, f0, f1;
	struct degree_span shared;
	struct file_guess guess;
	uint64_t shared_rss, same, now;
	bool tells = false;

	plain.anon = plain.file = DEGREE_AS_GUESSED;
	for (size_t i = 0; i < plain.segments; i++)
		plain.segment[i].correction = DEGREE_AS_GUESSED;
	*ret_anon = *ret_file = DEGREE_AS_GUESSED;
	estimate_parts(before, &a0, &f0);
	estimate_parts(found, &a1, &f1);
	/* Of what it shared then; what grew meanwhile is its own, and nobody else's to be told. */
	shared_rss = a0.rss - a0.private_mid;
	if (shared_rss >= TELLING_MIN && a1.rss >= a0.rss - shared_rss / 8) {
		same = a0.private_mid / (UINT64_C(1) + a->family.own) + amount_less(a1.rss, a0.rss);
		anon_after(&a0, a0.private_mid, &a->family, plain.anon, &shared);
		now = amount_min(amount_less(a1.pss, same), shared.high);
		*ret_anon = degree_correction(shared_rss, shared.mid, shared_rss, now);
		tells = true;
	}
	shared_rss = f0.rss - f0.private_mid;
	guess = file_after(&plain, &f0, f0.private_mid);
	if (shared_rss >= TELLING_MIN && f1.rss && guess.affected) {
		/* As if it had as much of files as then; less what no event has changed. */
		same = guess.all.mid - guess.affected;
		now = amount_min(amount_part(f1.pss, f0.rss, f1.rss), guess.all.high);
		now = amount_less(now, same);
		*ret_file = degree_correction(shared_rss, guess.affected, shared_rss, now);
		tells = true;
	}
	return tells;
}
