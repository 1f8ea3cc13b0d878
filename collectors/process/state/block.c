/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/block.h"

bool block_is_due(const struct block *b, uint64_t now_ns)
{
	return b->file && !b->is_deferred && now_ns >= b->next_ns;
}

bool block_is_of(const struct block *b, bool is_walk)
{
	return b->file && !b->is_deferred && (is_walk || !b->is_walk);
}

/*
 * Whether a block that begins at NOW_NS is not to be logged, since one was logged shortly before.
 */
static bool was_told(const struct block *b, uint64_t now_ns)
{
	return b->is_told && now_ns < b->next_ns + BLOCK_TELL_AGAIN_NS;
}

void block_begin(struct block *b, const char *file, bool is_walk, uint64_t now_ns)
{
	unsigned int doublings = b->attempts < 5 ? b->attempts : 5;
	uint64_t pause_ns = BLOCK_FIRST_NS << doublings;

	if (!b->file || b->is_deferred)
		*b = (struct block){.since_ns = now_ns, .is_told = was_told(b, now_ns)};
	/* The file with the fewest locks decides which others can still be read. */
	if (!b->file || !is_walk) {
		b->file = file;
		b->is_walk = is_walk;
	}
	b->next_ns = now_ns + (pause_ns < BLOCK_MAX_NS ? pause_ns : BLOCK_MAX_NS);
	b->is_chosen = false;
	if (b->attempts < UINT8_MAX)
		b->attempts++;
}

void block_defer(struct block *b, const char *file, bool is_walk, uint64_t now_ns)
{
	b->is_chosen = false;
	if (!b->file)
		*b = (struct block){.file = file,
			.is_walk = is_walk,
			.since_ns = now_ns,
			.next_ns = now_ns,
			.is_deferred = true,
			.is_told = was_told(b, now_ns)};
}

void block_answered(struct block *b, bool is_walk)
{
	if (b->file && (is_walk || !b->is_walk))
		*b = (struct block){.is_told = b->is_told, .next_ns = b->is_told ? b->next_ns : 0};
}
