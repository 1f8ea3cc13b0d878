/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines about the host
 *
 * The host's balance sheet as a bar with a legend; its swap space, its memory pressure, and how much
 * of the PSS is estimated. A band of the bar is made of the letter that begins its name in the
 * legend. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_HOST_LINES_H
#define MEMTALLY_CLI_TOP_PAGES_HOST_LINES_H

#include <stddef.h>

#include "cli/top/cells/grid.h"
#include "snapshot/view.h"

/*
 * Draws the bar of VIEW's host in line Y, and its legend below, in at most MOST lines. Without a
 * balance sheet, says so. Returns the number of lines used.
 */
size_t host_lines_draw_bar(const struct view *view, struct grid *g, size_t y, size_t most);

/* Draws the line about swap space, pressure and estimates in line Y. */
void host_lines_draw_rest(const struct view *view, struct grid *g, size_t y);

#endif
