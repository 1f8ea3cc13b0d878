/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/kin-findings.h"

#include "base/amount.h"
#include "collectors/model/aftermath.h"
#include "collectors/model/degree.h"
#include "collectors/model/kin-doubt.h"
#include "collectors/model/kin-family.h"

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
static bool find_excess(const struct kin *k, const struct kin_member *m,
	const struct estimate_base *found, uint64_t now_ns, struct excess_found *ret)
{
	const struct kin_family *f = m->family;
	uint32_t known = f ? f->count : 1, ended = 0;
	const struct excess none = {0};
	struct estimate_part anon, file;
	uint64_t shared, sharers = 1;

	estimate_parts(found, &anon, &file);
	shared = anon.rss - anon.private_mid;
	if (shared >= TELLING_MIN)
		sharers = degree_sharers(shared, anon.pss - anon.private_mid, &m->outside, known);
	/* Fewer sharers than the family has members: this is about M only. */
	if (sharers < known)
		return false;
	if (f && f->deaths_ns == k->listed_ns && amount_less(now_ns, k->listed_ns) < LINGERING_NS)
		ended = f->ended;
	*ret = excess_find(f ? &f->excess : &none, k->listed_ns, sharers, known, ended);
	return true;
}

void findings_tell(struct kin *k, struct kin_member *m, const struct estimate_base *before,
	const struct estimate_base *found, uint64_t now_ns)
{
	struct aftermath a = kin_aftermath(m, before);
	struct kin_found f = {.at_ns = now_ns, .events = kin_events(&a.family)};
	struct excess_found excess;

	if (!m->family || !aftermath_has_family(&a) || a.family.own)
		return;
	if (find_excess(k, m, found, now_ns, &excess) && (excess.lingering || excess.unseen))
		return;
	if (!aftermath_compare(&a, before, found, &f.anon, &f.file))
		return;
	m->family->found = f;
	family_mark(k, m->family);
}

int findings_count(struct kin *k, struct kin_member *m, const struct estimate_base *found)
{
	struct excess_found excess;
	struct estimate_part anon, file;
	struct kin_family *f;
	uint32_t least;

	if (!find_excess(k, m, found, m->measured_ns, &excess))
		return 0;
	if (!m->family) {
		/* A family is needed to tell M what later measurements show about these sharers. */
		int r = excess.lasting ? family_found(k, m) : 0;

		if (r < 0 || !excess.lasting)
			return r;
	}
	f = m->family;
	least = f->excess.least;
	estimate_parts(found, &anon, &file);
	if (f->count == 1 || excess_is_telling(&f->excess, anon.rss - anon.private_mid))
		excess_learn(&f->excess, k->listed_ns, &excess);
	m->unseen = excess.unseen;
	m->lasting = excess.lasting;
	m->gone = excess.lingering;
	m->then += excess.lingering;
	m->unsure += excess.lingering;
	if (excess.lingering || f->excess.least < least)
		family_mark(k, f);
	return 0;
}
