/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sure the figures of a row are, and what is missing in them, in a few words. How they were got is not said: what is
 * carried forward may be right to the page, and nearly everything is carried forward. Pure.
 */
#ifndef MEMTALLY_CLI_NOTE_H
#define MEMTALLY_CLI_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

struct note {
	const char
		*outcome; /* why a process has no PSS; NULL: it has, or it is several processes */
	uint32_t mm_pid;  /* at which process its memory is counted; 0: at itself */
	bool is_process;
	uint64_t processes, unmeasured, denied, guessed; /* denied ones are unmeasured, too */
	bool is_wide; /* the bounds are so far apart that they are worth a word */
	bool is_open; /* there is no upper bound */
	uint64_t low_bytes, high_bytes;
};

void note_of_process(const struct snapshot_process *row, struct note *ret);

/* Of a row of sums, or of sums that are no row: its mask and its quantities by enum scope_quantity. */
void note_of_sums(uint64_t present, const uint64_t *q, struct note *ret);

/* Whether note_add() has nothing to say. */
bool note_is_empty(const struct note *n, bool bytes);

/*
 * "1 of 54 denied, 6 of 54 never measured, 345.0 MiB to 2.7 GiB"; nothing of what is empty. The bounds only where they
 * are wide: where they are less than 5 % of the PSS apart, or less than 1 MiB, or no further than the kernel's rounding,
 * the figure says it.
 * BYTES: exact.
 */
void note_add(struct buffer *to, const struct note *n, bool bytes);

/* The same behind what stands there of a total: ", 1 denied, 6 never measured, PSS between 2.3 and 6.8 GiB", or nothing. */
void note_add_to_total(struct buffer *to, const struct note *n, bool bytes);

#endif
