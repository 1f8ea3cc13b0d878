/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bills
 *
 * Answers of memtally-ledger as a table, JSON or comma-separated values. Pure, except that tables
 * show local time.
 */
#ifndef MEMTALLY_CLI_USAGE_BILL_H
#define MEMTALLY_CLI_USAGE_BILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/table/table.h"
#include "cli/usage/item.h"
#include "cli/usage/period.h"
#include "snapshot/usage.h"

/* A period, and the answer for it. */
struct bill_part {
	struct period period;
	struct buffer answer; /* owned; checked by usage_check() */
	struct usage_head head;
	struct item *item; /* owned; the chosen rows of the answer, sorted */
	size_t items;
};

struct bill {
	enum usage_kind kind;
	enum usage_per per;
	struct bill_part *part; /* owned */
	size_t parts;
	size_t limit; /* rows of each part to show; 0: all */
	bool bytes;   /* exact bytes, instead of KiB, MiB ... */
	struct item_choice choice;
	bool is_cut; /* the time that was asked for ends in the future: the last period ends now */
};

/* Frees what B owns, and zeroes it. */
void bill_done(struct bill *b);
#define AUTO_BILL CLEANUP(bill_done)

/*
 * Fills .item of all parts, with answers in place, with the rows of .choice, sorted. Returns 0 or
 * -ENOMEM.
 */
int bill_select(struct bill *b);

/* Returns what a part is, as in --per: "all", "hour", "day" or "month". */
const char *bill_per(const struct bill *b);

/* Returns the number of chosen rows of all parts. */
size_t bill_rows(const struct bill *b);

/* Returns true if an answer has a row that sums several owners, (other). */
bool bill_has_other(const struct bill *b);

/*
 * Returns the part of the requested time for which the PSS is known, from 0 to 1; time that has not
 * passed yet does not count. Returns a negative value if none of it has passed.
 */
double bill_covered(const struct usage_head *head);

/*
 * Returns true if PART starts or ends at least five minutes from the time that was asked for,
 * because the ledger has only longer slots of that time.
 */
bool bill_is_coarse(const struct bill_part *part);

/*
 * Returns true if the rows of PART are of another time than the name of its period says, such as 24
 * hours instead of one. A difference of up to a tenth is allowed, such as a month that starts with
 * a day of UTC.
 */
bool bill_is_misnamed(const struct bill *b, const struct bill_part *part);

/*
 * Makes a table of the rows and a total in *RET, which the caller frees with table_done(). Misnamed
 * parts are shown with their start and end. Returns 0 or -ENOMEM.
 */
int bill_table(const struct bill *b, struct table *ret);

/* Appends all parts as JSON, with the state of the ledger. Errors are those of TO. */
void bill_json(const struct bill *b, struct buffer *to);

/* Append comma-separated values with a line of heads: see cli/table/csv.h. Errors are those of TO. */
void bill_csv(const struct bill *b, struct buffer *to);

#endif
