/* SPDX-License-Identifier: Apache-2.0 */
/* The menus of `memtally top` on the screen: users, and columns to sort by. Pure except for LC_CTYPE. */
#ifndef MEMTALLY_CLI_TOP_PAGES_MENU_LINES_H
#define MEMTALLY_CLI_TOP_PAGES_MENU_LINES_H

#include <stddef.h>

#include "cli/top/cells/grid.h"
#include "cli/top/rows/top-state.h"
#include "snapshot/view.h"

/*
 * Draws the menu of .page of STATE in the first WIDTH columns, from line Y to the line before BOTTOM.
 * Sets .height of STATE, and .line to the chosen user's place among those of VIEW.
 */
void menu_lines_draw(struct top_state *state, const struct view *view, struct grid *g, size_t width,
	size_t y, size_t bottom);

#endif
