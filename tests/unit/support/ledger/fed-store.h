/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that a simulated memtallyd feeds
 *
 * Fixture for tests of ledger/store: keeping.h with the open store, the bucket before it, and the
 * owners alice (1 GiB), bob (3 GiB) and job.service (4 GiB). Any fault fails the test. Link with
 * WRAP_FED_STORE.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_FED_STORE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_FED_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ledger/count/bucket.h"
#include "ledger/store/store.h"
#include "tests/unit/support/ledger/keeping.h"

/* The first time of the feed, in seconds since the epoch. */
#define START_S ((int64_t)FEED_START_S)

struct fed_store {
	struct keeping keeping;
	struct store *store; /* NULL: closed */
	struct bucket b;
	struct feed feed;
	struct feed_owner *alice, *bob, *job; /* owners of .feed */
};

/* Set-up and tear-down of a test; *STATE is the fixture. The store is not open yet. */
int fed_store_begin(void **state);
int fed_store_end(void **state);
#define FED_STORE_TEST(name) cmocka_unit_test_setup_teardown(name, fed_store_begin, fed_store_end)

/* Opens the store, and loads the state in memory from it. */
void fed_store_open(struct fed_store *f);

/*
 * Opens the file another time and closes it. Returns the result of store_open(), of which an error
 * has to name the file and to contain EXPECTED.
 */
int fed_store_try_open(struct fed_store *f, const char *expected);

/* Closes the store, and forgets the state in memory. */
void fed_store_close(struct fed_store *f);

/* Closes and opens the store, as after a crash: what was not written is lost. */
void fed_store_reopen(struct fed_store *f);

/* Writes the bucket and clears it. */
void fed_store_write(struct fed_store *f);

/* As fed_store_write(), if the bucket has content. */
void fed_store_flush(struct fed_store *f);

/* Takes a snapshot now, and writes each slot that has ended. FIXTURE is a struct fed_store. */
void fed_store_take(void *fixture);

/* Lets SECONDS pass, then takes a snapshot. */
void fed_store_take_after(struct fed_store *f, double seconds);

/* Lets SECONDS pass with a snapshot each 10 s. */
void fed_store_run(struct fed_store *f, double seconds);

/* Lets SECONDS pass with a snapshot each 10 s, and writes all of it. */
void fed_store_write_for(struct fed_store *f, double seconds);

/* Lets SLOTS slots of five minutes pass with a snapshot each, and writes all of them. */
void fed_store_pass_slots(struct fed_store *f, unsigned int slots);

/* Opens the store, and takes a first snapshot. */
void fed_store_start(struct fed_store *f);

/* Makes COUNT owners of KIND with names of NAME_BYTES. All their memory is alice's. */
void fed_store_begin_crowd(
	struct fed_store *f, enum usage_kind kind, unsigned int count, size_t name_bytes);

/* Starts with many SLOTS of five minutes with 300 programs, which are kept. */
void fed_store_begin_slots(struct fed_store *f, unsigned int slots);

struct fed_store_answer {
	struct usage_head head;
	struct buffer body; /* owned: the caller calls buffer_done() */
};

/* Gets the report of KIND between two times, as READER or, in fed_store_ask(), as root sees it. */
void fed_store_ask_as(struct fed_store *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	const struct store_reader *reader, struct fed_store_answer *ret);
void fed_store_ask(struct fed_store *f, enum usage_kind kind, int64_t since_s, int64_t until_s,
	struct fed_store_answer *ret);

/* Returns the row NAME, or an empty one. */
struct usage_row fed_store_row(const struct fed_store_answer *a, const char *name);

/* Returns the PSS of the row NAME in KiB seconds. */
double fed_store_pss(const struct fed_store_answer *a, const char *name);

/* Checks the PSS of NAME in a report of KIND: PSS_KIB_S, in KiB seconds. */
void fed_store_check_pss(struct fed_store *f, enum usage_kind kind, int64_t since_s,
	int64_t until_s, const char *name, double pss_kib_s);

/* Returns the PSS of all rows of KIND over all time, in KiB seconds. */
double fed_store_sum(struct fed_store *f, enum usage_kind kind);

/* Checks that all rows of KIND together have alice's usage. */
void fed_store_check_sum(struct fed_store *f, enum usage_kind kind);

/* Returns the number that SQL selects first in the file. Closes and opens the store. */
int64_t fed_store_count(struct fed_store *f, const char *sql);

#endif
