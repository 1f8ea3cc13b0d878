/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/ring-blocks.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/saturate.h"

struct ring_block {
	struct ring_block *next, *before;
	size_t size, used; /* bytes of .data */
	size_t pieces;     /* that are not freed */
	uint64_t data[];
};

static size_t ring_block_round(size_t size)
{
	return (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

static struct ring_block *ring_block_map(size_t size)
{
	size_t bytes = saturate_max(RING_BLOCK_BYTES, sizeof(struct ring_block) + size);
	struct ring_block *block = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return NULL;
	block->size = bytes - sizeof(*block);
	return block;
}

static void ring_block_free(struct ring_blocks *b, struct ring_block *block)
{
	if (block->before)
		block->before->next = block->next;
	else
		b->first = block->next;
	if (block->next)
		block->next->before = block->before;
	else
		b->last = block->before;
	munmap(block, sizeof(*block) + block->size);
}

void *ring_blocks_add(struct ring_blocks *b, size_t size)
{
	struct ring_block *block = b->last;
	void *piece;

	size = ring_block_round(size);
	if (!block || block->size - block->used < size) {
		block = ring_block_map(size);
		if (!block)
			return NULL;
		block->before = b->last;
		if (b->last)
			b->last->next = block;
		else
			b->first = block;
		b->last = block;
	}
	piece = (char *)block->data + block->used;
	block->used += size;
	block->pieces++;
	return piece;
}

void ring_blocks_drop_first(struct ring_blocks *b)
{
	if (!--b->first->pieces)
		ring_block_free(b, b->first);
}

void ring_blocks_drop_last(struct ring_blocks *b)
{
	if (!--b->last->pieces)
		ring_block_free(b, b->last);
}

void ring_blocks_done(struct ring_blocks *b)
{
	while (b->first)
		ring_block_free(b, b->first);
}
