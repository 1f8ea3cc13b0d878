/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The column NOTE of a table: which figures of a row are missing, and how sure its PSS is, in a few words. It does not say which
 * figures are estimates: nearly all are, and an estimate may be exact. Pure.
 */
#ifndef MEMTALLY_CLI_NOTE_H
#define MEMTALLY_CLI_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

struct note {
	const char *
		outcome; /* the reason why a process was not measured; NULL: it was, or these are sums */
	uint32_t mm_pid; /* the process at which its memory is counted; 0: itself */
	bool is_process;
	uint64_t processes, guessed;
	uint64_t unmeasured;      /* processes, for any reason */
	uint64_t denied, blocked; /* parts of .unmeasured, by reason */
	bool is_wide;             /* the bounds are so far apart that they are shown */
	bool is_open;             /* there is no upper bound */
	uint64_t low_bytes, high_bytes;
};

void note_of_process(const struct snapshot_process *row, struct note *ret);

/* Does the same for a row of sums, or sums that are no row: PRESENT and Q are by enum scope_quantity. */
void note_of_sums(uint64_t present, const uint64_t *q, struct note *ret);

/* Whether note_add() would add nothing. */
bool note_is_empty(const struct note *n, bool bytes);

/*
 * "1 of 54 denied, 6 of 54 guessed, 345.0 MiB to 2.7 GiB"; nothing of what is empty. The bounds only where they
 * are wide: where they are less than 5 % of the PSS apart, or less than 1 MiB, or no further than the kernel's rounding,
 * the figure says it.
 * BYTES: exact.
 */
void note_add(struct buffer *to, const struct note *n, bool bytes);

/* The same behind what stands there of a total: ", 1 denied, 6 guessed, PSS between 2.3 and 6.8 GiB", or nothing. */
void note_add_to_total(struct buffer *to, const struct note *n, bool bytes);

#endif
