/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events make of a member, and what its measurement tells of the others: corrections of their
 * guesses, and sharers that no list of processes has.
 */
#include "config.h"

#include "base/saturate.h"
#include "collectors/model/family/fork-effect.h"
#include "collectors/model/family/fork-families-private.h"
#include "collectors/model/object-share.h"
#include "collectors/model/share-count.h"

enum {
	/* A correction also holds after fewer events than it was found for, down to 7/8 of them. */
	LIKE_PART = 8,
	/* The weight of one newborn's writes in .soon_written is a quarter. */
	SOON_PART = 4,
	/* Bytes of shared memory: a member with less says little about unlisted sharers. */
	TELLING_MIN = 256 << 10,
};

/*
 * Within this time after a pass has listed exits, unlisted sharers are taken for those processes,
 * which still free their memory; later rather for processes born since.
 */
#define LINGERING_NS UINT64_C(20000000)

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

/* Returns the number of births and exits in C. */
static uint64_t family_effect_events(const struct share_count_change *c)
{
	return (uint64_t)c->dead + c->born;
}

/*
 * Whether CORRECTION applies to M after the events C: M was measured earlier, and has nearly as
 * many events. After fewer the guess is less wrong, or wrong for other reasons; so it is if any of
 * those born are M's own children.
 */
static bool is_heard(const struct family_correction *correction, const struct family_member *m,
	const struct share_count_change *c)
{
	return correction->at_ns > m->measured_ns && !c->own &&
	       family_effect_events(c) >= correction->events - correction->events / LIKE_PART;
}

/*
 * Returns the events since M's measurement BASE, as of the last families_affected(), with the
 * corrections that apply to M.
 */
static struct fork_effect family_effect_of(
	const struct family_member *m, const struct estimate_base *base)
{
	const struct fork_family *family = m->family;
	struct cow_breaks_sum broken;
	struct fork_effect e = {.family = family_effect_change_of(m),
		.anon = SHARE_COUNT_AS_GUESSED,
		.file = SHARE_COUNT_AS_GUESSED};

	if (family)
		e.soon_written = family->soon_written;
	e.outside = m->outside;
	if (family && is_heard(&family->found, m, &e.family)) {
		e.anon = family->found.anon;
		e.file = family->found.file;
	}
	families_broken(m, &broken);
	if (e.family.members > 1)
		e.family.parted = broken.parted;
	if (fork_effect_has_family(&e))
		object_share_known(&m->sharer, base, &e.known_rss, &e.known_pss);
	return e;
}

bool families_doubt(const struct family_member *m, const struct estimate_base *base,
	const struct estimate_now *now, struct estimate_doubt *ret)
{
	struct fork_effect e = family_effect_of(m, base);
	struct estimate_part anon;

	*ret = (struct estimate_doubt){0};
	if (fork_effect_is_any(&e))
		fork_effect_doubt(&e, base, now, ret);
	if (!m->departed)
		return fork_effect_is_any(&e);
	/* Children with another range may share any part of M's anonymous memory, and may have
	 * exited: this is not known until M is measured again. */
	anon = estimate_anon(base);
	ret->anon_down = saturate_add(
		ret->anon_down, anon.pss - anon.pss / (UINT64_C(1) + m->departed));
	return true;
}

void families_broke(
	struct families *f, struct family_member *m, uint64_t gained, uint64_t room, uint64_t at_ns)
{
	if (!m->family)
		return;
	/* All members were measured after these copies, so they need not be told. */
	if (m->writer.at_ns <= m->family->oldest_ns)
		m->writer = (struct cow_breaks_writer){0};
	cow_breaks_add(&m->family->breaks, &m->writer, gained, room, m->measured_ns, at_ns);
	family_mark(f, m->family);
}

void families_broken(const struct family_member *m, struct cow_breaks_sum *ret)
{
	*ret = (struct cow_breaks_sum){0};
	if (m->family)
		cow_breaks_since(&m->family->breaks, m->measured_ns, ret);
}

void families_suspect(struct family_member *m, uint64_t bytes, uint64_t at_ns)
{
	if (!m->family)
		return;
	cow_breaks_suspect(&m->family->breaks, m->suspected, bytes, at_ns);
	m->suspected = bytes;
}

void families_asked(struct family_member *m, uint64_t suspected, uint64_t found)
{
	if (m->family)
		cow_breaks_answer(&m->family->breaks, suspected, found);
}

uint64_t families_suspected(const struct family_member *m)
{
	return m->family ? cow_breaks_suspected(&m->family->breaks, m->suspected, m->measured_ns)
	                 : 0;
}

bool families_breaks(const struct family_member *m, uint64_t since_ns)
{
	const struct cow_breaks *b = m->family ? &m->family->breaks : NULL;

	return b && b->count && b->time[b->count - 1].at_ns > since_ns;
}

