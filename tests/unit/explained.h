/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is explained: 8 MiB of heap alone and 2 MiB shared, a file, a memfd, some of it swapped out. */
#ifndef MEMTALLY_TESTS_UNIT_EXPLAINED_H
#define MEMTALLY_TESTS_UNIT_EXPLAINED_H

#include "cli/explanation.h"

/* What is explained, with all that belongs to it. */
struct explained {
	struct portrait portrait;
	struct sharers sharers;
	uint64_t q[PROCESS_QUANTITIES];
	struct snapshot_process row;
	struct explanation e;
};

void explained_open(struct explained *p);
void explained_close(struct explained *p);

/* A process of PROGRAM has a mapping at START, or of file INODE. */
void explained_see(struct explained *p, const char *program, uint64_t start, uint64_t inode);

/* memtallyd has seen it grow, by so many bytes a second. */
void explained_grows(struct explained *p, double slope, double error);

#endif
