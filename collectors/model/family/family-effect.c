/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/fork-families-private.h"

#include "base/saturate.h"
#include "collectors/model/family/family-ancestry.h"
#include "collectors/model/object-share.h"
#include "collectors/model/share-count.h"

enum {
	/* A correction also holds after fewer events than it was found for, down to 7/8 of them. */
	LIKE_PART = 8,
	/* The weight of one newborn's writes in .soon_written is a quarter. */
	SOON_PART = 4,
};

/* A process is a newborn for this long. */
#define NEWBORN_NS UINT64_C(250000000)

static struct share_count_change family_effect_change_of(const struct family_member *m)
{
	uint32_t lost = m->family ? unlisted_sharers_lost(&m->family->unlisted, m->lasting) : 0;
	uint32_t members = (m->then ? m->then : 1) + lost, kept = m->kept - m->leaving;
	struct share_count_change c = {.members = members, .born = m->fresh, .early = m->early};

	kept = kept ? kept : 1; /* M itself */
	c.dead = members - (kept < members ? kept : members);
	c.unsure = (uint32_t)saturate_min(m->unsure + (uint64_t)lost + m->leaving, c.dead);
	c.own = m->children < c.born ? m->children : c.born;
	c.strays = m->strays < c.born - c.own ? m->strays : c.born - c.own;
	return c;
}

uint64_t family_effect_events(const struct share_count_change *c)
{
	return (uint64_t)c->dead + c->born;
}

/*
 * Whether the correction F applies to M after the events C: M was measured earlier, and has nearly
 * as many events. After fewer the guess is less wrong, or wrong for other reasons; so it is if any
 * of those born are M's own children.
 */
static bool is_heard(const struct family_correction *f, const struct family_member *m,
	const struct share_count_change *c)
{
	return f->at_ns > m->measured_ns && !c->own &&
	       family_effect_events(c) >= f->events - f->events / LIKE_PART;
}

struct fork_effect family_effect_of(const struct family_member *m, const struct estimate_base *base)
{
	const struct fork_family *f = m->family;
	struct cow_breaks_sum broken;
	struct fork_effect a = {.family = family_effect_change_of(m),
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED};

	if (f)
		a.soon_written = f->soon_written;
	a.outside = m->outside;
	if (f && is_heard(&f->found, m, &a.family)) {
		a.anon = f->found.anon;
		a.file = f->found.file;
	}
	families_broken(m, &broken);
	if (a.family.members > 1)
		a.family.parted = broken.parted;
	if (fork_effect_has_family(&a))
		object_share_known(&m->sharer, base, &a.known_rss, &a.known_pss);
	return a;
}

bool families_doubt(const struct family_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct fork_effect a = family_effect_of(m, base);
	struct estimate_part anon, file;

	*ret = (struct estimate_doubt){0};
	if (fork_effect_is_any(&a))
		fork_effect_doubt(&a, base, now, ret);
	if (!m->departed)
		return fork_effect_is_any(&a);
	/* Children with another range may share any part of M's anonymous memory, and may have
	 * exited: this is not known until M is measured again. */
	estimate_parts(base, &anon, &file);
	ret->anon_down = saturate_add(
		ret->anon_down, anon.pss - anon.pss / (UINT64_C(1) + m->departed));
	return true;
}

bool families_is_newborn(const struct family_member *m)
{
	return m->is_forked && m->measured_ns &&
	       saturate_less(m->measured_ns, m->born_ns) < NEWBORN_NS;
}

void families_newborn(struct families *k, struct family_member *m, uint64_t written)
{
	struct fork_family *f = m->family;

	if (!f || !m->is_forked || (m->born_ns <= k->previous_ns && !m->is_again))
		return;
	/* It may have more to write. Its next measurement tells (.is_again). */
	if (families_is_newborn(m) && written < f->soon_written)
		return;
	f->soon_written -= f->soon_written / SOON_PART;
	f->soon_written += written / SOON_PART;
}

uint64_t families_unwritten(const struct family_member *m)
{
	return families_is_newborn(m) && m->family ? m->family->soon_written : 0;
}

uint64_t families_unconfirmed(const struct family_member *m, const struct estimate_base *base)
{
	struct estimate_part anon, file;

	if (!m->lasting || m->family->unlisted.is_confirmed)
		return 0;
	estimate_parts(base, &anon, &file);
	/* All sharers may exit. */
	return anon.rss - anon.pss;
}

void families_borrow(const struct family_member *m, const struct family_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct estimate e;

	families_doubt(speaker, base, theirs, ret);
	estimate_carry(base, now, ret, &e);
	ret->anon_up = saturate_add(ret->anon_up, saturate_less(now->anon, e.pss_anon));
	ret->file_up = saturate_add(
		ret->file_up, saturate_less(now->file, e.pss_file + e.pss_shmem));
	ret->file_down = saturate_add(ret->file_down, e.pss_file + e.pss_shmem);
	if (speaker == family_ancestry_parent(m) && m->line == m->serial &&
		m->born_ns > speaker->measured_ns) {
		/* M was forked from the speaker after the speaker's measurement, and shares what
		 * that had. M's own children may share what M has grown by since. */
		ret->anon_down = saturate_add(
			ret->anon_down, saturate_part(saturate_less(now->anon, base->anon),
						m->children, m->children + UINT64_C(1)));
		return;
	}
	/* M and the speaker may have different sharers. M has at most as many sharers as the family
	 * has members. */
	ret->anon_down = saturate_add(ret->anon_down,
		saturate_less(e.pss_anon, now->anon / (m->family->count + UINT64_C(1))));
}
