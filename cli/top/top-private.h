/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally top` while it runs: what its parts share. */
#ifndef MEMTALLY_CLI_TOP_TOP_PRIVATE_H
#define MEMTALLY_CLI_TOP_TOP_PRIVATE_H

#include <limits.h>

#include "cli/top/feed.h"
#include "cli/top/pages/details.h"
#include "cli/top/pages/screen.h"
#include "cli/top/past-feed.h"
#include "cli/top/top-options.h"

/* The program while it runs. */
struct top {
	const struct settings *settings;
	struct top_state state;
	struct top_asks made; /* what .rows were made of, with .rows.view */
	struct feed feed;
	struct past_feed past;
	struct view
		*view; /* owned; the shown snapshot: the newest one unless paused or in the past */
	struct history history;    /* of .feed */
	struct history then;       /* in the past: of .view */
	struct screen_past moment; /* in the past: what .view is of */
	uint64_t then_salt;        /* in the past: the choice of which .then has sums */
	bool has_grown;            /* .history has the recorded past of the time before the start */
	bool is_recorded;          /* memtally-recorder has recorded snapshots of this memtallyd */
	uint64_t shown_ns;         /* CLOCK_MONOTONIC since which .moment is shown */
	struct top_rows rows;
	struct top_rows filled; /* of a snapshot that fills a history */
	struct details details;
	struct buffer text; /* of the page of details */
	struct grid grid;
	struct siphash_key secret;
	struct top_options options;
	struct buffer filter_text; /* .options.filters as options, terminated */
	uint64_t drawn_s; /* the second of the last drawing, since ages are shown in seconds */
	bool is_dirty;    /* something has changed since */
	char host[HOST_NAME_MAX + 1];
};

/* Returns what the rows of VIEW, the shown snapshot or one that fills its history, are made of. */
struct top_rows_source top_source(struct top *t, const struct view *view);

/*
 * Makes the rows of .view again if what the user asks for has changed, or it IS_NEW. Returns 0 or a
 * negative errno.
 */
int top_make_rows(struct top *t, bool is_new);

/* Shows the newest snapshot, unless the user has paused or is in the past. Returns as top_make_rows(). */
int top_take_view(struct top *t);

/* Opens or closes the page of details, as the state says. */
void top_follow_details(struct top *t);

/*
 * The past (cli/top/top-past.c): shows recorded snapshots in the place of the newest one, and gives the
 * history the time before its first snapshot.
 */

/* Makes the step in time that the user wants, if any. Returns 0 or a negative errno. */
int top_past_step(struct top *t);

/* If the user has chosen other sums in the past, gets their growth. Returns 0 or a negative errno. */
int top_past_follow(struct top *t);

/*
 * Takes what has come from memtally-recorder, and goes on with a replay. Does not block. Returns 0 or a
 * negative errno.
 */
int top_past_run(struct top *t);

#endif
