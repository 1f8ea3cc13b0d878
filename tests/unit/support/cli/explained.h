/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample for `memtally explain`: a process with 8 MiB of private heap and 2 MiB of shared heap, a
 * file and a memfd, partly swapped out.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_EXPLAINED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_EXPLAINED_H

#include "cli/explain/explanation.h"

/* The explanation, and all that it refers to. */
struct explained {
	struct breakdown breakdown;
	struct sharers sharers;
	uint64_t q[PROCESS_QUANTITIES];
	struct snapshot_process row;
	struct explanation e;
};

/* Fills *P; explained_close() frees what it owns. P must not move. */
void explained_open(struct explained *p);
void explained_close(struct explained *p);

/*
 * Records that a process of PROGRAM also has the mapping at START (inode 0), or file INODE mapped.
 */
void explained_see(struct explained *p, const char *program, uint64_t start, uint64_t inode);

/*
 * Sets the growth that memtallyd reports for the process: SLOPE and its standard ERROR, in bytes
 * per second.
 */
void explained_grows(struct explained *p, double slope, double error);

#endif
