/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page lists
 *
 * The rows of `memtally pages`, as a table, JSON or comma-separated values: sums by kind, process
 * or mapping, which are kept, sorted and printed at the end with a total and a histogram; or single
 * pages, which are printed at once. Sums contain only processes that were read completely.
 *
 * Protocol: begin; for each process enter and add, then keep or drop; finish.
 */
#ifndef MEMTALLY_CLI_PAGES_PAGELIST_H
#define MEMTALLY_CLI_PAGES_PAGELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/pages/pagerow.h"
#include "inspect/maps/mapping.h"

struct pagelist {
	/* Set by the caller. */
	struct pagerow_format format; /* .known may change until rows are printed */
	bool is_sorted;               /* else rows are in the order of addresses */
	enum pagesum_field sort;
	bool ascending;
	struct buffer *text; /* borrowed; output; full buffers go to standard output */

	/* For pagelist.c alone. */
	struct list list;
	struct pagerow *row; /* owned; by kind: KIND_END rows */
	size_t rows, room;
	struct pagerow total;
	struct pagerow *into;   /* the row of the mapping that was entered last */
	struct pagerow mapping; /* by page: that row */
	bool of_file;
	struct buffer name;
	uint64_t size_bytes; /* bytes of all mappings */
	struct {
		size_t rows;
		uint64_t size_bytes;
		struct pagerow kind[KIND_END];
	} whole; /* copies of the fields above after the last process that was kept */
};

/* Frees what L owns. */
void pagelist_done(struct pagelist *l);

/* Appends the head. Returns 0 or -ENOMEM. */
int pagelist_begin(struct pagelist *l);

/*
 * Enters the part from START to END of mapping M of process PID, which runs PROGRAM: pages that are
 * added belong to it. Returns 0 or -ENOMEM.
 */
int pagelist_enter(struct pagelist *l, pid_t pid, const char *program, const struct mapping *m,
	uint64_t start, uint64_t end);

/* Adds PAGE; prints it if rows are pages. Returns 0 or a negative errno of write(). */
int pagelist_add(struct pagelist *l, const struct page *page);

/* Ends a process that was read completely: its pages count. */
void pagelist_keep(struct pagelist *l);

/*
 * Ends a process that was not read completely: takes its pages from the sums. Pages that were
 * printed stay.
 */
void pagelist_drop(struct pagelist *l);

/*
 * Prints the rows and sums after the last process was kept or dropped; of JSON up to the member
 * before "frames_shown". KNOWS_TIMES: it is known how often pages are mapped, so there is a
 * histogram. Returns 0 or a negative errno of write().
 */
int pagelist_finish(struct pagelist *l, bool knows_times);

#endif
