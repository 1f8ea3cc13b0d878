/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/suspicion.h"

#include "collectors/amount.h"

enum {
	/* What was found of suspicions fades by this part with each. */
	FADES = 8,
	/* Of suspicions so many times the part is believed that was true of late, and a little more. */
	DOUBLED = 2,
	UNBELIEVED_PART = 64,
};

void suspicion_move(struct suspicion *s, uint64_t old, uint64_t now, uint64_t at_ns)
{
	if (now > old)
		s->at_ns = amount_max(s->at_ns, at_ns);
	s->bytes += now - old;
}

void suspicion_answer(struct suspicion *s, uint64_t suspected, uint64_t found)
{
	if (!suspected)
		return;
	s->asked += suspected - s->asked / FADES;
	s->admitted += amount_min(found, suspected) - s->admitted / FADES;
}

/* Where others' faults were for nothing so far, one that is not would be seen by its own. */
static uint64_t believed(const struct suspicion *s, uint64_t bytes)
{
	uint64_t share = amount_add(DOUBLED * s->admitted, s->asked / UNBELIEVED_PART);

	return s->asked ? amount_part(bytes, amount_min(share, s->asked), s->asked) : bytes;
}

uint64_t suspicion_since(const struct suspicion *s, uint64_t own, uint64_t since_ns)
{
	return since_ns >= s->at_ns ? 0 : believed(s, s->bytes - own);
}
