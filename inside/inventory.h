/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes read one after the other for the files that they have mapped: who maps what, and which pages of it are in
 * memory, each once. What each costs to read is its smaps, twice what its status costs, and pagemap where files lie.
 */
#ifndef MEMTALLY_INSIDE_INVENTORY_H
#define MEMTALLY_INSIDE_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inside/coverage.h"
#include "inside/shelf.h"
#include "inside/spaces.h"
#include "inside/target.h"

/* Where pages of a file may be. */
struct inventory_span {
	uint64_t start, end;
	uint64_t first;  /* page of the file at START */
	uint64_t wanted; /* how many pages of it there are */
	uint32_t row;
};

struct inventory {
	struct shelf shelf;
	struct coverage coverage;
	struct spaces spaces;
	uint64_t page_size;
	struct buffer span;    /* of the process that is being read */
	struct buffer partial; /* by row, a byte: not all of its pages could be looked at */
	bool has_no_scan;      /* filepages.h */
};

/* Of pids that LIVE says are those of our pid namespace. */
void inventory_init(struct inventory *s, bool live);
void inventory_done(struct inventory *s);
#define AUTO_INVENTORY CLEANUP(inventory_done)

/* Beside those of target.h. */
enum {
	INVENTORY_KNOWN =
		TARGET_OUTCOMES, /* its address space is that of a process that was read before */
};

/*
 * Reads T. 0: it counts, and s->shelf.part has what it has; INVENTORY_KNOWN or a target_outcome: it does not; -ENOMEM; -EOVERFLOW: its
 * figures are no machine's; errors of reading.
 */
int inventory_read(struct inventory *s, struct target *t);

/* After the last one: says in the shelf what is resident. */
void inventory_finish(struct inventory *s);

#endif
