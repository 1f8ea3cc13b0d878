/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/excess.h"

#include "base/amount.h"

enum {
	FADING_PART = 8,
};

struct excess_found excess_find(
	const struct excess *e, uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended)
{
	uint32_t more = (uint32_t)amount_min(amount_less(sharers, known), UINT32_MAX), others;
	struct excess_found found = {.lingering = more < ended ? more : ended};

	others = more - found.lingering;
	found.lasting = others;
	if (e->at_ns)
		found.lasting = e->at_ns == pass_ns ? e->lasting : e->least;
	found.lasting = (uint32_t)amount_min(found.lasting, others);
	found.unseen = others - found.lasting;
	return found;
}

bool excess_is_telling(struct excess *e, uint64_t shared)
{
	uint64_t least = e->shared - e->shared / FADING_PART;

	e->shared = amount_max(shared, least);
	return shared >= least;
}

void excess_learn(struct excess *e, uint64_t pass_ns, const struct excess_found *found)
{
	uint32_t others = found->lasting + found->unseen;

	if (e->at_ns != pass_ns) {
		e->is_confirmed = e->at_ns;
		e->lasting = e->at_ns ? e->least : others;
		e->least = others;
		e->at_ns = pass_ns;
	}
	e->least = (uint32_t)amount_min(e->least, others);
}
