/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory Breakdown
 *
 * The memory of one process: shared or not, and by sort, which decides what happens to it when the
 * process exits. Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_PORTRAIT_H
#define MEMTALLY_INSPECT_MAPS_PORTRAIT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inspect/maps/atlas.h"

/* Sorts of resident memory, by when the kernel frees them. */
enum portrait_part {
	/* Anonymous memory, and private copies of pages of files: freed with its last process. */
	PORTRAIT_ANON,
	/* Shared memory without a name: freed when no process maps it or has it open. */
	PORTRAIT_SHMEM,
	/*
	 * Pages of files, which stay in the page cache; and the kernel's own pages, such as [vdso].
	 */
	PORTRAIT_FILE,
	/* Files without a name: freed when no process maps them or has them open. */
	PORTRAIT_UNLINKED,
	/* Shared memory that stays: files on tmpfs, until their names are removed. */
	PORTRAIT_NAMED,
	/*
	 * Drivers' memory (packet rings, BPF maps): freed with its last reference; no page cache.
	 */
	PORTRAIT_DRIVER,
	PORTRAIT_PARTS
};

/* Returns the name of PART: "anon", "shmem", "unlinked", "named", "driver" or "file". */
const char *portrait_part_name(enum portrait_part part);

struct portrait {
	struct atlas kinds, files; /* sums by kind; sums by file, or by name if there is no file */
	struct atlas_row total;
	uint64_t alone[PORTRAIT_PARTS];  /* bytes that no other process maps, by sort */
	uint64_t shared[PORTRAIT_PARTS]; /* bytes that other processes map, too, by sort */
	/*
	 * Bytes of .alone[PORTRAIT_ANON] that may be shared instead; then as many bytes of other
	 * sorts are not shared.
	 */
	uint64_t doubt;
};

/*
 * Returns the sort of M's pages that are not anonymous. M->fate, .has_name and .store should be
 * set.
 */
enum portrait_part portrait_part_of(const struct mapping *m);

/* Makes P empty. */
void portrait_init(struct portrait *p);
/* Frees what P owns. */
void portrait_done(struct portrait *p);

/*
 * Adds M of process PID. For a private mapping of a file, smaps does not tell which pages are
 * shared, anonymous ones or pages of the file. As many pages as possible count as anonymous and not
 * shared. This is wrong only for pages that were written and then shared by a fork; they are in
 * .doubt. Returns 0, -ENOMEM or -EOVERFLOW.
 */
int portrait_add(struct portrait *p, pid_t pid, const struct mapping *m);

/* Returns the part of .doubt from M, in bytes. */
uint64_t portrait_doubt(const struct mapping *m);

/*
 * Corrects .alone and .shared for M, which was added: its pages show that BYTES are anonymous and
 * not shared. BYTES is limited to what smaps allows. M no longer counts in .doubt.
 */
void portrait_settle(struct portrait *p, const struct mapping *m, uint64_t bytes);

#endif
