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
 * Sums of all that was written, by kind and name: PSS and swap in byte seconds, processes in
 * process seconds. .last_from_ns to .last_to_ns is the time span of the last write.
 */
struct book {
	struct bucket b;
	struct feed feed;
	struct {
		enum usage_kind kind;
		char name[32];
		double pss, swap, processes;
	} sum[BOOK_SERIES_MAX];
	size_t sums, writes;
	double covered_s, sampled_s;
	uint64_t last_from_ns, last_to_ns;
	size_t names; /* how many new names of each kind one write may contain */
	bool is_full; /* a write fails: the bucket is kept and extended */
};

void book_begin(struct book *k);
void book_end(struct book *k);

/* Returns the index in .sum of KIND and NAME; adds a sum of 0 if there is none. */
size_t book_find(struct book *k, enum usage_kind kind, const char *name);

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

#endif
