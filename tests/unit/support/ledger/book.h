/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows that a ledger's bucket would write
 *
 * A simulated memtallyd (feed.h) feeds a bucket. Instead of a database, a struct book adds up what
 * the bucket would write, so that a test can compare the sums with the true usage.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_BOOK_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_BOOK_H

#include "ledger/count/bucket.h"
#include "tests/unit/support/ledger/keeping.h"

enum { BOOK_SERIES_MAX = 64 };

/*
 * All that was written for an owner: PSS and swap in byte seconds, processes in process seconds.
 */
struct book_sum {
	enum usage_kind kind;
	char name[32];
	double pss, swap, processes;
};

/* .last_from_ns to .last_to_ns is the time span of the last write. */
struct book {
	struct bucket b;
	struct feed feed;
	struct book_sum sum[BOOK_SERIES_MAX];
	size_t sums, writes;
	double covered_s, sampled_s;
	uint64_t last_from_ns, last_to_ns;
	size_t names; /* how many new names of each kind one write may contain */
	bool is_full; /* a write fails: the bucket is kept and extended */
};

/* Returns the room of a write that may have NAMES new names of each kind. */
struct folding_room book_room(size_t names);

void book_begin(struct book *k);
void book_end(struct book *k);

/*
 * Does the same as book_begin(), and takes the first snapshot of one owner: user alice, uid 1000,
 * has one process with 1 GiB. Returns the owner.
 */
struct feed_owner *book_begin_alice(struct book *k);

/* Returns what was written for KIND and NAME; adds a sum of 0 if there is none. */
struct book_sum *book_sum(struct book *k, enum usage_kind kind, const char *name);

/*
 * Makes a pass, gives its image to the bucket, and writes all completed slots. Returns what
 * bucket_take() returned.
 */
int book_take(struct book *k);

/* Lets SECONDS pass, with a pass each 10 s. */
void book_run(struct book *k, double seconds);

/*
 * book_write_down() writes what the bucket holds, which must not be empty; book_flush() does the
 * same if it is not empty.
 */
void book_write_down(struct book *k);
void book_flush(struct book *k);

/* Fails unless the PSS that was written for O matches its true usage within the fraction PART. */
void book_check_pss(struct book *k, const struct feed_owner *o, double part);

/* Fails unless PSS byte seconds were written for KIND and NAME. */
void book_check(struct book *k, enum usage_kind kind, const char *name, double pss);

#endif
