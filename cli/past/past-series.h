/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series
 *
 * The PSS of one row over time, put together from recorded snapshots and from periods of
 * memtally-ledger; as a table, JSON, comma-separated values or a chart. Pure except for TZ and
 * LC_CTYPE.
 */
#ifndef MEMTALLY_CLI_PAST_PAST_SERIES_H
#define MEMTALLY_CLI_PAST_PAST_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/table/list.h"
#include "snapshot/past.h"

enum past_series_source {
	PAST_SERIES_RECORDER, /* the figure of a snapshot */
	PAST_SERIES_LEDGER,   /* the mean of a period */
};

struct past_series_point {
	enum past_series_source source;
	/*
	 * CLOCK_REALTIME in ns. The figure holds from .from_ns to .until_ns: of a snapshot to the next
	 * one, of a period to its end.
	 */
	uint64_t from_ns, until_ns;
	bool has_pss, has_bounds, has_max; /* the next ones are known */
	uint64_t pss, low, high;           /* bytes */
	uint64_t max;                      /* bytes: of a period, the largest PSS in it */
	uint32_t marks;                    /* of enum past_mark */
};

/* Starts zeroed. */
struct past_series {
	struct past_series_point *point; /* owned; by ascending .from_ns */
	size_t points, room;
};

/* Frees what S owns. */
void past_series_done(struct past_series *s);
#define AUTO_PAST_SERIES CLEANUP(past_series_done)

/*
 * Adds COUNT recorded points, one for each STEP_NS or snapshot, later than all points of S. A figure
 * holds until the next point. Before a gap, and at the end, it holds for STEP_NS, or for as long as
 * the one before it if that is longer, but not after UNTIL_NS. Returns 0 or -ENOMEM.
 */
int past_series_add_recorded(struct past_series *s, const struct past_point *points, size_t count,
	uint64_t step_ns, uint64_t until_ns);

/* Adds POINT, later than all points of S. Returns 0 or -ENOMEM. */
int past_series_add(struct past_series *s, const struct past_series_point *point);

/* The subject of a series. */
struct past_series_subject {
	const char *scope;          /* "user", "process", "host" */
	const char *name;           /* NULL: of the host */
	uint32_t pid;               /* of a process; else 0 */
	uint64_t from_ns, until_ns; /* the time that was asked for, CLOCK_REALTIME */
};

/* The columns of the list. */
extern const struct columns past_series_columns;

/*
 * Appends S as LOOK wants it: a table, JSON or comma-separated values. Full buffers go to standard
 * output. Returns 0, -ENOMEM, or a negative errno of write().
 */
int past_series_print(const struct past_series *s, const struct past_series_subject *subject,
	const struct list_look *look, struct buffer *to);

/*
 * Appends S as a chart for a terminal of WIDTH columns, which begins with the first point that can be
 * drawn, with a line that explains its marks, if there are any. EXACT: amounts are in bytes. Errors are those of TO.
 */
int past_series_draw(const struct past_series *s, const struct past_series_subject *subject,
	size_t width, bool exact, struct buffer *to);

#endif
