/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of pages: of a kind, process or mapping in sum, or single ones. Pure. */
#ifndef MEMTALLY_CLI_PAGES_PAGEROW_H
#define MEMTALLY_CLI_PAGES_PAGEROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "cli/table/list.h"
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

struct pagerow_format {
	enum pagerow_by by;
	struct list_look look;
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

/* A single page, and the mapping it is in, of which only .pid, .name and .perms are used. */
struct pagerow_page {
	const struct pagerow *mapping;
	const struct page *page;
};

/* The columns of sums; those that --sort takes have a pagesum_field as .index. */
extern const struct columns pagerow_columns;

/*
 * Returns a list that appends to TO as lines, JSON or CSV. Its rows are struct pagerow by kind,
 * process or mapping, and struct pagerow_page by page. It borrows F, which must not move.
 */
struct list pagerow_list(const struct pagerow_format *f, struct buffer *to);

enum { PAGEROW_TIMES = PAGESUM_MAPPED_LAST - PAGESUM_MAPPED_FIRST + 1 };

/* The columns of a histogram. */
struct pagerow_times {
	struct column column[PAGEROW_TIMES + 8];
	char head[PAGEROW_TIMES][24];
};

/*
 * Returns a list of struct pagerow in lines that is a histogram: how many times pages are mapped.
 * It has only the columns in which TOTAL has pages, and borrows F and TIMES, which it fills in.
 */
struct list pagerow_times_list(const struct pagerow_format *f, const struct pagerow *total,
	struct pagerow_times *times, struct buffer *to);

#endif
