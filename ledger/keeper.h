/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's keeper: it adds snapshots to the bucket, and writes each slot that is complete to the store. What it can't write
 * stays in memory, as one sum for each owner, and is written later. A file that is damaged, and still is when it was opened
 * again, is set aside for a new one. The keeper logs a failure once, and counts it.
 */
#ifndef MEMTALLY_LEDGER_KEEPER_H
#define MEMTALLY_LEDGER_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"
#include "ledger/bucket.h"
#include "ledger/store.h"

struct keeper {
	const char *directory; /* borrowed */
	struct store_limits limits;
	struct store *store; /* NULL: there is none for the moment */
	struct bucket bucket;
	uint64_t userns; /* ours, by userns_id() */
	bool is_failing; /* what was used last could not be written */
	uint64_t
		written_ns; /* CLOCK_REALTIME until which what was used is in the file; 0: nothing is */
	uint64_t interval_ns; /* of the last snapshot; 0: none has come */
	uint64_t retry_ns;    /* CLOCK_MONOTONIC from when on it is tried again */
	uint64_t fresh_ns; /* likewise: until then what is written is new enough for whoever asks */
	uint64_t write_failures, set_aside, clock_sets; /* counts */
	struct log_limit clock_limit, report_limit;
	struct store_beat beat;
	bool seems_damaged; /* it was closed since damage was found, and has not been opened again */
	uint64_t
		aside_wait_ns; /* how long until it is tried again to set it aside; 0: that has not failed */
	char aside_error[STORE_ERROR_SIZE]; /* that is on the log already; empty: none is */
};

/*
 * How long keeper_open() may take with what is in DIRECTORY, all of which it reads, from a slow disk.
 */
uint64_t keeper_opening_ns(const char *directory);

/*
 * Opens the store in DIRECTORY, borrowed. A damaged file is set aside. Returns 0; a store_outcome or -ENOMEM, which is logged:
 * after STORE_LOCKED, STORE_UNWRITABLE and -ENOMEM a later try may succeed.
 */
int keeper_open(struct keeper *k, const char *directory, const struct store_limits *limits);

/* From now on BEAT is called while something goes on that may take long. */
void keeper_set_beat(struct keeper *k, struct store_beat beat);

/* Writes what there is, as far as it can be, and closes. */
void keeper_close(struct keeper *k);

/* Takes VIEW, borrowed, at NOW (CLOCK_MONOTONIC). */
void keeper_take(struct keeper *k, const struct view *view, uint64_t now_ns);

/* Does what is due; and when that is next, of CLOCK_MONOTONIC; UINT64_MAX: never. */
void keeper_run(struct keeper *k, uint64_t now_ns);
uint64_t keeper_due_ns(const struct keeper *k, uint64_t now_ns);

/* A desk_answer; CONTEXT is the keeper. What was used up to a few seconds ago is written first. */
void keeper_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to);

#endif
