/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of `memtally top`
 *
 * The table of keys: what each does, its words on the help page, and its label in the last line of
 * the screen. Handling a key changes the state only. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_PAGES_TOP_KEYS_H
#define MEMTALLY_CLI_TOP_PAGES_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/top/rows/top-rows.h"
#include "cli/top/rows/top-state.h"

/* Keys are characters (code points), or one of these. */
enum {
	TOP_KEY_NONE = 0,
	TOP_KEY_TAB = '\t',
	TOP_KEY_ENTER = '\n',
	TOP_KEY_REDRAW = 'L' - '@', /* Ctrl-L */
	TOP_KEY_ESCAPE = 27,
	TOP_KEY_BACKSPACE = 127,
	TOP_KEY_FIRST = 0x110000, /* no code point */
	TOP_KEY_UP = TOP_KEY_FIRST,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_BACK_TAB,
	TOP_KEY_F0, /* F1 is TOP_KEY_F0 + 1 */
	TOP_KEY_F10 = TOP_KEY_F0 + 10,
};

/* Keys of one row of the table, for the same action. */
enum { TOP_KEYS_SAME = 3 };

struct top_key {
	uint32_t key[TOP_KEYS_SAME]; /* unused ones are TOP_KEY_NONE */
	const char *names;           /* "F3 /" */
	const char *label;           /* in the last line of the screen; NULL: not there */
	const char *help;            /* on the help page: what the key does, no sentence */
	/* ARGUMENT is .argument of the row. */
	void (*act)(struct top_state *s, const struct top_rows *rows, unsigned int argument);
	unsigned int argument;
	bool is_of_text; /* it acts on pages of text, too */
};

/* Returns row I of the table of keys of the list; NULL: there are only I. */
const struct top_key *top_keys_at(size_t i);

/*
 * Changes S as KEY demands. ROWS are those that S asks for, whether drawn or not; .view of ROWS is
 * NULL if there is no snapshot. Ends the remark of the key before. Returns false if the key does nothing.
 */
bool top_keys_press(struct top_state *s, const struct top_rows *rows, uint32_t key);

#endif
