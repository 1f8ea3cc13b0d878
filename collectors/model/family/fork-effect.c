/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private bytes of a part are known within bounds only. The guess is made for the least, the
 * largest and the likely plausible number of them, and the bounds contain all three.
 */
#include "config.h"

#include "collectors/model/family/fork-effect.h"

#include "base/cleanup.h"
#include "base/saturate.h"

enum {
	/* Bytes of shared memory: a process with less says little about others. */
	TELLING_MIN = 256 << 10,
	/* How far from the likely number of private bytes is plausible: an eighth of the way to
	 * each bound. Farther off would be a process with private files only, or shared ones
	 * only. */
	PLAUSIBLE_PART = 8,
	/* Newborns copy a part of what they share before any pass sees them; the high bound allows
	 * for an eighth of the births' effect. */
	UNSEEN_PART = 8,
};

static void span_add(struct share_count_span *to, const struct share_count_span *s)
{
	to->low += s->low;
	to->mid += s->mid;
	to->high += s->high;
}

static void span_widen(struct share_count_span *to, const struct share_count_span *s)
{
	to->low = saturate_min(to->low, s->low);
	to->high = saturate_max(to->high, s->high);
}

/*
 * Returns how much of PRIVATE bytes stays private in a process with COUNT children, each of which
 * copies SOON_WRITTEN bytes at once. The children copy the same pages as earlier children did,
 * which is why these pages are private.
 */
static uint64_t left_private(uint64_t private, uint64_t soon_written, uint64_t count)
{
	uint64_t left = saturate_min(private, soon_written);

	return left + (private - left) / (1 + count);
}

/*
 * Computes in *RET the PSS, after C, of RSS bytes that the family shares and that counted PSS. If
 * processes outside of the family share up to OUTSIDE of them, that part's PSS is what PSS exceeds
 * the family's share of the rest by. Exits and forks of the outside processes are not seen.
 */
static void shared_after(uint64_t rss, uint64_t pss, const struct share_count_outside *outside,
	const struct share_count_change *c, struct share_count_span *ret)
{
	uint64_t live = c->members - c->dead, members = c->members, some, alone, with_one, part;
	struct share_count_span inside;
	uint64_t found;

	share_count_forked(rss, pss, c, ret);
	some = saturate_min(outside->bytes, rss);
	if (!some)
		return;
	found = share_count_sharers(rss, pss, outside, c->members);
	if (found && found + share_count_slack(c) >= members &&
		found <= members + share_count_slack(c))
		members = found;
	alone = some / members;
	with_one = some / (members + 1);
	part = saturate_less(pss, (rss - some) / members);
	share_count_forked(rss - some, pss - saturate_min(part, with_one), c, &inside);
	ret->low = saturate_min(ret->low, inside.low);
	if (part >= with_one + (alone - with_one) / 2)
		return;
	ret->mid = inside.mid;
	if (part) {
		uint64_t others = saturate_max(saturate_less(some / part, members), 1);

		others = saturate_min(others, saturate_max(outside->others, 1));
		ret->mid += some / saturate_add(live + c->born, others);
	}
	ret->high = saturate_max(
		ret->high, inside.high + some / (live + saturate_less(c->born, c->early)));
}

/*
 * Computes the anonymous PSS of P after E if PRIVATE bytes of P were private: P's own children
 * share these, too, and processes that may be its children (.strays) may share them. CORRECTION
 * applies to the shared part, which is returned in *RET_SHARED.
 */
static struct share_count_span anon_after(const struct estimate_part *p, uint64_t private,
	const struct fork_effect *e, uint32_t correction, struct share_count_span *ret_shared)
{
	const struct share_count_change *c = &e->family;
	uint64_t rss = p->rss - private, pss = p->pss - private, unborn;
	uint64_t fewest = saturate_less(c->own, c->early);
	struct share_count_change deaths = *c;
	struct share_count_span s;

	shared_after(rss, pss, &e->outside, c, ret_shared);
	share_count_correct(ret_shared, correction, rss);
	s = *ret_shared;
	span_add(&s, &(struct share_count_span){private / (UINT64_C(1) + c->own + c->strays),
			     left_private(private, e->soon_written, c->own),
			     left_private(private, e->soon_written, fewest)});
	if (c->born) {
		uint64_t written = saturate_less(e->soon_written, private), rise;
		struct share_count_span before;

		deaths.born = deaths.early = deaths.own = deaths.strays = 0;
		shared_after(rss, pss, &e->outside, &deaths, &before);
		/* Pages that newborns copy beyond PRIVATE count as if the newborns had never shared
		 * them. */
		rise = saturate_part(saturate_less(before.mid, ret_shared->mid),
			saturate_min(written, rss), rss);
		s.mid += rise;
		s.high = saturate_max(s.high + rise, s.mid);
		unborn = before.mid + private;
		s.high += saturate_less(unborn, s.mid) / UNSEEN_PART;
	}
	return s;
}

struct file_guess {
	struct share_count_span all;
	uint64_t affected; /* PSS in .all.mid that the events may change */
};

/*
 * Computes the PSS of P's files after E if PRIVATE bytes were private. Files that belong to no
 * known mapped object change as the family does.
 */
