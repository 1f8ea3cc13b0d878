/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/top/pages/top-keys-private.h"
#include "cli/top/pages/top-menu.h"
#include "cli/top/pages/top-prompt.h"
#include "cli/top/rows/top-columns.h"

/* Takes the chosen item of the menu. */
static void menu_take(struct top_state *s, const struct top_rows *rows)
{
	if (s->page == TOP_PAGE_COLUMNS) {
		if (s->asks.sort != top_menu_column(s->line))
			top_state_sort(&s->asks, top_menu_column(s->line));
	} else {
		snprintf(s->asks.user, sizeof(s->asks.user), "%s",
			top_menu_user(rows->view, s->line));
		s->selected = 0;
	}
	s->page = TOP_PAGE_LIST;
}

static bool press_in_menu(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	size_t count = top_menu_count(s->page, rows->view);
	int move = top_keys_move_of(key);

	if (s->page == TOP_PAGE_USERS)
		s->line = top_menu_find_user(rows->view, s->item, s->line);
	if (move >= 0) {
		s->line = top_keys_index_after(s->line, (enum top_move)move, s->height);
		s->line = s->line < count ? s->line : count - 1;
		if (s->page == TOP_PAGE_USERS)
			snprintf(
				s->item, sizeof(s->item), "%s", top_menu_user(rows->view, s->line));
	} else if (key == TOP_KEY_ENTER && s->line < count) {
		menu_take(s, rows);
	} else if (key == TOP_KEY_ESCAPE || key == 'q' || key == TOP_KEY_F10) {
		s->page = TOP_PAGE_LIST;
	} else {
		return false;
	}
	return true;
}

/* On a page of text. screen_draw() limits .line to the length of the text. */
static bool press_in_text(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	int move = top_keys_move_of(key);

	if (move >= 0)
		s->line = top_keys_index_after(s->line, (enum top_move)move, s->height);
	else if (key == TOP_KEY_ESCAPE || key == 'q' || key == TOP_KEY_F10 ||
		 key == TOP_KEY_F0 + 1 || key == TOP_KEY_ENTER || key == TOP_KEY_BACKSPACE ||
		 key == TOP_KEY_LEFT)
		s->page = TOP_PAGE_LIST;
	else
		return top_keys_act(s, rows, key, true);
	return true;
}

/* Looks for what was typed, from the present place on or, if IS_NEXT, behind it. */
static void press_find(struct top_state *s, const struct top_rows *rows, bool is_next)
{
	if (s->page == TOP_PAGE_LIST)
		top_keys_find(s, rows, s->index + is_next);
	else
		s->seek = is_next ? TOP_SEEK_NEXT : TOP_SEEK_HERE;
}

static bool press_in_prompt(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	bool is_search = s->prompt == TOP_PROMPT_SEARCH;
	char *text = top_prompt_text(s, s->prompt);

	if (key == TOP_KEY_ENTER) {
		if (s->prompt == TOP_PROMPT_TIME && text[0])
			top_keys_step(s, TOP_STEP_TIME);
		s->prompt = TOP_PROMPT_NONE;
	} else if (key == TOP_KEY_ESCAPE) {
		memcpy(text, s->before, sizeof(s->before));
		s->prompt = TOP_PROMPT_NONE;
	} else if (key == TOP_KEY_F0 + 3 && is_search) {
		press_find(s, rows, true);
	} else if (key == TOP_KEY_BACKSPACE) {
		top_prompt_remove(text);
	} else if (key >= ' ' && key < TOP_KEY_FIRST) {
		top_prompt_add(text, key);
		if (is_search)
			press_find(s, rows, false);
	} else {
		return false;
	}
	return true;
}

static bool press_in_list(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	if (top_keys_act(s, rows, key, false))
		return true;
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (top_columns_spec((enum top_column)c)->key == (char)key && key < 0x80) {
			/* In other programs, P never turns the order. */
			if (c == TOP_COLUMN_PSS)
				top_keys_sort_largest(s, (enum top_column)c);
			else
				top_state_sort(&s->asks, (enum top_column)c);
			return true;
		}
	return false;
}

static bool press_on_page(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	if (key == TOP_KEY_REDRAW) { /* on each page, and in prompts */
		s->is_spoilt = true;
		return true;
	}
	/* Several keys, or a snapshot and a key, may come between two drawings. */
	top_rows_settle(rows, s);
	if (s->prompt != TOP_PROMPT_NONE)
		return press_in_prompt(s, rows, key);
	switch (s->page) {
	case TOP_PAGE_LIST: return press_in_list(s, rows, key);
	case TOP_PAGE_USERS:
	case TOP_PAGE_COLUMNS: return press_in_menu(s, rows, key);
	case TOP_PAGE_HELP:
	case TOP_PAGE_DETAILS: return press_in_text(s, rows, key);
	}
	return false;
}

bool top_keys_press(struct top_state *s, const struct top_rows *rows, uint32_t key)
{
	bool had_remark = s->said[0];

	if (key == TOP_KEY_NONE)
		return false;
	s->said[0] = '\0';
	return press_on_page(s, rows, key) || had_remark;
}
