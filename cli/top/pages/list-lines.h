/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the list
 *
 * The names of the views, the totals, the head of the table, and the rows. Pure except for LC_CTYPE and the
 * time zone.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_LIST_LINES_H
#define MEMTALLY_CLI_TOP_PAGES_LIST_LINES_H

#include <stddef.h>

#include "cli/top/cells/grid.h"
#include "cli/top/rows/top-rows.h"
#include "cli/top/rows/top-state.h"

/*
 * Draws the list from line Y to the line before BOTTOM. Sets .height of STATE, finds its selected row
 * among ROWS, and calls top_rows_remember() for those on the screen.
 */
void list_lines_draw(const struct top_glance *glance, struct top_state *state,
	struct top_rows *rows, struct grid *g, size_t y, size_t bottom);

#endif
