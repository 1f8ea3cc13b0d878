/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of a kind, process or mapping in sum, or a single page, as a line of a table, JSON or
 * comma-separated values. Columns have fixed widths (cli/table/mapline.h). Pure. Errors of all
 * functions that append are those of TO.
 */
#ifndef MEMTALLY_CLI_PAGES_PAGEROW_H
#define MEMTALLY_CLI_PAGES_PAGEROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "inspect/maps/kind.h"
#include "inspect/pages/pagesum.h"

enum pagerow_by {
	PAGEROW_BY_KIND,
	PAGEROW_BY_PROCESS,
	PAGEROW_BY_MAPPING,
	PAGEROW_BY_PAGE,
	PAGEROW_BY_SECTION, /* this and the next: see cli/pages/partrow.h */
	PAGEROW_BY_SYMBOL,
	PAGEROW_BYS
};

/* Returns the name of BY, such as "kind". */
const char *pagerow_by_name(enum pagerow_by by);

/* Returns the value with the name NAME; PAGEROW_BYS if there is none. */
enum pagerow_by pagerow_find_by(const char *name);

struct pagerow_format {
	enum pagerow_by by;
	bool bytes;     /* exact bytes, instead of KiB */
	bool has_pid;   /* rows are of several processes */
	uint64_t known; /* bits of pagesum_field that are known for all pages */
};

struct pagerow {
	enum kind kind;
	pid_t pid;           /* not by kind */
	char *name;          /* owned; clean; of the program or mapping; by kind NULL */
	char perms[5];       /* by mapping and page: access */
	uint64_t start, end; /* by mapping and page */
	uint64_t mappings;
	struct pagesum sum;
};

/* Appends the heads of the columns, as a line of a table. */
void pagerow_add_head(const struct pagerow_format *f, struct buffer *to);

/* Appends ROW as a line of a table. */
void pagerow_add_line(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Appends the sum TOTAL of ROWS rows, below a line. */
void pagerow_add_total(const struct pagerow_format *f, const struct pagerow *total, size_t rows,
	struct buffer *to);

/*
 * Appends a title and the heads of the histogram: how many times pages are mapped. It has only the
 * columns in which TOTAL has pages.
 */
void pagerow_add_times_head(
	const struct pagerow_format *f, const struct pagerow *total, struct buffer *to);

/*
 * Appends ROW, which may be TOTAL, as a line of the histogram, with the columns of
 * pagerow_add_times_head().
 */
void pagerow_add_times(const struct pagerow_format *f, const struct pagerow *row,
	const struct pagerow *total, struct buffer *to);

/* Appends ROW as a JSON object. */
void pagerow_add_json(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Appends a JSON object with only the amounts of ROW, which is a sum without a name. */
void pagerow_add_json_sums(
	const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Appends the line with the heads of comma-separated values. */
void pagerow_add_csv_head(const struct pagerow_format *f, struct buffer *to);

/* Appends ROW as a line of comma-separated values. */
void pagerow_add_csv(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Appends the heads for single pages, as a line of a table. */
void pagerow_add_page_head(const struct pagerow_format *f, struct buffer *to);

/*
 * Appends PAGE of MAPPING as a line of a table. Here and below only .pid, .name and .perms of
 * MAPPING are used.
 */
void pagerow_add_page(const struct pagerow_format *f, const struct pagerow *mapping,
	const struct page *page, struct buffer *to);

/* Appends PAGE of MAPPING as a JSON object. */
void pagerow_add_page_json(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);

/* Appends the line with the heads of comma-separated values, for single pages. */
void pagerow_add_page_csv_head(struct buffer *to);

/* Appends PAGE of MAPPING as a line of comma-separated values. */
void pagerow_add_page_csv(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);

#endif
