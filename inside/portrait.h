/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one process has: what of it is its own and what others have, too, and of what sort that is, which decides what
 * becomes of it when the process ends. Pure.
 */
#ifndef MEMTALLY_INSIDE_PORTRAIT_H
#define MEMTALLY_INSIDE_PORTRAIT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inside/atlas.h"

/* Of what is resident. */
enum portrait_part {
	PORTRAIT_ANON, /* goes with who has it, wherever it is mapped: also what of a file was written to, privately */
	PORTRAIT_SHMEM, /* goes when nobody maps it any more and it has no name, and no descriptor */
	PORTRAIT_FILE, /* stays in the page cache until others need memory; and the kernel's own, as [vdso] */
	PORTRAIT_PARTS
};

/* "anon", "shmem", "file" */
const char *portrait_part_name(enum portrait_part part);

struct portrait {
	struct atlas kinds, files; /* by kind; by file, or by name where there is none */
	struct atlas_row total;
	uint64_t alone[PORTRAIT_PARTS]; /* bytes that nobody else maps */
	uint64_t shared[PORTRAIT_PARTS];
	uint64_t
		doubt; /* so much of what is anonymous and alone may be shared, and as much that is not, alone */
};

void portrait_init(struct portrait *p);
void portrait_done(struct portrait *p);

/*
 * Adds M of process PID. Of a private mapping of a file smaps does not say which of its pages, anonymous or the
 * file's, are shared: as many as can be count as anonymous and alone, which is wrong only of what was written to and shared
 * by a fork since, and is in .doubt. -ENOMEM, -EOVERFLOW.
 */
int portrait_add(struct portrait *p, pid_t pid, const struct mapping *m);

/* How much that is of M; 0: none. */
uint64_t portrait_doubt(const struct mapping *m);

/* Of M, which was added, so many bytes were found to be anonymous and alone: no more than can be count. */
void portrait_settle(struct portrait *p, const struct mapping *m, uint64_t bytes);

#endif
