/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of `memtally pages`, as a table, JSON or comma-separated values: sums by kind, process or mapping, which are kept, sorted and
 * printed with their total and a histogram; or page by page, printed as they come. Half of a process is in no sum.
 */
#ifndef MEMTALLY_CLI_PAGELIST_H
#define MEMTALLY_CLI_PAGELIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/pagerow.h"
#include "inside/mapping.h"

struct pagelist {
	/* What is asked for. */
	struct pagerow_format format; /* .known may change until rows are printed */
	bool json, csv;
	bool is_sorted; /* else rows come as they lie */
	enum pagesum_field sort;
	bool ascending;
	size_t limit;        /* rows to show; 0: all */
	struct buffer *text; /* borrowed; what is to be printed */

	/* pagelist.c's */
	struct pagerow *row; /* owned; by kind, as many as there are kinds */
	size_t rows, room;
	struct pagerow total;
	struct pagerow *into;   /* the row of the mapping whose pages come */
	struct pagerow mapping; /* by page: it */
	bool of_file;
	struct buffer name;
	uint64_t size_bytes; /* of all mappings */
	size_t pages, shown;
	struct {
		size_t rows;
		uint64_t size_bytes;
		struct pagerow kind[KIND_END];
	} whole; /* what there was of those above behind the last process that was whole */
};

void pagelist_done(struct pagelist *l);

/* The head before. -ENOMEM. */
int pagelist_begin(struct pagelist *l);

/* From now on pages of M come, those from START to END, which process PID has that runs PROGRAM; -ENOMEM. */
int pagelist_enter(struct pagelist *l, pid_t pid, const char *program, const struct mapping *m,
	uint64_t start, uint64_t end);

/* 0, or an error of printing. */
int pagelist_add(struct pagelist *l, const struct page *page);

/* What came since the last of these two is all of a process; or it is half of one. What was printed stands. */
void pagelist_keep(struct pagelist *l);
void pagelist_drop(struct pagelist *l);

/*
 * What is kept, and the sums, behind: of JSON up to where "frames_shown" goes on. What came last was kept or dropped. KNOWS_TIMES: how
 * often pages are mapped. An error of printing.
 */
int pagelist_finish(struct pagelist *l, bool knows_times);

#endif
