/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section and symbol lists
 *
 * The rows of `memtally pages --sections` and `--symbols`, as a table, JSON or comma-separated
 * values: printed at once, or kept and sorted; with their sums, and the files they are of. Sums and
 * sorted rows contain only processes that were read completely.
 *
 * Protocol: begin; for each process add, sum and add_file, then keep or drop; finish.
 */
#ifndef MEMTALLY_CLI_PAGES_PARTLIST_H
#define MEMTALLY_CLI_PAGES_PARTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/pages/partrow.h"

/* Limits on rows that are kept, because other users choose their number. */
enum {
	PARTLIST_ROWS_MAX = 1 << 22,
	PARTLIST_NAMES_MAX = 1 << 28, /* bytes of all names */
};

struct partlist {
	/* Set by the caller. */
	struct partrow_format format;
	bool is_sorted; /* else rows are printed as they come, and none is kept */
	enum partrow_field sort;
	bool ascending;
	struct buffer *text; /* borrowed; output; full buffers go to standard output */

	size_t count; /* rows that were added, kept or not */

	/* For partlist.c alone. */
	struct list list;
	struct partrow *row; /* owned; the kept rows */
	char **object;       /* owned, each too; the paths that rows share */
	size_t objects, objects_room;
	size_t name_bytes; /* bytes of the names in .row */
	size_t rows, room;
	struct partrow total,
		one_total; /* sums of the processes that were kept, and of the present one */
	size_t total_count, one_count; /* numbers of rows in these sums */
	size_t whole_rows;             /* how many of .rows are of processes that were kept */
	size_t whole;                  /* processes that were kept */
	size_t whole_files;            /* bytes of .files that are of these */
	struct buffer files;           /* JSON objects, separated by commas */
};

/* Frees what L owns. */
void partlist_done(struct partlist *l);

/* Appends the head. */
void partlist_begin(struct partlist *l);

/*
 * Adds ROW: prints it, or keeps a copy. Returns 0; -ENOMEM; -E2BIG if there are more rows or names
 * than may be kept; or a negative errno of write().
 */
int partlist_add(struct partlist *l, const struct partrow *row);

/* Adds the amounts of ROW, which is a whole file, to the sums. */
void partlist_sum(struct partlist *l, const struct partrow *row);

/*
 * Adds FILE of process PID to the list of files. SYMBOLS is the source of its symbols ("symtab",
 * "dynsym", "debug", "none"; NULL for sections), or ERROR is the reason why it could not be read.
 * partlist_finish() reports a lack of memory.
 */
void partlist_add_file(
	struct partlist *l, pid_t pid, const char *file, const char *symbols, const char *error);

/* Ends a process that was read completely: its rows count. */
void partlist_keep(struct partlist *l);

/* Ends a process that was not read completely: takes it from the sums and the kept rows. */
void partlist_drop(struct partlist *l);

/*
 * Prints the kept rows and the sums after the last process was kept or dropped; of JSON up to the
 * member before "processes". Without a kept process there are no sums. Returns 0; -ENOMEM; or a
 * negative errno of write().
 */
int partlist_finish(struct partlist *l);

#endif
