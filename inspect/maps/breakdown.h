/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory Breakdown
 *
 * The memory of one process: shared or not, and by sort, which decides what happens to it when the
 * process exits. Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_BREAKDOWN_H
#define MEMTALLY_INSPECT_MAPS_BREAKDOWN_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inspect/maps/mapping-table.h"

/* Sorts of resident memory, by when the kernel frees them. */
enum breakdown_part {
	/* Anonymous memory, and private copies of pages of files: freed with its last process. */
	BREAKDOWN_ANON,
	/* Shared memory without a name: freed when no process maps it or has it open. */
	BREAKDOWN_SHMEM,
	/*
	 * Pages of files, which stay in the page cache; and the kernel's own pages, such as [vdso].
	 */
	BREAKDOWN_FILE,
	/* Files without a name: freed when no process maps them or has them open. */
	BREAKDOWN_UNLINKED,
	/* Shared memory that stays: files on tmpfs, until their names are removed. */
	BREAKDOWN_NAMED,
	/*
	 * Drivers' memory (packet rings, BPF maps): freed with its last reference; no page cache.
	 */
	BREAKDOWN_DRIVER,
	BREAKDOWN_PARTS
};

struct breakdown {
	/* .kinds: sums by kind; .files: sums by file, or by name if there is no file */
	struct mapping_table kinds, files;
	struct mapping_table_row total;
	uint64_t alone[BREAKDOWN_PARTS];  /* bytes that no other process maps, by sort */
	uint64_t shared[BREAKDOWN_PARTS]; /* bytes that other processes map, too, by sort */
	/*
	 * Bytes of .alone[BREAKDOWN_ANON] that may be shared instead; then as many bytes of other
	 * sorts are not shared.
	 */
	uint64_t doubt;
};

/*
 * Returns the sort of M's pages that are not anonymous. M->fate, .has_name and .store should be
 * set.
 */
enum breakdown_part breakdown_part_of(const struct mapping *m);

/* Makes P empty. */
void breakdown_init(struct breakdown *p);
/* Frees what P owns. */
void breakdown_done(struct breakdown *p);

/*
 * Adds M of process PID. For a private mapping of a file, smaps does not tell which pages are
 * shared, anonymous ones or pages of the file. As many pages as possible count as anonymous and not
 * shared. This is wrong only for pages that were written and then shared by a fork; they are in
 * .doubt. Returns 0, -ENOMEM or -EOVERFLOW.
 */
int breakdown_add(struct breakdown *p, pid_t pid, const struct mapping *m);

/* Returns the part of .doubt from M, in bytes. */
uint64_t breakdown_doubt(const struct mapping *m);

/*
 * Corrects .alone and .shared for M, which was added: its pages show that BYTES are anonymous and
 * not shared. BYTES is limited to what smaps allows. M no longer counts in .doubt.
 */
void breakdown_settle(struct breakdown *p, const struct mapping *m, uint64_t bytes);

#endif
