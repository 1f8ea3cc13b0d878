/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of files were seen, whoever showed them: each counts once. A bit a page, in chunks of 2 MiB of a file with
 * pages of 4 KiB, and only where there are any: 80 bytes a chunk, which is 40 KiB for each GiB that is resident. Pure.
 */
#ifndef MEMTALLY_INSIDE_COVERAGE_H
#define MEMTALLY_INSIDE_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum { COVERAGE_WORDS = 8, COVERAGE_CHUNK = 64 * COVERAGE_WORDS };

struct coverage_chunk {
	uint64_t number;
	uint32_t file; /* + 1; 0: free */
	uint64_t bit[COVERAGE_WORDS];
};

struct coverage {
	size_t max;    /* chunks; set by the owner, as the next */
	uint64_t seed; /* of hashes */
	struct coverage_chunk *slot;
	size_t slots, used;
	uint64_t *pages; /* by file */
	size_t files;
};

/* 2 TiB in large pieces, which take 80 to 160 MiB. */
#define COVERAGE_MAX (1 << 20)

void coverage_done(struct coverage *c);
#define AUTO_COVERAGE CLEANUP(coverage_done)

/* COUNT pages of FILE, which is a small number, from FIRST on. -ENOMEM; -ENOSPC: there are too many, and some do not count. */
int coverage_add(struct coverage *c, uint32_t file, uint64_t first, uint64_t count);

/* How many of FILE there are. */
uint64_t coverage_pages(const struct coverage *c, uint32_t file);

#endif
