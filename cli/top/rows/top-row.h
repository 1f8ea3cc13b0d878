/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of `memtally top`
 *
 * A process, an owner, or a branch of a tree, with the amounts of everything below it. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_TOP_ROW_H
#define MEMTALLY_CLI_TOP_ROWS_TOP_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/siphash.h"
#include "cli/top/rows/amounts.h"
#include "cli/top/rows/history.h"
#include "snapshot/view.h"

#define TOP_ROW_NONE UINT32_MAX

/* The spans of time over which growth is shown. */
enum top_span { TOP_SPAN_SHORT, TOP_SPAN_LONG, TOP_SPANS };

/* Returns SPAN in nanoseconds: one minute, or ten. */
uint64_t top_span_ns(enum top_span span);

/* The past of which growth is known. */
struct top_known {
	uint64_t since_ns;           /* CLOCK_BOOTTIME of the oldest snapshot that was seen */
	uint64_t span_ns[TOP_SPANS]; /* of growth: top_span_ns(), or what is known; 0: nothing */
};

/* A growth of the PSS. */
struct top_growth {
	bool is_known;
	bool is_new;   /* the row has appeared in the span: .bytes is its PSS */
	int64_t bytes; /* negative: it has shrunk */
};

/* The past of a row. */
struct top_past {
	struct top_growth growth[TOP_SPANS];
	uint8_t trend[HISTORY_TREND]; /* levels; all are 0 without a PSS */
};

struct top_row {
	uint64_t key;           /* the same in each snapshot, another one for each row; never 0 */
	struct history_id past; /* under which its samples are remembered */
	const struct snapshot_process *process; /* NULL: the row is an owner */
	enum owner_kind kind;                   /* of the owner; of a process OWNER_PROGRAM */
	const char *name;       /* borrowed from the snapshot; of a process that of its program */
	struct amounts amounts; /* with all rows below it */
	struct top_past was;    /* if .has_past */
	bool has_past;          /* top_row_remember() was called */
	uint32_t parent;        /* the number of the row above it; TOP_ROW_NONE: none */
	uint32_t children;      /* rows directly below it */
	uint32_t depth;         /* rows above it */
	bool is_open;           /* its children are shown */
	bool is_last;           /* of its parent's rows */
	uint64_t bars; /* bit D, below 64: further rows of its ancestor at depth D follow */
};

/* The snapshot that the values of a row are computed from. */
struct top_glance {
	const struct view *view;
	const char *filters; /* those of the command line, as options; "": none */
};

/*
 * Makes in *RET the row of process P of VIEW, without a place in a tree. SECRET is the key of hashes.
 */
void top_row_of_process(const struct view *view, const struct snapshot_process *p,
	const struct siphash_key *secret, struct top_row *ret);

/*
 * Makes in *RET the row of the owner NAME (borrowed) of KIND below the row with key ABOVE (0: none),
 * without amounts. If the row is the sum of some of its processes only, SALT stands for which they
 * are; else it is 0.
 */
void top_row_of_owner(enum owner_kind kind, const char *name, uint64_t above, uint64_t salt,
	const struct siphash_key *secret, struct top_row *ret);

/*
 * Returns what H has of the time before BOOTTIME_NS, the CLOCK_BOOTTIME of a snapshot, for sums over the
 * processes of choice SALT; 0: for processes and owners.
 */
struct top_known top_known_of(const struct history *h, uint64_t boottime_ns, uint64_t salt);

/*
 * Sets the growth and the trend of R, of VIEW, from H. Growth is over the spans of KNOWN, of the same
 * moment. Does nothing if it was done already: H goes on while the figures of a pause stay.
 */
void top_row_remember(struct top_row *r, const struct view *view, const struct history *h,
	const struct top_known *known);

/*
 * Returns true if WANTED is in the name of R or, for a process, in its pid or the name of its user,
 * unit or container. Capitals do not matter. '|' separates alternatives. An empty WANTED is in all.
 */
bool top_row_matches(const struct view *view, const struct top_row *r, const char *wanted);

#endif
