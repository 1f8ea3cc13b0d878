/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes
 *
 * The column NOTE of a table: which figures of a row are missing, and the bounds of its PSS. It
 * does not say which figures are estimates: nearly all are, and an estimate may be exact. Pure
 * except for LC_CTYPE, which says whether a plus-minus sign can be printed.
 */
#ifndef MEMTALLY_CLI_TABLE_NOTE_H
#define MEMTALLY_CLI_TABLE_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

struct note {
	/*
	 * process: the reason why it was not measured (static); NULL: it was measured, or the row
	 * is a sum
	 */
	const char *outcome;
	uint32_t mm_pid; /* process: the one that its memory is counted at; 0: itself */
	bool is_process;
	uint64_t processes, guessed;
	uint64_t unmeasured;      /* processes that were not measured, for any reason */
	uint64_t denied, blocked; /* parts of .unmeasured, by reason */
	bool is_wide; /* there is a PSS, and the bounds differ enough to be shown: see note_add() */
	bool is_open; /* there is no upper bound */
	uint64_t pss_bytes, low_bytes, high_bytes;
};

/* Makes in *RET the note of a process. */
void note_of_process(const struct snapshot_process *row, struct note *ret);

/*
 * Makes in *RET the note of a row of sums, or of sums that are no row. PRESENT and Q are by enum
 * scope_quantity.
 */
void note_of_sums(uint64_t present, const uint64_t *q, struct note *ret);

/* Returns true if note_add() would append nothing. BYTES as there. */
bool note_is_empty(const struct note *n, bool bytes);

/*
 * Appends the note of a row, such as "8 of 10 unmeasured, ±12 %"; nothing if it is empty. The
 * percentage is the larger distance of a bound from the PSS, rounded up. If the upper bound is more
 * than twice the PSS, it stands there instead: "up to 4.9 MiB". BYTES: both bounds, in bytes:
 * "1048576 to 3407872". The bounds are left out if there is no PSS or no upper bound; if they
 * differ by less than 5 % of the PSS, by less than 1 MiB, or by no more than the kernel's rounding
 * (1 KiB a process); and, without BYTES, if both print alike.
 */
void note_add(struct buffer *to, const struct note *n, bool bytes);

/*
 * Appends the note of a total to the text beside it: ", 1 denied, 6 guessed, PSS between 2.3 and
 * 6.8 GiB", or nothing. Leaves out the bounds as note_add() does. If there is no upper bound and a
 * process was not measured, they are ", PSS at least 2.3 GiB". BYTES: amounts are exact.
 */
void note_add_to_total(struct buffer *to, const struct note *n, bool bytes);

#endif
