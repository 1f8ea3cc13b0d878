/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/fork-families-private.h"

#include "base/saturate.h"
#include "collectors/model/family/fork-effect.h"
#include "collectors/model/share-count.h"

enum {
	/* Bytes of shared memory: a member with less says little about unlisted sharers. */
	TELLING_MIN = 256 << 10,
};

/*
 * Within this time after a pass has listed exits, unlisted sharers are taken for those processes,
 * which still free their memory; later rather for processes born since.
 */
#define LINGERING_NS UINT64_C(20000000)

/*
 * Computes in *RET the sharers of M beside its family. M was measured at NOW_NS as FOUND. Returns
 * false if that cannot be told.
 */
static bool find_unlisted(const struct families *k, const struct family_member *m,
	const struct estimate_base *found, uint64_t now_ns, struct unlisted_sharers_found *ret)
{
	const struct fork_family *f = m->family;
	uint32_t known = f ? f->count : 1, ended = 0;
	const struct unlisted_sharers none = {0};
	struct estimate_part anon, file;
	uint64_t shared, sharers = 1;

	estimate_parts(found, &anon, &file);
	shared = anon.rss - anon.private_mid;
	if (shared >= TELLING_MIN)
		sharers = share_count_sharers(
			shared, anon.pss - anon.private_mid, &m->outside, known);
	/* Fewer sharers than the family has members: this is about M only. */
	if (sharers < known)
		return false;
	if (f && f->deaths_ns == k->listed_ns && saturate_less(now_ns, k->listed_ns) < LINGERING_NS)
		ended = f->ended;
	*ret = unlisted_sharers_find(f ? &f->unlisted : &none, k->listed_ns, sharers, known, ended);
	return true;
}

void family_findings_tell(struct families *k, struct family_member *m,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns)
{
	struct fork_effect a = family_effect_of(m, before);
	struct family_correction f = {.at_ns = now_ns, .events = family_effect_events(&a.family)};
	struct unlisted_sharers_found unlisted;

	if (!m->family || !fork_effect_has_family(&a) || a.family.own)
		return;
	if (find_unlisted(k, m, found, now_ns, &unlisted) &&
		(unlisted.lingering || unlisted.unseen))
		return;
	if (!fork_effect_compare(&a, before, found, &f.anon, &f.file))
		return;
	m->family->found = f;
	family_mark(k, m->family);
}

int family_findings_count(
	struct families *k, struct family_member *m, const struct estimate_base *found)
{
	struct unlisted_sharers_found unlisted;
	struct estimate_part anon, file;
	struct fork_family *f;
	uint32_t least;

	if (!find_unlisted(k, m, found, m->measured_ns, &unlisted))
		return 0;
	if (!m->family) {
		/* A family is needed to tell M what later measurements show about these sharers. */
		int r = unlisted.lasting ? family_found(k, m) : 0;

		if (r < 0 || !unlisted.lasting)
			return r;
	}
	f = m->family;
	least = f->unlisted.least;
	estimate_parts(found, &anon, &file);
	if (f->count == 1 || unlisted_sharers_is_telling(&f->unlisted, anon.rss - anon.private_mid))
		unlisted_sharers_learn(&f->unlisted, k->listed_ns, &unlisted);
	m->unseen = unlisted.unseen;
	m->lasting = unlisted.lasting;
	m->gone = unlisted.lingering;
	m->then += unlisted.lingering;
	m->unsure += unlisted.lingering;
	if (unlisted.lingering || f->unlisted.least < least)
		family_mark(k, f);
	return 0;
}
