/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an ELF file is loaded in an address space: by how far it was moved, and which mappings are its own, the memory without
 * a file behind its data (.bss) included. It may be loaded more than once, or mapped without being loaded. Pure.
 *
 * What size that memory has the file alone says, which may be anybody's: of a segment that is not there as a whole, nothing is its own
 * but what is mapped of the file.
 */
#ifndef MEMTALLY_INSIDE_LOADING_H
#define MEMTALLY_INSIDE_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inside/elffile.h"

enum { LOADING_AREAS_MAX = 512 };

/* A mapping. */
struct loading_area {
	uint64_t start, end; /* whole pages */
	uint64_t offset;     /* in the file; not of memory without one */
	bool is_executable;
	bool is_taken; /* of memory without a file: one loading has it */
};

/* A mapping of one loading, or a part of it. */
struct loading_piece {
	uint64_t start, end;
	bool is_placed; /* its bytes are those that the file has for these addresses; else they are of none of its parts */
	uint64_t placed_before; /* bytes of the pieces before it that are; loading_cut() */
};

struct loading {
	uint64_t bias;               /* what is added to the file's addresses, modulo 2^64 */
	struct loading_piece *piece; /* owned; rising, without overlap */
	size_t pieces;
};

struct loadings {
	struct loading *item; /* owned */
	size_t count;
};

void loadings_done(struct loadings *l);
#define AUTO_LOADINGS CLEANUP(loadings_done)

/*
 * From AREAS that are F's and BARES, without a file and a name of their own, both rising. Each of AREAS is in exactly one. Of BARE each is in one
 * at most, of whatever file: what is taken is marked, and what is marked already, passed over. -ENOMEM; -E2BIG: more than
 * LOADING_AREAS_MAX areas.
 */
int loadings_find(const struct elffile *f, uint64_t page_size, const struct loading_area *area,
	size_t areas, struct loading_area *bare, size_t bares, struct loadings *ret);

/* Leaves nothing of L's pieces but what lies in [START, END): those outside are empty. */
void loading_cut(struct loading *l, uint64_t start, uint64_t end);

/* How many bytes of [START, END) are placed, of L that was cut; at once, however many ask and whatever pieces there are. */
uint64_t loading_placed(const struct loading *l, uint64_t start, uint64_t end);

#endif
