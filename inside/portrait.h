/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakdown of one process's memory: alone or shared, and by sort, which decides what becomes of it when the process exits. Pure.
 */
#ifndef MEMTALLY_INSIDE_PORTRAIT_H
#define MEMTALLY_INSIDE_PORTRAIT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inside/atlas.h"

/* Sorts of resident memory, by when the kernel frees them. */
enum portrait_part {
	PORTRAIT_ANON,     /* freed with its last process; also private copies of pages of files */
	PORTRAIT_SHMEM,    /* freed when no process maps it, and it has no name and no descriptor */
	PORTRAIT_FILE,     /* stays in the page cache; and the kernel's own pages, such as [vdso] */
	PORTRAIT_UNLINKED, /* files without a name: freed when no process maps them or has them open */
	PORTRAIT_NAMED, /* shared memory that stays: files on tmpfs, until their names are removed */
	PORTRAIT_DRIVER, /* drivers' memory (packet rings, BPF maps): freed with its last reference; no page cache */
	PORTRAIT_PARTS
};

/* "anon", "shmem", "unlinked", "named", "driver", "file" */
const char *portrait_part_name(enum portrait_part part);

struct portrait {
	struct atlas kinds, files; /* by kind; by file, or by name where there is none */
	struct atlas_row total;
	uint64_t alone[PORTRAIT_PARTS]; /* bytes that no other process maps */
	uint64_t shared[PORTRAIT_PARTS];
	uint64_t
		doubt; /* bytes of .alone[PORTRAIT_ANON] that may be shared, while as many other bytes are alone */
};

/* The sort of M's pages that are not anonymous. */
enum portrait_part portrait_part_of(const struct mapping *m);

void portrait_init(struct portrait *p);
void portrait_done(struct portrait *p);

/*
 * Adds M of process PID. smaps does not say which pages of a private mapping of a file are shared, anonymous ones or those of
 * the file: as many as possible count as anonymous and alone. That is wrong only for pages that were written and then shared
 * by a fork; they are in .doubt. Returns 0, -ENOMEM or -EOVERFLOW.
 */
int portrait_add(struct portrait *p, pid_t pid, const struct mapping *m);

/* The part of .doubt from M, in bytes. */
uint64_t portrait_doubt(const struct mapping *m);

/*
 * M, which was added, has BYTES that are anonymous and alone, as its pages show: corrects .alone and .shared, and takes M out
 * of .doubt. BYTES are cut to what smaps allows.
 */
void portrait_settle(struct portrait *p, const struct mapping *m, uint64_t bytes);

#endif
