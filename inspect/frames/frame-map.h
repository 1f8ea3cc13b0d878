/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse Array
 *
 * An array of 32-bit numbers by page frame or place in swap. Frame numbers have holes of any size,
 * and each process maps any of them. So memory is taken in chunks of 512 neighbours, when one of
 * them is touched first: 1 MiB for each GiB of RAM if all frames are touched, and 4 KiB to find its
 * chunks. Pure.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_FRAME_MAP_H
#define MEMTALLY_INSPECT_FRAMES_FRAME_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	FRAME_MAP_CHUNK = 512,
	/* Bits of an index: no processor that Linux supports has more frames. */
	FRAME_MAP_INDEX_BITS = 40,
};

struct frame_map {
	/* Owned; two levels: by 512 chunks, then by chunk; NULL: nothing there. */
	uint32_t ***table;
	size_t room;     /* items of .table */
	uint64_t near;   /* number of the chunk that was touched last, */
	uint32_t *chunk; /* and the chunk; NULL: none */
	size_t bytes;    /* memory that S uses */
};

/* Frees what S owns, and zeroes it. A zeroed S is empty. */
void frame_map_done(struct frame_map *s);
#define AUTO_FRAME_MAP CLEANUP(frame_map_done)

/*
 * Writes to *RET the address of the number at INDEX, which is 0 when it is touched first. Returns
 * 0; -ERANGE: INDEX has more than FRAME_MAP_INDEX_BITS bits; or -ENOMEM.
 */
int frame_map_touch(struct frame_map *s, uint64_t index, uint32_t **ret);

/* Returns the address of the number at INDEX; NULL if no number of its chunk was touched. */
uint32_t *frame_map_find(struct frame_map *s, uint64_t index);

/*
 * Returns the first chunk at or after the chunk of index *AT: FRAME_MAP_CHUNK numbers, and in *AT
 * the index of the first of them. NULL: there are no more. Call again with *AT + FRAME_MAP_CHUNK.
 */
const uint32_t *frame_map_next(const struct frame_map *s, uint64_t *at);

#endif
