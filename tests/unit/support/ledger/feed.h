/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated memtallyd, as the ledger sees it
 *
 * Owners have the PSS that the test sets. The feed integrates their counters by memtallyd's rule
 * and makes an image for each pass, on clocks that the test moves. Beside that it keeps the truth:
 * what each owner has used, whether or not a memtallyd was running.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_FEED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_LEDGER_FEED_H

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
	bool is_denied; /* memtallyd may not read its memory: its rows have no PSS and no swap */
	bool has_row;   /* memtallyd has a row for it */
	uint64_t created_ns, last_pss_bytes;
	double byte_s; /* memtallyd's counter, byte seconds */
	/* the truth: byte seconds of PSS and of swap, process seconds */
	double true_byte_s, true_swap_byte_s, true_process_s;
};

/*
 * Many owners that are all alike, without a user of their own. feed_rename() gives all of them new
 * names. Users and groups of the crowd have a number each.
 */
struct feed_crowd {
	enum usage_kind kind;
	unsigned int count;
	size_t name_bytes;       /* shorter names are padded to this length */
	uint64_t pss_bytes;      /* of each owner; each has one process */
	unsigned int generation; /* counts the changes of names */
	bool has_row;
	uint64_t created_ns;
	double byte_s;
};

struct feed {
	/* the clocks; CLOCK_BOOTTIME is .monotonic_ns + .suspended_ns */
	uint64_t monotonic_ns, suspended_ns, realtime_ns;
	uint8_t instance;    /* tells one memtallyd from the next */
	uint64_t sequence;   /* of the last image; 0: no pass yet */
	uint64_t last_ns;    /* CLOCK_MONOTONIC of the last pass */
	uint64_t created_ns; /* CLOCK_REALTIME of its start */
	uint64_t interval_ns;
	uint64_t userns; /* user namespace of the uids */
	struct feed_owner owner[FEED_OWNERS];
	unsigned int owners;
	struct feed_crowd crowd;
};

#define FEED_START_S UINT64_C(1700000100) /* a multiple of 5 minutes, and not of an hour */

/*
 * Sets the clocks to FEED_START_S, 1000 s after boot, with passes each 10 s. No memtallyd has
 * started.
 */
void feed_init(struct feed *f);

/*
 * Adds an owner without processes, and returns it. USER is the name of its user; "": none. The
 * strings are borrowed.
 */
struct feed_owner *feed_add(
	struct feed *f, enum usage_kind kind, uint32_t number, const char *name, const char *user);

/* Sets O's PSS and number of processes from now on. */
void feed_set(struct feed_owner *o, uint64_t pss_bytes, uint64_t processes);

/* Gives the crowd other names from now on. */
void feed_rename(struct feed *f);

/* Starts another memtallyd, which has made no pass yet. */
void feed_restart(struct feed *f);

/* Lets SECONDS pass, and adds them to the true usage of each owner. */
void feed_wait(struct feed *f, double seconds);

/* Suspends the machine for SECONDS: CLOCK_MONOTONIC stands still, and nothing is used. */
void feed_suspend(struct feed *f, double seconds);

/* Returns CLOCK_REALTIME in seconds. */
int64_t feed_now_s(const struct feed *f);

/* Makes a pass at the current time. Returns its sealed image; the caller closes it. */
int feed_image(struct feed *f);

/* Makes a pass as feed_image() does. Returns its opened image; the caller unrefs it. */
struct view *feed_pass(struct feed *f);

#endif
