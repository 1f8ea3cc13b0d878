/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress line
 *
 * Shows on standard error, if that is a terminal, how far a long scan is: one line, first after a
 * second, then overwritten.
 */
#ifndef MEMTALLY_CLI_SHARING_PROGRESS_H
#define MEMTALLY_CLI_SHARING_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *what; /* the activity, such as "reading"; static */
	size_t done, all; /* processes; the caller counts .done */
	bool is_shown, has_line;
	uint64_t next_ns; /* CLOCK_MONOTONIC, ns: when to print next */
};

/* Starts the progress of a scan of ALL processes. */
void progress_begin(struct progress *p, const char *what, size_t all);

/*
 * Prints the line if it is due (every 0.2 s). BYTES is the amount that was scanned so far. Cheap:
 * call it often.
 */
void progress_tick(struct progress *p, uint64_t bytes);

/* Erases the line. Call it before any other output to the terminal. */
void progress_end(struct progress *p);

#endif
