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

/*
 * Returns the name of BY, such as "kind"; the value with the name NAME, or PAGEROW_BYS if there is
 * none.
 */
const char *pagerow_by_name(enum pagerow_by by);
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

/* Append lines of a table: the heads of the columns; ROW. */
void pagerow_add_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_line(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Appends the sum TOTAL of ROWS rows, below a line. */
void pagerow_add_total(const struct pagerow_format *f, const struct pagerow *total, size_t rows,
	struct buffer *to);

/*
 * Append the histogram, with only the columns in which TOTAL has pages: the heads; ROW, which may
 * be TOTAL.
 */
void pagerow_add_times_head(
	const struct pagerow_format *f, const struct pagerow *total, struct buffer *to);
void pagerow_add_times(const struct pagerow_format *f, const struct pagerow *row,
	const struct pagerow *total, struct buffer *to);

/* Append ROW as a JSON object; a JSON object with only its amounts. */
void pagerow_add_json(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);
void pagerow_add_json_sums(
	const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Append lines of comma-separated values: the heads; ROW. */
void pagerow_add_csv_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_csv(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Append a single page of MAPPING (.pid, .name and .perms are used), and the heads for it. */
void pagerow_add_page_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_page(const struct pagerow_format *f, const struct pagerow *mapping,
	const struct page *page, struct buffer *to);
void pagerow_add_page_json(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);
void pagerow_add_page_csv_head(struct buffer *to);
void pagerow_add_page_csv(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);

#endif
