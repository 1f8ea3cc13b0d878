/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/unlisted-sharers.h"

#include "base/saturate.h"

enum {
	FADING_PART = 8,
};

struct unlisted_sharers_found unlisted_sharers_find(const struct unlisted_sharers *e,
	uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended)
{
	uint32_t more = saturate_u32(saturate_less(sharers, known)), others;
	struct unlisted_sharers_found found = {.lingering = (uint32_t)saturate_min(more, ended)};

	others = more - found.lingering;
	found.lasting = others;
	if (e->at_ns)
		found.lasting = e->at_ns == pass_ns ? e->lasting : e->least;
	found.lasting = (uint32_t)saturate_min(found.lasting, others);
	found.unseen = others - found.lasting;
	return found;
}

bool unlisted_sharers_is_telling(struct unlisted_sharers *e, uint64_t shared)
{
	uint64_t least = e->shared - e->shared / FADING_PART;

	e->shared = saturate_max(shared, least);
	return shared >= least;
}

void unlisted_sharers_learn(
	struct unlisted_sharers *e, uint64_t pass_ns, const struct unlisted_sharers_found *found)
{
	uint32_t others = found->lasting + found->unseen;

	if (e->at_ns != pass_ns) {
		e->is_confirmed = e->at_ns;
		e->lasting = e->at_ns ? e->least : others;
		e->least = others;
		e->at_ns = pass_ns;
	}
	e->least = (uint32_t)saturate_min(e->least, others);
}
