/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model host of up to 64 processes with known memory, to test estimates against. It consists of
 * blocks of memory, each with the set of processes that map it.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_WORLD_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_MODEL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/estimate.h"

enum { WORLD_PROCESSES = 64, WORLD_BLOCKS = 4096 };
enum world_kind { WORLD_ANON, WORLD_FILES };

struct world_block {
	uint64_t size, mask; /* size in bytes; bit I of .mask: process I maps the block */
	enum world_kind kind;
};

struct world {
	struct world_block block[WORLD_BLOCKS];
	unsigned int blocks;
};

static inline uint64_t world_bit(unsigned int i)
{
	return UINT64_C(1) << i;
}

void world_map(struct world *w, uint64_t size, uint64_t mask, enum world_kind kind);

/* Breaks copy-on-write of SIZE bytes of anonymous memory that process I shares. */
void world_write(struct world *w, unsigned int i, uint64_t size);

/*
 * The child shares all of the parent's anonymous memory. It maps no file until
 * world_touch_files().
 */
void world_fork(struct world *w, unsigned int parent, unsigned int child);

/* Processes FIRST to LAST map all blocks of files. */
void world_touch_files(struct world *w, unsigned int first, unsigned int last);

void world_unmap_all(struct world *w, unsigned int i);

uint64_t world_pss(const struct world *w, unsigned int i, enum world_kind kind);
struct estimate_now world_now(const struct world *w, unsigned int i);

/* The result of measuring process I. */
struct estimate_base world_measure(const struct world *w, unsigned int i);

/* The host's sum in bytes: AnonPages or Mapped. */
uint64_t world_sum(const struct world *w, enum world_kind kind);

#endif
