/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot's rows as cells of text, with a total: what a table shows, not how it is drawn. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_H
#define MEMTALLY_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/query.h"
#include "snapshot/sums.h"
#include "snapshot/view.h"

enum { TABLE_COLUMNS_MAX = 12 };

struct table_column {
	char head[METRIC_NAME_SIZE];
	bool is_right; /* numbers stand to the right */
	bool is_prose; /* may be wrapped where the terminal is too narrow */
	bool is_wide;  /* names of any length: may be cut where the terminal is too narrow */
	bool is_path;  /* and these at their beginning: their end says more */
};

struct table {
	struct table_column column[TABLE_COLUMNS_MAX];
	size_t columns;
	struct buffer text;  /* the cells, row by row, each terminated; clean text (base/text.h) */
	size_t rows;         /* the total included */
	bool has_total;      /* the last row is one; it has neither name nor note, but: */
	struct buffer total; /* what stands beside the total; clean text */
};

void table_done(struct table *t);

/* Which rows, and how they are to be shown. */
struct table_rows {
	enum metric_scope scope; /* METRIC_USER to METRIC_PROCESS */
	const struct query *query;
	const uint32_t *row;     /* borrowed; indices in order */
	size_t count;            /* all of them are in the total */
	size_t limit;            /* how many are shown; 0: all */
	const struct sums *sums; /* of all of them; its bounds stand beside the total */
	const struct snapshot_scope
		*everybodys; /* what the host has, where the rows are not of all; or NULL */
	bool bytes;          /* exact, instead of in KiB, MiB ... */
};

/*
 * The rows' PSS, USS, RSS and SwapPss, what those that are cgroups are charged, what they are sorted by, names, a note where figures are not what
 * they seem, and a total with the host's MemTotal beside it, and what a note would say of it. "-"
 * stands for what is absent. Rows of users, programs and units that have no process any more are left
 * out, unless the table is sorted by something. Where nobody has an owner of the kind the total is of none, and of a kind
 * that hosts may be without there is no row either. -ENOMEM.
 */
int table_build(const struct view *view, const struct table_rows *rows, struct table *ret);

/* The host's quantities, one a line, with what they mean. -ENOMEM. */
int table_build_host(const struct view *view, bool bytes, struct table *ret);

#define AUTO_TABLE CLEANUP(table_done)

#endif
