/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File Inventory
 *
 * Reads processes one after the other for the files that they map. Makes a file table
 * (inspect/files/file-table.h), and finds which pages of each file are in memory, each counted
 * once. Reading a process costs its smaps, two readings of its status, and its pagemap where files
 * are mapped.
 */
#ifndef MEMTALLY_INSPECT_FILES_INVENTORY_H
#define MEMTALLY_INSPECT_FILES_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inspect/files/file-table.h"
#include "inspect/files/mm-set.h"
#include "inspect/maps/target.h"
#include "inspect/pages/page-bitmap.h"

/* A range of addresses with pages of a file. */
struct inventory_span {
	uint64_t start, end;
	uint64_t first;  /* number of the page of the file at .start */
	uint64_t wanted; /* resident pages of the file in the range */
	uint32_t row;    /* row of the file in the file table */
};

struct inventory {
	struct file_table files; /* the files that were found */
	struct page_bitmap bitmap;
	struct mm_set spaces;
	uint64_t page_size;
	struct buffer span; /* struct inventory_span, of the process that is being read */
	/* One byte for each row: 1 if some pages of the file could not be read. */
	struct buffer partial;
	bool has_no_scan;  /* the kernel has no PAGEMAP_SCAN (inspect/pages/filepages.h) */
	bool is_committed; /* the process that is being read counts */
};

/*
 * Makes S empty. LIVE: pids are of this pid namespace, so that address spaces can be compared and
 * files looked up.
 */
void inventory_init(struct inventory *s, bool live);
/* Frees what S owns. */
void inventory_done(struct inventory *s);
#define AUTO_INVENTORY CLEANUP(inventory_done)

/* A result in addition to those of target.h. */
enum {
	/* A process that was read before has the same address space. */
	INVENTORY_KNOWN = TARGET_OUTCOMES,
};

/*
 * Reads process T. May block, see cli/common/reading/supervisor.h. Returns 0: T counts, and the parts of
 * the file table are T's; INVENTORY_KNOWN or an enum target_outcome: T does not count; -ENOMEM;
 * -EOVERFLOW: its figures are impossible; or a negative errno of reading.
 */
int inventory_read(struct inventory *s, struct target *t);

/*
 * Call if inventory_read() was broken off by supervisor_try(). If the process did not count yet, it
 * does not count; if it did, the files that it maps become partial.
 */
void inventory_drop(struct inventory *s);

/* Call after the last process: sets the resident bytes of the files in the file table. */
void inventory_finish(struct inventory *s);

#endif
