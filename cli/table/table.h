/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a snapshot's rows
 *
 * The content of a table: columns, cells of text and a total. cli/table/print.h draws it. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_TABLE_H
#define MEMTALLY_CLI_TABLE_TABLE_H

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
	bool is_right; /* right-aligned (numbers) */
	bool is_prose; /* may be folded if the terminal is too narrow */
	bool is_wide;  /* names of any length: may be cut if the terminal is too narrow */
	bool is_path;  /* cut at the start, because the end of a path says more */
	/*
	 * If the terminal is too narrow, spare columns disappear that are not used, and then those
	 * with the highest .drop; never those with 0.
	 */
	bool is_spare;
	bool is_used; /* a row has a value but 0 */
	unsigned int drop;
};

struct table {
	struct table_column column[TABLE_COLUMNS_MAX];
	size_t columns;
	/* cells row by row, each terminated by a zero byte; clean text (base/text.h) */
	struct buffer text;
	size_t rows;         /* including the total */
	bool has_total;      /* the last row is a total: it has no name and no note, but .total */
	struct buffer total; /* text beside the total; clean */
};

/* Frees what T owns. */
void table_done(struct table *t);

/* The rows of a table, and how to show them. */
struct table_rows {
	enum metric_scope scope; /* METRIC_USER to METRIC_PROCESS */
	const struct query *query;
	const uint32_t *row; /* borrowed; indices in VIEW, in the order to show */
	size_t count;        /* rows; the total is of all of them */
	size_t limit;        /* rows to show; 0: all */
	/* borrowed; of all rows: its bounds and counts are shown beside the total */
	const struct sums *sums;
	/*
	 * borrowed; the host's row of a snapshot with all users, if the rows are only those of one
	 * user; else NULL
	 */
	const struct snapshot_scope *everybodys;
	bool bytes; /* exact bytes, instead of KiB, MiB ... */
};

/*
 * Makes a table of ROWS in *RET, which the caller frees with table_done(). Columns: PSS, USS, RSS,
 * SwapPss, the cgroup charge if any row has one, the metric that ROWS->query sorts by, names, and a
 * note (cli/table/note.h) if any row has one. "-" stands for an absent value. The last row is the
 * total; the host's MemTotal and a note stand beside it.
 *
 * Rows of owners without processes are left out. If no process has an owner of the kind and there
 * are no filters, the total counts 0 owners, and kinds that are optional (such as containers) have
 * no row. Returns 0 or -ENOMEM.
 */
int table_build(const struct view *view, const struct table_rows *rows, struct table *ret);

#define AUTO_TABLE CLEANUP(table_done)

#endif