static struct file_guess file_after(
	const struct fork_effect *e, const struct estimate_part *p, uint64_t private)
{
	struct file_guess g = {.all = {private, private, private}};
	uint64_t rss = p->rss - private, pss = p->pss - private;
	uint64_t known_rss = saturate_min(e->known_rss, rss);
	uint64_t known_pss = saturate_min(saturate_min(e->known_pss, pss), known_rss / 2);
	struct share_count_span s;

	/* The other files can count at most half of their RSS. */
	known_pss = saturate_max(known_pss, saturate_less(pss, (rss - known_rss) / 2));
	rss -= known_rss;
	pss -= known_pss;
	span_add(&g.all, &(struct share_count_span){known_pss, known_pss, known_pss});
	s = (struct share_count_span){pss, pss, pss};
	if (fork_effect_has_family(e)) {
		share_count_mapped(rss, pss, &e->family, &s);
		share_count_correct(&s, e->file, rss);
		g.affected += s.mid;
	}
	span_add(&g.all, &s);
	return g;
}

/*
 * Computes the PSS of P after E, as anonymous memory or as files. The middle is for the likely
 * number of private bytes, and the bounds are for the plausible ones. *RET_SHARED becomes the
 * shared part of the middle, for anonymous memory.
 */
static struct share_count_span effect_on(const struct fork_effect *e, const struct estimate_part *p,
	bool is_anon, struct share_count_span *ret_shared)
{
	const uint64_t private[] = {
		p->private_mid - (p->private_mid - p->private_min) / PLAUSIBLE_PART,
		p->private_mid + (p->private_max - p->private_mid) / PLAUSIBLE_PART,
		p->private_mid,
	};
	struct share_count_span all = {.low = UINT64_MAX}, s = {0};

	for (size_t i = 0; i < ARRAY_SIZE(private); i++) {
		s = is_anon ? anon_after(p, private[i], e, e -> anon, ret_shared)
		            : file_after(e, p, private[i]).all;
		span_widen(&all, &s);
	}
	all.mid = s.mid;
	return all;
}

void fork_effect_doubt(const struct fork_effect *e, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct share_count_span s, shared;
	struct estimate_part anon, file;
	uint64_t grown, left, before;

	*ret = (struct estimate_doubt){0};
	estimate_parts(base, &anon, &file);
	s = effect_on(e, &file, false, &shared);
	/* The rounding error of the measurement grows in the same proportion as the shared PSS. */
	before = file.pss - file.private_mid;
	s.high += saturate_part(base->rounding, saturate_less(s.mid, file.pss), before);
	ret->file_mid = saturate_difference(s.mid, file.pss);
	ret->file_down = s.mid - s.low;
	ret->file_up = s.high - s.mid;
	if (!fork_effect_is_any(e))
		return;
	s = effect_on(e, &anon, true, &shared);
	before = anon.pss - anon.private_mid;
	s.high += saturate_part(base->rounding, saturate_less(shared.mid, before), before);
	ret->anon_mid = saturate_difference(s.mid, anon.pss);
	ret->anon_down = s.mid - s.low;
	ret->anon_up = s.high - s.mid;
	ret->forks = saturate_less(e->family.own, e->family.early);
	grown = saturate_less(now->anon, base->anon);
	ret->forked_growth = ret->forks ? grown : 0;
	/* Of growth after the forks, processes that may be children (.strays) may have received a
	 * part, too. */
	left = grown / (1 + ret->forks);
	ret->anon_down += left - grown / (1 + ret->forks + e->family.strays);
}

bool fork_effect_compare(const struct fork_effect *e, const struct estimate_base *before,
	const struct estimate_base *found, uint32_t *ret_anon, uint32_t *ret_file)
{
	struct fork_effect plain = *e;
	struct estimate_part a0, a1, f0, f1;
	struct share_count_span shared;
	struct file_guess guess;
	uint64_t shared_rss, same, now;
	bool tells = false;

	plain.anon = plain.file = SHARE_COUNT_AS_GUESSED;
	*ret_anon = *ret_file = SHARE_COUNT_AS_GUESSED;
	estimate_parts(before, &a0, &f0);
	estimate_parts(found, &a1, &f1);
	/* Compares only what was shared then. What has grown since is private, and tells nothing
	 * about others. */
	shared_rss = a0.rss - a0.private_mid;
	/* Not if the process may have unknown children: then what fell may have been private. */
	if (shared_rss >= TELLING_MIN && a1.rss >= a0.rss - shared_rss / 8 && !e->family.strays) {
		same = left_private(a0.private_mid, e->soon_written, e->family.own) +
		       saturate_less(a1.rss, a0.rss);
		anon_after(&a0, a0.private_mid, &plain, plain.anon, &shared);
		now = saturate_min(saturate_less(a1.pss, same), shared.high);
		*ret_anon = share_count_correction(shared_rss, shared.mid, shared_rss, now);
		tells = true;
	}
	shared_rss = f0.rss - f0.private_mid;
	guess = file_after(&plain, &f0, f0.private_mid);
	if (shared_rss >= TELLING_MIN && f1.rss && guess.affected && !e->known_rss) {
		/* Scales the new PSS to the former RSS of files, and leaves out what no event has
		 * changed. */
		same = guess.all.mid - guess.affected;
		now = saturate_min(saturate_part(f1.pss, f0.rss, f1.rss), guess.all.high);
		now = saturate_less(now, same);
		*ret_file = share_count_correction(shared_rss, guess.affected, shared_rss, now);
		tells = true;
	}
	return tells;
}