void families_newborn(struct families *f, struct family_member *m, uint64_t written)
{
	struct fork_family *family = m->family;

	if (!family || !m->is_forked || m->born_ns <= f->previous_ns)
		return;
	family->soon_written -= family->soon_written / SOON_PART;
	family->soon_written += written / SOON_PART;
}

uint64_t families_unconfirmed(const struct family_member *m, const struct estimate_base *base)
{
	struct estimate_part anon;

	if (!m->lasting || m->family->unlisted.is_confirmed)
		return 0;
	anon = estimate_anon(base);
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
	/* M and the speaker may have different sharers. M has at most as many sharers as the family
	 * has members. */
	ret->anon_down = saturate_add(ret->anon_down,
		saturate_less(e.pss_anon, now->anon / (m->family->count + UINT64_C(1))));
}

struct unlisted_sharers_found unlisted_sharers_find(const struct unlisted_sharers *u,
	uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended)
{
	uint32_t more = saturate_u32(saturate_less(sharers, known)), others;
	struct unlisted_sharers_found found = {.lingering = (uint32_t)saturate_min(more, ended)};

	others = more - found.lingering;
	found.lasting = others;
	if (u->at_ns)
		found.lasting = u->at_ns == pass_ns ? u->lasting : u->least;
	found.lasting = (uint32_t)saturate_min(found.lasting, others);
	found.unseen = others - found.lasting;
	return found;
}

void unlisted_sharers_learn(
	struct unlisted_sharers *u, uint64_t pass_ns, const struct unlisted_sharers_found *found)
{
	uint32_t others = found->lasting + found->unseen;

	if (u->at_ns != pass_ns) {
		u->is_confirmed = u->at_ns;
		u->lasting = u->at_ns ? u->least : others;
		u->least = others;
		u->at_ns = pass_ns;
	}
	u->least = (uint32_t)saturate_min(u->least, others);
}

uint32_t unlisted_sharers_lost(const struct unlisted_sharers *u, uint32_t lasting)
{
	return (uint32_t)saturate_less(lasting, u->least);
}

/*
 * Computes in *RET the sharers of M beside its family. M was measured at NOW_NS as FOUND. Returns
 * false if that cannot be told.
 */
static bool find_unlisted(const struct families *f, const struct family_member *m,
	const struct estimate_base *found, uint64_t now_ns, struct unlisted_sharers_found *ret)
{
	const struct fork_family *family = m->family;
	uint32_t known = family ? family->count : 1, ended = 0;
	const struct unlisted_sharers none = {0};
	struct estimate_part anon = estimate_anon(found);
	uint64_t shared = anon.rss - anon.private_mid, sharers = 1;

	if (shared >= TELLING_MIN)
		sharers = share_count_sharers(
			shared, anon.pss - anon.private_mid, &m->outside, known);
	/* Fewer sharers than the family has members: this is about M only. */
	if (sharers < known)
		return false;
	if (family && family->deaths_ns == f->listed_ns &&
		saturate_less(now_ns, f->listed_ns) < LINGERING_NS)
		ended = family->ended;
	*ret = unlisted_sharers_find(
		family ? &family->unlisted : &none, f->listed_ns, sharers, known, ended);
	return true;
}

void family_findings_tell(struct families *f, struct family_member *m,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns)
{
	struct fork_effect e = family_effect_of(m, before);
	struct family_correction correction = {
		.at_ns = now_ns, .events = family_effect_events(&e.family)};
	struct unlisted_sharers_found unlisted;

	if (!m->family || !fork_effect_has_family(&e) || e.family.own)
		return;
	if (find_unlisted(f, m, found, now_ns, &unlisted) &&
		(unlisted.lingering || unlisted.unseen))
		return;
	if (!fork_effect_compare(&e, before, found, &correction.anon, &correction.file))
		return;
	m->family->found = correction;
	family_mark(f, m->family);
}

int family_findings_count(
	struct families *f, struct family_member *m, const struct estimate_base *found)
{
	struct unlisted_sharers_found unlisted;
	struct fork_family *family;
	uint32_t least;

	if (!find_unlisted(f, m, found, m->measured_ns, &unlisted))
		return 0;
	if (!m->family) {
		/* A family is needed to tell M what later measurements show about these sharers. */
		int r = unlisted.lasting ? family_found(f, m) : 0;

		if (r < 0 || !unlisted.lasting)
			return r;
	}
	family = m->family;
	least = family->unlisted.least;
	unlisted_sharers_learn(&family->unlisted, f->listed_ns, &unlisted);
	m->unseen = unlisted.unseen;
	m->lasting = unlisted.lasting;
	m->gone = unlisted.lingering;
	m->then += unlisted.lingering;
	m->unsure += unlisted.lingering;
	if (unlisted.lingering || family->unlisted.least < least)
		family_mark(f, family);
	return 0;
}
