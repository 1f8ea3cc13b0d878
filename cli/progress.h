/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a long look at many processes is, for whoever waits at a terminal: a line on standard error that is written over, after
 * a second.
 */
#ifndef MEMTALLY_CLI_PROGRESS_H
#define MEMTALLY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	const char *what; /* is being done: "looking" */
	size_t done, all; /* processes */
	bool is_shown, has_line;
	uint64_t next_ns; /* CLOCK_MONOTONIC */
};

/* Of ALL processes. */
void progress_begin(struct progress *p, const char *what, size_t all);

/* To be called as often as may be, with the BYTES that were looked at so far. */
void progress_tick(struct progress *p, uint64_t bytes);

/* Takes the line away, as has to be done before anything else is said. */
void progress_end(struct progress *p);

#endif
