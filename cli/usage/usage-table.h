/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bills
 *
 * Answers of memtally-ledger as a table, JSON or comma-separated values. Pure, except that tables
 * show local time.
 */
#ifndef MEMTALLY_CLI_USAGE_USAGE_TABLE_H
#define MEMTALLY_CLI_USAGE_USAGE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/table/list.h"
#include "cli/usage/period.h"
#include "cli/usage/usage-line.h"
#include "snapshot/usage.h"

/* A period, and the answer for it. */
struct usage_table_part {
	struct period period;
	struct buffer answer; /* owned; checked by usage_check() */
	struct usage_head head;
	struct usage_line *item; /* owned; the chosen rows of the answer, sorted */
	size_t items;
};

struct usage_table {
	enum usage_kind kind;
	enum usage_per per;
	struct usage_table_part *part; /* owned */
	size_t parts;
	struct list_look look; /* .limit: of the rows of each part */
	/* Set by usage_table_select(): no row has a GiB hour, so that tables show MiB hours. */
	bool is_small;
	struct usage_line_choice choice;
	bool is_cut; /* the time that was asked for ends in the future: the last period ends now */
	/* There is one period, without --since: it begins with the ledger if that is later. */
	bool may_begin_later;
	bool begins_later; /* so it does */
};

/* Frees what B owns, and zeroes it. */
void usage_table_done(struct usage_table *b);
#define AUTO_USAGE_TABLE CLEANUP(usage_table_done)

/*
 * Fills .item of all parts, with answers in place, with the rows of .choice, sorted, and .is_small.
 * Returns 0 or -ENOMEM.
 */
int usage_table_select(struct usage_table *b);

/* Returns what a part is, as in --per: "all", "hour", "day" or "month". */
const char *usage_table_per(const struct usage_table *b);

/* Returns the number of chosen rows of all parts. */
size_t usage_table_rows(const struct usage_table *b);

/* Returns true if an answer has a row that sums several owners, (other). */
bool usage_table_has_other(const struct usage_table *b);

/*
 * Returns the part of the requested time for which the PSS is known, from 0 to 1; time that has not
 * passed yet does not count. Returns a negative value if none of it has passed.
 */
double usage_table_covered(const struct usage_head *head);

/*
 * Returns true if PART starts or ends at least five minutes from the time that was asked for,
 * because the ledger has only longer slots of that time.
 */
bool usage_table_is_coarse(const struct usage_table_part *part);

/*
 * Returns true if the rows of PART are of another time than the name of its period says, such as 24
 * hours instead of one. A difference of up to a tenth is allowed, such as a month that starts with
 * a day of UTC.
 */
bool usage_table_is_misnamed(const struct usage_table *b, const struct usage_table_part *part);

/* The columns of the list; those that --sort takes have a usage_line_field as .index. */
extern const struct columns usage_table_columns;

/* Returns the field by which --sort=NAME sorts; USAGE_LINE_FIELDS: there is none. */
enum usage_line_field usage_table_find_sort(const char *name);

/*
 * Appends the rows: a table with a total, in which misnamed parts have their start and end; or
 * comma-separated values. Returns 0, -ENOMEM, or a negative errno of write().
 */
int usage_table_print(const struct usage_table *b, struct buffer *to);

/* Appends all parts as JSON, with the state of the ledger. Returns as usage_table_print(). */
int usage_table_json(const struct usage_table *b, struct buffer *to);

#endif
