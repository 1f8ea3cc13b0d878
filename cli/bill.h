/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of memtally-ledger as a table, JSON or comma-separated values. Pure, but for the time zone of what people
 * read.
 */
#ifndef MEMTALLY_CLI_BILL_H
#define MEMTALLY_CLI_BILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/period.h"
#include "cli/table.h"
#include "snapshot/usage.h"

/* One period, and the answer for it. */
struct bill_part {
	struct period period;
	struct buffer answer; /* checked; owned */
	struct usage_head head;
};

struct bill {
	enum usage_kind kind;
	enum usage_per per;
	struct bill_part *part; /* owned */
	size_t parts;
	size_t limit; /* rows of each part to show; 0: all */
	bool bytes;   /* exact, instead of in KiB, MiB ... */
};

void bill_done(struct bill *b);
#define AUTO_BILL CLEANUP(bill_done)

/* Rows of all parts together. */
size_t bill_rows(const struct bill *b);

/*
 * The part of the time asked for, as far as it has passed, in which PSS was measured: from 0 to 1; negative: none has
 * passed.
 */
double bill_measured(const struct usage_head *head);

/* Rows with a line for the total. -ENOMEM. */
int bill_table(const struct bill *b, struct table *ret);

void bill_json(const struct bill *b, struct buffer *to);
void bill_csv(const struct bill *b, struct buffer *to);

#endif
