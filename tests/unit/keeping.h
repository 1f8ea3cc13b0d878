/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the ledger begin with: a directory of their own, usual limits, a memtallyd that runs. */
#ifndef MEMTALLY_TESTS_UNIT_KEEPING_H
#define MEMTALLY_TESTS_UNIT_KEEPING_H

#include "ledger/store.h"
#include "tests/unit/feed.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* A GiB for a second, in KiB seconds. */
#define GIB_S ((double)(GIB >> 10))

struct keeping {
	char dir[48], path[64]; /* the file's, in it */
	struct store_limits limits;
};

/* The directory is in memory, where there is such: thousands of transactions are synchronized. */
void keeping_begin(struct keeping *k);

/* Removes it with all that is in it. */
void keeping_end(struct keeping *k);

/*
 * Gives DIRECTORY to the user that memtally-ledger becomes. Root: user memtally-ledger if the host has one, else a uid that no
 * other process has. Any other user: the user that runs the test. *RET is that uid. Returns 0, or -1 on failure.
 */
int keeping_give(const char *directory, uid_t *ret);

/*
 * Damages the file of STORE, which is open: where its pages belong, which is looked at when free ones are given back and
 * by no other write.
 */
void keeping_spoil_map(const struct keeping *k, struct store *store);

/* A memtallyd that has made no pass yet. */
void keeping_start(struct feed *f);

/* Time passes for SECONDS, and each 10 of them TAKE is called with CONTEXT. */
void keeping_run(struct feed *f, double seconds, void (*take)(void *context), void *context);

/* Fails where FOUND is off EXPECTED by more than PART of it, and than the roundings of a few rows. */
void keeping_check_near(double found, double expected, double part);

#endif
