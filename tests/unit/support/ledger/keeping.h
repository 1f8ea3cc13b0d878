/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixture for tests of the ledger: a temporary directory, usual limits, and a simulated memtallyd
 * (feed.h).
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_KEEPING_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_KEEPING_H

#include "ledger/store/store.h"
#include "tests/unit/support/ledger/feed.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* One GiB used for one second, in KiB seconds. */
#define GIB_S ((double)(GIB >> 10))

struct keeping {
	char dir[48], path[64]; /* path: of the database in dir */
	struct store_limits limits;
};

/*
 * Makes the directory in /dev/shm if that is writable, else in /tmp: tests synchronize thousands of
 * transactions.
 */
void keeping_begin(struct keeping *k);

/* Removes the directory and its files. */
void keeping_end(struct keeping *k);

/*
 * Gives DIRECTORY to the user that memtally-ledger becomes. Root: user memtally-ledger if the host
 * has one, else a uid that no other process has. Any other user: the user that runs the test. *RET
 * is that uid. Returns 0, or -1 on failure.
 */
int keeping_give(const char *directory, uid_t *ret);

/*
 * Damages the pointer maps of the open file of STORE. SQLite reads these when it gives back free
 * pages, and in no other write.
 */
void keeping_spoil_map(const struct keeping *k, struct store *store);

/* Starts the simulated memtallyd, which has made no pass yet. */
void keeping_start(struct feed *f);

/* Lets SECONDS pass, and calls TAKE with CONTEXT after each 10 s. */
void keeping_run(struct feed *f, double seconds, void (*take)(void *context), void *context);

/*
 * Fails if FOUND differs from EXPECTED by more than PART of it plus 2, which allows for the
 * rounding of a few rows.
 */
void keeping_check_near(double found, double expected, double part);

#endif
