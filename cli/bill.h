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
#include "cli/item.h"
#include "cli/period.h"
#include "cli/table.h"
#include "snapshot/usage.h"

/* One period, and the answer for it. */
struct bill_part {
	struct period period;
	struct buffer answer; /* checked; owned */
	struct usage_head head;
	struct item *item; /* owned; of the answer, those that are chosen, in order */
	size_t items;
};

struct bill {
	enum usage_kind kind;
	enum usage_per per;
	struct bill_part *part; /* owned */
	size_t parts;
	size_t limit; /* rows of each part to show; 0: all */
	bool bytes;   /* exact, instead of in KiB, MiB ... */
	struct item_choice choice;
	bool is_cut; /* what was asked for has not all passed: the periods end now */
};

void bill_done(struct bill *b);
#define AUTO_BILL CLEANUP(bill_done)

/* Chooses and sorts the rows of all answers, which have come. -ENOMEM. */
int bill_select(struct bill *b);

/* What its parts are, as --per has it. */
const char *bill_per(const struct bill *b);

/* Those of all parts together. */
size_t bill_rows(const struct bill *b);

/* Whether some answer has owners summed up in a row that is none of theirs. */
bool bill_has_other(const struct bill *b);

/*
 * The part of the time asked for, as far as it has passed, of which PSS is known: from 0 to 1; negative: none has passed.
 */
double bill_covered(const struct usage_head *head);

/* Whether PART begins or ends elsewhere than was asked, as no slots so fine are kept of that time. */
bool bill_is_coarse(const struct bill_part *part);

/*
 * Whether PART's rows are of a time that is not what its period is called: of 24 hours, say, in place of one. A month that
 * begins with a day of UTC is that month all the same.
 */
bool bill_is_misnamed(const struct bill *b, const struct bill_part *part);

/* Rows with a line for the total; what is misnamed is called by when it begins and ends. -ENOMEM. */
int bill_table(const struct bill *b, struct table *ret);

void bill_json(const struct bill *b, struct buffer *to);

/*
 * As RFC 4180 has it, but for the ends of lines. A name that a spreadsheet may take for a formula has a single quote before
 * it, and so has one that begins with a single quote: whoever takes one off has all names as they are.
 */
void bill_csv(const struct bill *b, struct buffer *to);

#endif
