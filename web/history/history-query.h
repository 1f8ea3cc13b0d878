/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of /api/v1/history
 *
 * Which rows, which metric, which time and which step. Pure, but for the time zone (base/when.h).
 */
#ifndef MEMTALLY_WEB_HISTORY_QUERY_H
#define MEMTALLY_WEB_HISTORY_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/query.h"
#include "web/history/history-metric.h"

enum {
	HISTORY_QUERY_SPAN_S = 3600, /* the default: the last hour */
	HISTORY_QUERY_ROWS = 20,     /* the default of limit */
	HISTORY_QUERY_ROWS_MAX = 100,
	HISTORY_QUERY_NAMES_MAX = 64,
	HISTORY_QUERY_STEP_MAX_S = 366 * 86400,
	HISTORY_QUERY_PARAMETERS = 7,
};

struct history_query {
	enum metric_scope scope; /* the host or a kind of owners */
	const struct history_metric *metric;
	int64_t from_s, to_s; /* seconds since the epoch: 0 <= from_s < to_s */
	uint32_t step_s;      /* seconds; 0: as fine as the answer may be */
	/* Rows at most, without names; with names HISTORY_QUERY_ROWS_MAX. */
	uint32_t limit;
	/* Rows with one of these names; 0: the rows with the largest mean. */
	size_t names;
	uint32_t name[HISTORY_QUERY_NAMES_MAX]; /* where each begins in .text */
	char text[QUERY_TEXT_SIZE];             /* names, each terminated */
};

/*
 * Reads the parameters TEXT, LEN bytes after the "?" of a request, into *RET. NOW_S is the present
 * time in seconds since the epoch; a later end becomes NOW_S. Returns 0, or -EINVAL with a sentence
 * for the client in ERROR.
 */
int history_query_parse(const char *text, size_t len, int64_t now_s, struct history_query *ret,
	char error[static QUERY_ERROR_SIZE]);

/* Returns name I of Q, below Q->names. */
static inline const char *history_query_name(const struct history_query *q, size_t i)
{
	return q->text + q->name[i];
}

/* Returns the name of parameter I, below HISTORY_QUERY_PARAMETERS. */
const char *history_query_parameter(size_t i);

#endif
