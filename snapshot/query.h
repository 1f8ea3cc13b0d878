/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries
 *
 * Selects rows of a snapshot and orders them. The parameters of the HTTP lists and the options of
 * the terminal program set the same fields.
 */
#ifndef MEMTALLY_SNAPSHOT_QUERY_H
#define MEMTALLY_SNAPSHOT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/sight.h"
#include "snapshot/view.h"

enum {
	QUERY_FILTERS_MAX = 64,
	/* Bytes of one filter's value, with the terminator */
	QUERY_VALUE_MAX = SNAPSHOT_NAME_MAX + 1,
	QUERY_TEXT_SIZE = 16384, /* bytes of all values */
	QUERY_LIMIT_MAX = 1000000,
	/* A key of 64 bytes, or an argument of 100, and the names of all kinds of owners */
	QUERY_ERROR_SIZE = 512,
	/* sort, order and limit; the filters of processes: their owners and pid */
	QUERY_PARAMETERS_MAX = 3 + OWNER_KINDS + 1,
};

enum query_field_kind {
	QUERY_METRIC,
	QUERY_PID,
	QUERY_UID,
	QUERY_GID,
	QUERY_OWNER, /* of a process: .owner says the kind */
	QUERY_SOURCE,
	QUERY_REASON,
	QUERY_NAME, /* the name of an owner, the path of a file */
	QUERY_ID,   /* of an owner, as struct owner names it; as the next two */
	QUERY_ABOVE,
	QUERY_USER,
	QUERY_DELETED, /* of a file, as the next three */
	QUERY_EXECUTABLE,
	QUERY_DEVICE,
	QUERY_INODE,
};

struct query_field {
	enum query_field_kind kind;
	enum owner_kind owner;       /* QUERY_OWNER */
	const struct metric *metric; /* QUERY_METRIC; if it has a label, the sum of its family */
};

struct query_filter {
	struct query_field field;
	uint32_t value; /* where it begins in .text of the query */
};

struct query {
	enum metric_scope scope; /* that of owners, METRIC_PROCESS or METRIC_FILE */
	/* Visible processes; files are visible only with SIGHT_ALL, the default */
	struct sight sight;
	struct query_field sort;
	bool has_sort, has_order, has_limit; /* these parameters were set */
	bool ascending;
	uint32_t limit; /* rows at most; 0: no limit */
	struct query_filter filter[QUERY_FILTERS_MAX];
	size_t filters;             /* used members of .filter */
	char text[QUERY_TEXT_SIZE]; /* values of filters, each terminated */
	size_t text_len;            /* bytes */
};

/* Initialises Q: all rows of SCOPE, the largest PSS first. */
void query_init(struct query *q, enum metric_scope scope);

/*
 * Sets parameter KEY to VALUE: sort, order, limit, or a filter (the name of a kind of owners, pid,
 * path ...). sort, order and limit may be set once. Filters may be set several times: a row passes
 * if, for each key, one of the values matches. Returns 0, or -EINVAL with a sentence for the user
 * in ERROR.
 */
int query_set(
	struct query *q, const char *key, const char *value, char error[static QUERY_ERROR_SIZE]);

/*
 * Writes the names of all parameters that query_set() takes for SCOPE to RET, filters last. SCOPE is
 * one that a query may have. Returns their number.
 */
size_t query_parameters(enum metric_scope scope, const char *ret[static QUERY_PARAMETERS_MAX]);

/*
 * Runs Q over VIEW. *RET_ROWS has the indices of the selected rows in order, which the caller
 * frees, and *RET_COUNT their number. "(other)" is never among them. Rows without a value in the
 * sort field come last in either order; equal values keep the order of the image. Returns 0 or
 * -ENOMEM.
 */
int query_run(
	const struct query *q, const struct view *view, uint32_t **ret_rows, size_t *ret_count);

#endif
