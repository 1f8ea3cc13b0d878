/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memtallyd as the ledger sees it, on clocks of the test's own: owners whose PSS is what the test says, counters
 * integrated by memtallyd's rule, and an image for each pass. Beside them the truth: what each owner has used,
 * whoever was there to see it.
 */
#ifndef MEMTALLY_TESTS_UNIT_FEED_H
#define MEMTALLY_TESTS_UNIT_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/usage.h"
#include "snapshot/view.h"

enum { FEED_OWNERS = 64 };

struct feed_owner {
	enum usage_kind kind;
	const char *name, *user; /* borrowed */
	uint32_t number;
	uint64_t pss_bytes, swap_bytes, processes;
	bool is_denied; /* memtallyd may not read its memory */
	bool has_row;   /* memtallyd knows of it */
	uint64_t created_ns, last_pss_bytes;
	double byte_s; /* memtallyd's counter */
	double true_byte_s, true_swap_byte_s, true_process_s;
};

/*
 * Owners without a user of their own who are all alike, and have new names whenever feed_rename() is called. Of users and
 * groups each has a number of its own.
 */
struct feed_crowd {
	enum usage_kind kind;
	unsigned int count;
	size_t name_bytes;
	uint64_t pss_bytes; /* of each; they have a process each */
	unsigned int generation;
	bool has_row;
	uint64_t created_ns;
	double byte_s;
};

struct feed {
	uint64_t monotonic_ns, suspended_ns, realtime_ns;
	uint8_t instance;    /* which memtallyd it is */
	uint64_t sequence;   /* 0: none runs */
	uint64_t last_ns;    /* CLOCK_MONOTONIC of the last pass */
	uint64_t created_ns; /* CLOCK_REALTIME of its start */
	uint64_t interval_ns;
	uint64_t userns; /* whose the uids are */
	struct feed_owner owner[FEED_OWNERS];
	unsigned int owners;
	struct feed_crowd crowd;
};

#define FEED_START_S UINT64_C(1700000100) /* a whole number of five minutes, of no hour */

/* At FEED_START_S, 1000 s after the machine was started; passes each 10 s; no memtallyd. */
void feed_init(struct feed *f);

/* The owner, with no processes yet. USER may be "". */
struct feed_owner *feed_add(
	struct feed *f, enum usage_kind kind, uint32_t number, const char *name, const char *user);

/* It has from now on. */
void feed_set(struct feed_owner *o, uint64_t pss_bytes, uint64_t processes);

/* The crowd has other names from now on. */
void feed_rename(struct feed *f);

/* Another memtallyd, from now on. It has made no pass. */
void feed_restart(struct feed *f);

/* Time passes. */
void feed_wait(struct feed *f, double seconds);

/* A pass, now: its image, sealed, for the caller to close. */
int feed_image(struct feed *f);

/* The same, open, for the caller to unref. */
struct view *feed_pass(struct feed *f);

#endif
