/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/kin-doubt.h"

#include "base/amount.h"
#include "collectors/model/ancestry.h"
#include "collectors/model/degree.h"
#include "collectors/model/kin-family.h"
#include "collectors/model/portions.h"

enum {
	/* A correction also holds after fewer events than it was found for, down to 7/8 of them. */
	LIKE_PART = 8,
	/* The weight of one newborn's writes in .soon_written is a quarter. */
	SOON_PART = 4,
};

/* A process is a newborn for this long. */
#define NEWBORN_NS UINT64_C(250000000)

static struct degree_change change_of(const struct kin_member *m)
{
	uint32_t lost = m->family ? excess_lost(&m->family->excess, m->lasting) : 0;
	uint32_t members = (m->then ? m->then : 1) + lost, kept = m->kept - m->leaving;
	struct degree_change c = {.members = members, .born = m->fresh, .early = m->early};

	kept = kept ? kept : 1; /* M itself */
	c.dead = members - (kept < members ? kept : members);
	c.unsure = (uint32_t)amount_min(m->unsure + (uint64_t)lost + m->leaving, c.dead);
	c.own = m->children < c.born ? m->children : c.born;
	c.strays = m->strays < c.born - c.own ? m->strays : c.born - c.own;
	return c;
}

uint64_t kin_events(const struct degree_change *c)
{
	return (uint64_t)c->dead + c->born;
}

/*
 * Whether the correction F applies to M after the events C: M was measured earlier, and has nearly
 * as many events. After fewer the guess is less wrong, or wrong for other reasons; so it is if any
 * of those born are M's own children.
 */
static bool is_heard(
	const struct kin_found *f, const struct kin_member *m, const struct degree_change *c)
{
	return f->at_ns > m->measured_ns && !c->own &&
	       kin_events(c) >= f->events - f->events / LIKE_PART;
}

struct aftermath kin_aftermath(const struct kin_member *m, const struct estimate_base *base)
{
	const struct kin_family *f = m->family;
	struct breaks_sum broken;
	struct aftermath a = {
		.family = change_of(m), .anon = DEGREE_AS_GUESSED, .file = DEGREE_AS_GUESSED};

	if (f)
		a.soon_written = f->soon_written;
	a.outside = m->outside;
	if (f && is_heard(&f->found, m, &a.family)) {
		a.anon = f->found.anon;
		a.file = f->found.file;
	}
	kin_broken(m, &broken);
	if (a.family.members > 1)
		a.family.parted = broken.parted;
	if (aftermath_has_family(&a))
		portions_known(&m->sharer, base, &a.known_rss, &a.known_pss);
	return a;
}

bool kin_doubt(const struct kin_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct aftermath a = kin_aftermath(m, base);
	struct estimate_part anon, file;

	*ret = (struct estimate_doubt){0};
	if (aftermath_is_any(&a))
		aftermath_doubt(&a, base, now, ret);
	if (!m->departed)
		return aftermath_is_any(&a);
	/* Children with another range may share any part of M's anonymous memory, and may have
	 * exited: this is not known until M is measured again. */
	estimate_parts(base, &anon, &file);
	ret->anon_down = amount_add(
		ret->anon_down, anon.pss - anon.pss / (UINT64_C(1) + m->departed));
	return true;
}

bool kin_is_newborn(const struct kin_member *m)
{
	return m->is_forked && m->measured_ns &&
	       amount_less(m->measured_ns, m->born_ns) < NEWBORN_NS;
}

void kin_newborn(struct kin *k, struct kin_member *m, uint64_t written)
{
	struct kin_family *f = m->family;

	if (!f || !m->is_forked || (m->born_ns <= k->previous_ns && !m->is_again))
		return;
	/* It may have more to write. Its next measurement tells (.is_again). */
	if (kin_is_newborn(m) && written < f->soon_written)
		return;
	f->soon_written -= f->soon_written / SOON_PART;
	f->soon_written += written / SOON_PART;
}

uint64_t kin_unwritten(const struct kin_member *m)
{
	return kin_is_newborn(m) && m->family ? m->family->soon_written : 0;
}

uint64_t kin_unconfirmed(const struct kin_member *m, const struct estimate_base *base)
{
	struct estimate_part anon, file;

	if (!m->lasting || m->family->excess.is_confirmed)
		return 0;
	estimate_parts(base, &anon, &file);
	/* All sharers may exit. */
	return anon.rss - anon.pss;
}

void kin_borrow(const struct kin_member *m, const struct kin_member *speaker,
	const struct estimate_base *base, const struct estimate_now *theirs,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct estimate e;

	kin_doubt(speaker, base, theirs, ret);
	estimate_carry(base, now, ret, &e);
	ret->anon_up = amount_add(ret->anon_up, amount_less(now->anon, e.pss_anon));
	ret->file_up = amount_add(ret->file_up, amount_less(now->file, e.pss_file + e.pss_shmem));
	ret->file_down = amount_add(ret->file_down, e.pss_file + e.pss_shmem);
	if (speaker == ancestry_parent(m) && m->line == m->serial &&
		m->born_ns > speaker->measured_ns) {
		/* M was forked from the speaker after the speaker's measurement, and shares what
		 * that had. M's own children may share what M has grown by since. */
		ret->anon_down = amount_add(
			ret->anon_down, amount_part(amount_less(now->anon, base->anon), m->children,
						m->children + UINT64_C(1)));
		return;
	}
	/* M and the speaker may have different sharers. M has at most as many sharers as the family
	 * has members. */
	ret->anon_down = amount_add(ret->anon_down,
		amount_less(e.pss_anon, now->anon / (m->family->count + UINT64_C(1))));
}
