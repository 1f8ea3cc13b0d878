/* SPDX-License-Identifier: Apache-2.0 */
/* What is written of a bucket that snapshots of a memtallyd are taken into whose truth is known (feed.h). */
#ifndef MEMTALLY_TESTS_UNIT_BOOK_H
#define MEMTALLY_TESTS_UNIT_BOOK_H

#include "ledger/bucket.h"
#include "tests/unit/keeping.h"

enum { BOOK_SERIES_MAX = 64 };

/* What was written, by kind and name; and in the last one, for itself. */
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
	size_t names; /* that may be new in a write */
	bool is_full; /* nothing can be written */
};

void book_begin(struct book *k);
void book_end(struct book *k);

/* Which of the sums is of KIND and NAME; one of nothing if there was none. */
size_t book_find(struct book *k, enum usage_kind kind, const char *name);

/* A pass, now, is taken, and what is complete is written: an outcome of bucket_take(). */
int book_take(struct book *k);

/* Passes for SECONDS, each 10 s. */
void book_run(struct book *k, double seconds);

/* What there is is written; and if there is any. */
void book_write_down(struct book *k);
void book_flush(struct book *k);

/* What was written of O is what it has used, to PART. */
void book_check_pss(struct book *k, const struct feed_owner *o, double part);

#endif
