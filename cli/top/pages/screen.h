/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen of `memtally top`
 *
 * Draws the state, the rows and the host of any snapshot into a grid of cells. If the figures may not
 * be shown as present, a message stands in their place. Pure except for LC_CTYPE and the time zone.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_SCREEN_H
#define MEMTALLY_CLI_TOP_PAGES_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/top/cells/grid.h"
#include "cli/top/rows/top-rows.h"
#include "cli/top/rows/top-state.h"

/* Smaller terminals get a message. */
enum { SCREEN_WIDTH_MIN = 40, SCREEN_HEIGHT_MIN = 8 };

/* A moment of the past. */
struct screen_past {
	uint64_t at_ns, now_ns; /* CLOCK_REALTIME of the snapshot, and of the present */
	uint64_t spacing_ns;    /* since the recorded snapshot before; 0: there is none */
	uint32_t marks;         /* of enum past_mark */
	bool is_own_only;       /* it has rows of the user's own processes alone */
};

struct screen {
	struct top_state *state;        /* .height, .scroll, .index and .line are set */
	struct top_rows *rows;          /* top_rows_remember() is called for those on the screen */
	const struct view *view;        /* NULL: there is no snapshot, and .problem says why */
	const struct screen_past *past; /* if .view is a recorded snapshot; else NULL */
	uint64_t now_ns;                /* CLOCK_BOOTTIME */
	const char *host;               /* the name of the host */
	const char *filters;            /* of the command line, as options; "": none */
	/* If memtally itself measures: that, its rights and the reason; else "" */
	const char *origin;
	/* The reason why there are no figures to be shown: a sentence. NULL: show those of .view. */
	const char *problem;
	const struct buffer *text; /* of the page of details: lines */
};

/* Draws S in G, WIDTH columns wide and HEIGHT lines high. Returns 0 or -ENOMEM. */
int screen_draw(const struct screen *s, size_t width, size_t height, struct grid *g);

#endif
