/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/ring-words.h"

#include <assert.h>
#include <string.h>

enum { MASK = (1 << RING_WORDS_MASK_BITS) - 1 };

static_assert(
	(int)RING_QUANTITIES <= (int)RING_WORDS_MASK_BITS, "a mask has a bit for each quantity");
static_assert(sizeof(float) == sizeof(uint32_t), "a quantity is a word");

unsigned int ring_words_changes(
	const float before[static RING_QUANTITIES], const float q[static RING_QUANTITIES])
{
	uint32_t from[RING_QUANTITIES], to[RING_QUANTITIES];
	unsigned int mask = 0;

	memcpy(from, before, sizeof(from));
	memcpy(to, q, sizeof(to));
	for (unsigned int k = 0; k < RING_QUANTITIES; k++)
		if (from[k] != to[k])
			mask |= 1U << k;
	return mask;
}

size_t ring_words_write(
	uint32_t *to, uint32_t row, unsigned int mask, const float q[static RING_QUANTITIES])
{
	size_t words = 0;

	to[words++] = row << RING_WORDS_MASK_BITS | mask;
	for (unsigned int k = 0; k < RING_QUANTITIES; k++)
		if (mask & 1U << k)
			memcpy(&to[words++], &q[k], sizeof(q[k]));
	return words;
}

uint32_t ring_words_read(const uint32_t *word, size_t *at, unsigned int *ret_mask, size_t *ret_from)
{
	uint32_t head = word[*at];

	*ret_mask = head & MASK;
	*ret_from = *at + 1;
	*at += 1 + (size_t)__builtin_popcount(*ret_mask);
	return head >> RING_WORDS_MASK_BITS;
}

void ring_words_apply(const uint32_t *word, unsigned int mask, float q[static RING_QUANTITIES])
{
	for (unsigned int k = 0; k < RING_QUANTITIES; k++)
		if (mask & 1U << k)
			memcpy(&q[k], word++, sizeof(q[k]));
}
