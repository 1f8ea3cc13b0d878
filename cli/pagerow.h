/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of a kind, process or mapping in sum, or one page, as a line for people, as JSON or as comma-separated values. Columns
 * have the same widths whatever comes. Pure.
 */
#ifndef MEMTALLY_CLI_PAGEROW_H
#define MEMTALLY_CLI_PAGEROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "inside/kind.h"
#include "inside/pagesum.h"

enum pagerow_by {
	PAGEROW_BY_KIND,
	PAGEROW_BY_PROCESS,
	PAGEROW_BY_MAPPING,
	PAGEROW_BY_PAGE,
	PAGEROW_BY_SECTION, /* as the next, cli/partrow.h */
	PAGEROW_BY_SYMBOL,
	PAGEROW_BYS
};

/* "kind", "process" ...; which one it is of NAME, or PAGEROW_BYS. */
const char *pagerow_by_name(enum pagerow_by by);
enum pagerow_by pagerow_find_by(const char *name);

struct pagerow_format {
	enum pagerow_by by;
	bool bytes;     /* exact, and not in KiB */
	bool has_pid;   /* of several processes */
	uint64_t known; /* bits of pagesum_field: what is known of any page */
};

struct pagerow {
	enum kind kind;
	pid_t pid;           /* but by kind */
	char *name;          /* owned; clean; of a process or mapping, else NULL */
	char perms[5];       /* of a mapping */
	uint64_t start, end; /* likewise */
	uint64_t mappings;
	struct pagesum sum;
};

void pagerow_add_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_line(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* Of ROWS rows, with a line above it. */
void pagerow_add_total(const struct pagerow_format *f, const struct pagerow *total, size_t rows,
	struct buffer *to);

/*
 * The histogram: the columns that TOTAL has something in.
 */
void pagerow_add_times_head(
	const struct pagerow_format *f, const struct pagerow *total, struct buffer *to);
void pagerow_add_times(const struct pagerow_format *f, const struct pagerow *row,
	const struct pagerow *total, struct buffer *to);

/* An object; without what it is of where it is a sum of all. */
void pagerow_add_json(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);
void pagerow_add_json_sums(
	const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

void pagerow_add_csv_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_csv(const struct pagerow_format *f, const struct pagerow *row, struct buffer *to);

/* One page of MAPPING, of which .pid, .name and .perms are used. */
void pagerow_add_page_head(const struct pagerow_format *f, struct buffer *to);
void pagerow_add_page(const struct pagerow_format *f, const struct pagerow *mapping,
	const struct page *page, struct buffer *to);
void pagerow_add_page_json(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);
void pagerow_add_page_csv_head(struct buffer *to);
void pagerow_add_page_csv(
	const struct pagerow *mapping, const struct page *page, struct buffer *to);

#endif
