/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal
 *
 * The only user of ncurses: shows grids of cells on the whole terminal and reads keys. The terminal is
 * as it was before, whatever ends this process except SIGKILL: also signals restore it, and then have
 * their usual effect. There is one terminal in a process.
 */
#ifndef MEMTALLY_CLI_TOP_TERMINAL_H
#define MEMTALLY_CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/top/cells/grid.h"

/*
 * Takes over the terminal of standard input and output. Uses no colours if HAS_COLOURS is false, or
 * if the terminal has none. Returns 0; -ENOTTY if standard input or output is no terminal; -ENOTSUP
 * if the variable TERM is not set, or names a terminal that is unknown or cannot move its cursor;
 * -ENOMEM.
 */
int terminal_open(bool has_colours);

/* Gives the terminal back as it was. Does nothing if it is not open. */
void terminal_close(void);

/* Gets the present size in columns and lines. */
void terminal_size(size_t *ret_width, size_t *ret_height);

/*
 * Returns the next key that was typed: a character or a TOP_KEY_... of cli/top/pages/top-keys.h; TOP_KEY_NONE
 * if there is none. Does not wait, except for 25 ms for the rest of a key that begins with an escape.
 */
uint32_t terminal_key(void);

/*
 * Returns whether the last read of a key has failed for good: the terminal has gone, or this process is
 * in its background with no shell left that could bring it back.
 */
bool terminal_is_lost(void);

/* Shows G. Sends only the cells that differ from those shown before. */
void terminal_draw(const struct grid *g);

/* Makes the next terminal_draw() send the whole screen. */
void terminal_forget(void);

#endif
