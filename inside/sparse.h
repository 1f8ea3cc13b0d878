/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number of 32 bits for each page frame of the host's, or place in swap, of those that are touched: numbers of frames have
 * holes of any size, and who maps what lies anywhere. Memory is taken for 512 neighbours together when one of them is
 * touched first, so all of a host's frames take 1 MiB for each GiB of RAM, and 16 KiB for finding them. Pure.
 */
#ifndef MEMTALLY_INSIDE_SPARSE_H
#define MEMTALLY_INSIDE_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	SPARSE_CHUNK = 512,
	SPARSE_INDEX_BITS = 40, /* of an index: no processor that Linux runs on has frames beyond */
};

struct sparse {
	uint32_t ***table; /* by 512 chunks, and in these by chunk; NULL where nothing is */
	size_t room;       /* of .table */
	uint64_t near;     /* the chunk that was touched last, */
	uint32_t *chunk;   /* which is this one; NULL: none was */
	size_t bytes;      /* that all of it takes */
};

/* Zeroed, it is empty. */
void sparse_done(struct sparse *s);
#define AUTO_SPARSE CLEANUP(sparse_done)

/* Where the number of INDEX is, which is 0 when it is touched first. 0; -ERANGE: there is no such frame; -ENOMEM. */
int sparse_touch(struct sparse *s, uint64_t index, uint32_t **ret);

/* The same without touching it: NULL where no neighbour was. */
uint32_t *sparse_find(struct sparse *s, uint64_t index);

/*
 * The first chunk from the index *AT on, rising: its numbers, and in *AT the index of the first of them. NULL: there are no
 * more. To go on: *AT + SPARSE_CHUNK.
 */
const uint32_t *sparse_next(const struct sparse *s, uint64_t *at);

#endif
