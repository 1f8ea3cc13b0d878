/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/model/family/cow-suspected.h"

#include "base/saturate.h"

enum {
	/* Earlier findings fade by an eighth with each new one. */
	FADES = 8,
	/* The believed part of suspicions is twice the part that was true lately, plus 1/64. */
	DOUBLED = 2,
	UNBELIEVED_PART = 64,
};

void cow_suspected_move(struct cow_suspected *s, uint64_t old, uint64_t now, uint64_t at_ns)
{
	if (now > old)
		s->at_ns = saturate_max(s->at_ns, at_ns);
	s->bytes += now - old;
}

void cow_suspected_answer(struct cow_suspected *s, uint64_t suspected, uint64_t found)
{
	if (!suspected)
		return;
	s->asked += suspected - s->asked / FADES;
	s->admitted += saturate_min(found, suspected) - s->admitted / FADES;
}

/*
 * Returns how much of BYTES is believed: all of them while nothing was found. If other members'
 * faults had other causes so far, a member with real copies shows by its own measurement.
 */
static uint64_t cow_suspected_believed(const struct cow_suspected *s, uint64_t bytes)
{
	uint64_t share = saturate_add(DOUBLED * s->admitted, s->asked / UNBELIEVED_PART);

	return s->asked ? saturate_part(bytes, saturate_min(share, s->asked), s->asked) : bytes;
}

uint64_t cow_suspected_since(const struct cow_suspected *s, uint64_t own, uint64_t since_ns)
{
	return since_ns >= s->at_ns ? 0 : cow_suspected_believed(s, s->bytes - own);
}
