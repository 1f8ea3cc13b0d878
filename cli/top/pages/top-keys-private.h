/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys and the handling of keys (top-press.c) share this. Pure. */
#ifndef MEMTALLY_CLI_TOP_PAGES_TOP_KEYS_PRIVATE_H
#define MEMTALLY_CLI_TOP_PAGES_TOP_KEYS_PRIVATE_H

#include "cli/top/pages/top-keys.h"

enum top_move {
	TOP_MOVE_UP,
	TOP_MOVE_DOWN,
	TOP_MOVE_PAGE_UP,
	TOP_MOVE_PAGE_DOWN,
	TOP_MOVE_HOME,
	TOP_MOVE_END
};

/* Returns the index that MOVE leads to from I, on a page of HEIGHT rows. */
size_t top_keys_index_after(size_t i, enum top_move move, size_t height);

/* Returns the enum top_move of KEY; -1: none. */
int top_keys_move_of(uint32_t key);

/*
 * Acts by the row of the table that has KEY; if IS_TEXT, only by one for pages of text. Returns false if
 * there is none.
 */
bool top_keys_act(struct top_state *s, const struct top_rows *rows, uint32_t key, bool is_text);

/*
 * Selects the next row that the search finds, from row FROM on, and then from the first row on. Says in
 * .is_missed if there is none.
 */
void top_keys_find(struct top_state *s, const struct top_rows *rows, size_t from);

/* Sorts by COLUMN, the largest first, however rows were sorted before. */
void top_keys_sort_largest(struct top_state *s, enum top_column column);

/* Wants STEP. A replay ends. */
void top_keys_step(struct top_state *s, enum top_step step);

#endif
