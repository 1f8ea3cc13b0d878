/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/backoff.h"

uint64_t backoff_next(struct backoff *b, uint64_t max_ns, uint32_t chance)
{
	uint64_t step = b->delay_ns ? 2 * b->delay_ns : BACKOFF_FIRST_NS;

	if (step > max_ns)
		step = max_ns;
	b->delay_ns = step;
	return step - (uint64_t)(((unsigned __int128)(step / 4) * chance) >> 32);
}

void backoff_reset(struct backoff *b)
{
	b->delay_ns = 0;
}
