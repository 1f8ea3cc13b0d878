/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of points
 *
 * The points of a ring live for an hour, between buffers of answers that live for a moment. In the
 * heap they would keep the holes between them from being given back. So they have blocks of their
 * own, mapped memory in which they lie one behind the other.
 */
#ifndef MEMTALLY_WEB_HISTORY_RING_BLOCKS_H
#define MEMTALLY_WEB_HISTORY_RING_BLOCKS_H

#include <stddef.h>

/* The size of a block with more than one point, in bytes. */
enum { RING_BLOCK_BYTES = 128 << 10 };

struct ring_block;

/* Zeroed: empty. */
struct ring_blocks {
	struct ring_block *first, *last; /* owned */
};

/*
 * Returns SIZE bytes, zeroed, in the last block, aligned to 8; NULL if there is no memory. They are
 * freed by one of the next functions.
 */
void *ring_blocks_add(struct ring_blocks *b, size_t size);

/*
 * Free what the first or the last call of ring_blocks_add() returned, of those that are not freed.
 * The memory is given back with the last piece of its block.
 */
void ring_blocks_drop_first(struct ring_blocks *b);
void ring_blocks_drop_last(struct ring_blocks *b);

/* Frees all. B is then empty. */
void ring_blocks_done(struct ring_blocks *b);

#endif
