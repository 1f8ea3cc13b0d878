/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of `memtally pages --sections` and `--symbols`, as a table, JSON or comma-separated values: printed as they come, or kept and
 * sorted; with their sums, and of which files they are. Half of a process is in no sum and not among those that are sorted; what was
 * printed stands.
 */
#ifndef MEMTALLY_CLI_PARTLIST_H
#define MEMTALLY_CLI_PARTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/partrow.h"

/* What is kept at most, since it is others who decide how much there is. */
enum {
	PARTLIST_ROWS_MAX = 1 << 22,
	PARTLIST_NAMES_MAX = 1 << 28, /* bytes */
};

struct partlist {
	/* What is asked for. */
	struct partrow_format format;
	bool json, csv;
	bool is_sorted; /* else rows come as they lie, and none is kept */
	enum partrow_field sort;
	bool ascending;
	size_t limit;        /* rows to show; 0: all */
	struct buffer *text; /* borrowed; what is to be printed */

	size_t count; /* rows that were added */

	/* partlist.c's */
	struct partrow *row; /* owned; those that are kept, */
	char **object;       /* owned, as each is; of which files */
	size_t objects;
	size_t name_bytes; /* of the names in .row */
	size_t rows, room, shown;
	struct partrow total,
		one_total; /* of processes that were whole; and of the one that comes, */
	size_t total_count, one_count; /* how many rows each has, */
	size_t whole_rows;             /* and how many of .rows are of the former */
	size_t whole;                  /* processes, */
	size_t whole_files;            /* and so much of .files */
	struct buffer files;           /* objects, with commas in between */
};

void partlist_done(struct partlist *l);

/* The head before. */
void partlist_begin(struct partlist *l);

/* Its texts are copied where it is kept. -ENOMEM, or an error of printing. */
int partlist_add(struct partlist *l, const struct partrow *row);

/* Adds the amounts of ROW, all of a file's, to the sums. */
void partlist_sum(struct partlist *l, const struct partrow *row);

/* FILE of PID was looked into: where its SYMBOLS are from, or NULL; or it could not be, by ERROR. A shortage of memory for that is said at the end. */
void partlist_add_file(
	struct partlist *l, pid_t pid, const char *file, const char *symbols, const char *error);

/* What came since the last of these two is all of a process; or it is half of one. */
void partlist_keep(struct partlist *l);
void partlist_drop(struct partlist *l);

/*
 * What is kept, and the sums, behind, unless no process was whole: of JSON up to where "processes" goes on. What came last was kept or
 * dropped. -ENOMEM, or an error of printing.
 */
int partlist_finish(struct partlist *l);

#endif
