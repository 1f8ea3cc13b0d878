/* SPDX-License-Identifier: Apache-2.0 */
/* Items of the menus of `memtally top`: users, and columns to sort by. Pure. */
#ifndef MEMTALLY_CLI_TOP_PAGES_TOP_MENU_H
#define MEMTALLY_CLI_TOP_PAGES_TOP_MENU_H

#include <stddef.h>

#include "cli/top/rows/top-state.h"

/*
 * Returns the name of item I in the menu of users of VIEW (NULL: there is no snapshot), borrowed from
 * it; NULL: there are only I. Item 0 is "", which stands for all users.
 */
const char *top_menu_user(const struct view *view, size_t i);

/*
 * Returns the place of user NAME, "" for all users, in the menu of VIEW; the nearest one to LINE if there
 * is none of that name any more.
 */
size_t top_menu_find_user(const struct view *view, const char *name, size_t line);

/* Returns item I in the menu of columns; TOP_COLUMNS: there are only I. */
enum top_column top_menu_column(size_t i);

/* Returns the number of items of the menu on PAGE, TOP_PAGE_USERS or TOP_PAGE_COLUMNS. */
size_t top_menu_count(enum top_page page, const struct view *view);

#endif
