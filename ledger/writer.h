/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: adds snapshots to the bucket, and writes each complete slot to the store. If a write
 * fails, usage stays in memory, as one sum for each owner, and is written later. A damaged file is
 * closed and opened again; if it is still damaged, it is quarantined and a new one begins. Each
 * kind of failure is logged once, and counted.
 */
#ifndef MEMTALLY_LEDGER_WRITER_H
#define MEMTALLY_LEDGER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"
#include "ledger/count/bucket.h"
#include "ledger/store/store.h"

struct writer {
	const char *directory; /* borrowed */
	struct store_limits limits;
	struct store *store; /* NULL: no file is open */
	struct bucket bucket;
	uint64_t userns;      /* our user namespace, by userns_id() */
	bool is_failing;      /* the last write failed */
	uint64_t written_ns;  /* CLOCK_REALTIME until which usage is in the file; 0: none is */
	uint64_t interval_ns; /* interval of the last snapshot; 0: none has come */
	uint64_t retry_ns;    /* CLOCK_MONOTONIC of the next try after a failed write */
	uint64_t fresh_ns;    /* CLOCK_MONOTONIC until which a question does not cause a write */
	uint64_t write_failures, set_aside, clock_sets; /* counts */
	struct log_limit clock_limit, report_limit;
	struct store_beat beat;
	bool seems_damaged; /* the file was closed because of damage, and is not open again */
	/* ns to wait before the next try to quarantine the file; 0: no try has failed */
	uint64_t quarantine_wait_ns;
	/* Why the quarantine failed, as logged last; empty: nothing was logged. */
	char quarantine_error[STORE_ERROR_SIZE];
};

/*
 * Returns how long writer_open() may take for the files in DIRECTORY, on a slow disk (ns): it reads
 * all of them.
 */
uint64_t writer_opening_ns(const char *directory);

/*
 * Initializes W and opens the store in DIRECTORY (borrowed). Quarantines a damaged file. Returns 0,
 * or a store_outcome or -ENOMEM, which is logged; after STORE_LOCKED, STORE_UNWRITABLE and -ENOMEM
 * a later try may succeed.
 */
int writer_open(struct writer *w, const char *directory, const struct store_limits *limits);

/* Makes W call BEAT during operations that may take long. */
void writer_set_beat(struct writer *w, struct store_beat beat);

/* Writes the open span, if possible, and closes the store. */
void writer_close(struct writer *w);

/*
 * Takes the snapshot VIEW (borrowed) at NOW_NS (CLOCK_MONOTONIC), and writes the slots that it
 * completes. Logs failures.
 */
void writer_take(struct writer *w, const struct view *view, uint64_t now_ns);

/* Writes the open span, if a write or a new try is due at NOW_NS (CLOCK_MONOTONIC). */
void writer_run(struct writer *w, uint64_t now_ns);

/* Returns the CLOCK_MONOTONIC time at which writer_run() is due next; UINT64_MAX: never. */
uint64_t writer_due_ns(const struct writer *w, uint64_t now_ns);

/*
 * A usage_server_answer; CONTEXT is the writer. Writes the open span first, so that the answer
 * is up to date, unless the file has all of the time that is asked for, or the last write was within
 * the last 10 s.
 */
void writer_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to);

#endif
