/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/top-keys-private.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/top/pages/top-menu.h"
#include "cli/top/pages/top-prompt.h"
#include "cli/top/rows/top-columns.h"

/* Selects row I; the first one is "the first, whichever that is". */
static void top_keys_select(struct top_state *s, const struct top_rows *rows, size_t i)
{
	if (!rows->shown)
		return;
	s->index = i < rows->shown ? i : rows->shown - 1;
	s->selected = s->index ? top_rows_at(rows, s->index)->key : 0;
}

/* Returns I moved by STEP rows, at least 0. */
static size_t top_keys_move(size_t i, long step)
{
	if (step < 0)
		return i > (size_t)-step ? i - (size_t)-step : 0;
	return i + (size_t)step;
}

size_t top_keys_index_after(size_t i, enum top_move move, size_t height)
{
	long page = height > 1 ? (long)height - 1 : 1;

	switch (move) {
	case TOP_MOVE_UP: return top_keys_move(i, -1);
	case TOP_MOVE_DOWN: return i + 1;
	case TOP_MOVE_PAGE_UP: return top_keys_move(i, -page);
	case TOP_MOVE_PAGE_DOWN: return top_keys_move(i, page);
	case TOP_MOVE_HOME: return 0;
	case TOP_MOVE_END: return SIZE_MAX / 2;
	}
	return i;
}

static void act_move(struct top_state *s, const struct top_rows *rows, unsigned int move)
{
	top_keys_select(s, rows, top_keys_index_after(s->index, (enum top_move)move, s->height));
}

static void act_view(struct top_state *s, const struct top_rows *rows, unsigned int view)
{
	(void)rows;
	top_state_show(s, (enum top_view)view);
}

/* Shows the next view, or the one before it. */
static void act_step_view(struct top_state *s, const struct top_rows *rows, unsigned int step)
{
	(void)rows;
	top_state_show(s, (enum top_view)((s->asks.view + step) % TOP_VIEWS));
}

static void act_tree(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	top_state_show(s, top_state_is_tree(s->asks.view) ? s->flat : TOP_VIEW_TREE);
}

static void act_page(struct top_state *s, const struct top_rows *rows, unsigned int page)
{
	(void)rows;
	s->page = (enum top_page)page;
	s->line = s->found = 0;
	s->seek = TOP_SEEK_NONE;
	s->item[0] = '\0';
}

static void act_details(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	if (s->index >= rows->shown)
		return;
	s->detailed = top_rows_at(rows, s->index)->key;
	act_page(s, rows, TOP_PAGE_DETAILS);
	(void)argument;
}

static void act_prompt(struct top_state *s, const struct top_rows *rows, unsigned int prompt)
{
	char *text = top_prompt_text(s, (enum top_prompt)prompt);

	(void)rows;
	s->prompt = (enum top_prompt)prompt;
	memcpy(s->before, text, sizeof(s->before));
	if (s->prompt != TOP_PROMPT_FILTER)
		text[0] = '\0';
}

void top_keys_step(struct top_state *s, enum top_step step)
{
	s->step = step;
	s->is_playing = false;
}

static void act_step(struct top_state *s, const struct top_rows *rows, unsigned int step)
{
	(void)rows;
	top_keys_step(s, (enum top_step)step);
}

static void act_pause(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	if (s->is_past)
		s->is_playing = !s->is_playing;
	else
		s->is_paused = !s->is_paused;
}

static void act_redraw(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	s->is_spoilt = true;
}

static void act_quit(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	s->is_ended = true;
}

static void act_invert(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	top_state_sort(&s->asks, s->asks.sort);
}

void top_keys_sort_largest(struct top_state *s, enum top_column column)
{
	s->asks.sort = column;
	s->asks.is_turned = false;
}

static void act_largest(struct top_state *s, const struct top_rows *rows, unsigned int column)
{
	(void)rows;
	top_keys_sort_largest(s, (enum top_column)column);
}

/* Sorts by the next column to the right (STEP 1) or to the left that the view has. */
static void act_step_sort(struct top_state *s, const struct top_rows *rows, unsigned int step)
{
	unsigned int c = s->asks.sort;

	(void)rows;
	do
		c = (c + step) % TOP_COLUMNS;
	while (!(top_columns_spec((enum top_column)c)->views >> s->asks.view & 1) ||
		!top_columns_spec((enum top_column)c)->key);
	top_state_sort(&s->asks, (enum top_column)c);
}

/* Opens (1) or closes (0) the selected branch. A row without an open branch goes to its parent. */
static void act_branch(struct top_state *s, const struct top_rows *rows, unsigned int open)
{
	const struct top_row *row;

	if (s->index >= rows->shown)
		return;
	row = top_rows_at(rows, s->index);
	if (row->children && row->is_open != (bool)open) {
		s->selected = row->key;
		top_state_turn(&s->asks, row->key);
	} else if (!open && row->parent != TOP_ROW_NONE) {
		s->selected = rows->row[row->parent].key;
	}
}

static void act_all_branches(
	struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	s->asks.is_opposite = !s->asks.is_opposite;
	s->asks.branches = 0;
}

void top_keys_find(struct top_state *s, const struct top_rows *rows, size_t from)
{
	s->is_missed = false;
	if (!s->search[0])
		return;
	for (size_t i = 0; i < rows->shown; i++) {
		size_t at = (from + i) % rows->shown;

		if (top_row_matches(rows->view, top_rows_at(rows, at), s->search)) {
			s->index = at;
			s->selected = top_rows_at(rows, at)->key;
			return;
		}
	}
	s->is_missed = true;
}

static void act_next(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)argument;
	if (s->page != TOP_PAGE_LIST)
		s->seek = TOP_SEEK_NEXT;
	else
		top_keys_find(s, rows, s->index + 1);
	if (!s->search[0])
		top_state_say(s, "There is no search yet: / begins one.");
	else if (s->is_missed && s->page == TOP_PAGE_LIST)
		top_state_say(s, "Not found: %s", s->search);
}

/* Repeats the search, or begins one. */
static void act_search(struct top_state *s, const struct top_rows *rows, unsigned int prompt)
{
	if (s->search[0])
		act_next(s, rows, 0);
	else
		act_prompt(s, rows, prompt);
}

/* For the habit of other programs. */
static void act_kill(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)argument;
	if (s->index < rows->shown && top_rows_at(rows, s->index)->process)
		top_state_say(s, "memtally top ends no process. In a shell: kill %u",
			top_rows_at(rows, s->index)->process->pid);
	else
		top_state_say(s, "memtally top ends no process.");
}

static void act_clear(struct top_state *s, const struct top_rows *rows, unsigned int argument)
{
	(void)rows;
	(void)argument;
	s->asks.filter[0] = s->asks.user[0] = s->search[0] = '\0';
}

#define F(n) (TOP_KEY_F0 + (n))

/* Letters of columns sort, too: top_columns_spec(). */
static const struct top_key keys[] = {
	{{F(1), '?', 'h'}, "F1 ? h", "Help", "this page", act_page, TOP_PAGE_HELP},
	{{F(2), TOP_KEY_TAB}, "F2 Tab", "View", "the next view", act_step_view, 1},
	{{TOP_KEY_BACK_TAB}, "Shift-Tab", NULL, "the view before", act_step_view, TOP_VIEWS - 1},
	{{'1'}, "1", NULL, "users", act_view, TOP_VIEW_USER},
	{{'2'}, "2", NULL, "programs", act_view, TOP_VIEW_PROGRAM},
	{{'3'}, "3", NULL, "systemd units", act_view, TOP_VIEW_UNIT},
	{{'4'}, "4", NULL, "containers", act_view, TOP_VIEW_CONTAINER},
	{{'5'}, "5", NULL, "processes", act_view, TOP_VIEW_PROCESS},
	{{'6'}, "6", NULL, "processes below their parents", act_view, TOP_VIEW_TREE},
	{{'7'}, "7", NULL, "users, their programs, and their processes", act_view, TOP_VIEW_NESTED},
	{{F(3)}, "F3", "Search", "go to a name; again: to the next one", act_search,
		TOP_PROMPT_SEARCH, true},
	{{'/'}, "/", NULL, "go to another name; in the help and in details: to a text", act_prompt,
		TOP_PROMPT_SEARCH, true},
	{{'n'}, "n", NULL, "the next row that the search finds", act_next, 0, true},
	{{F(4), '\\'}, "F4 \\", "Filter", "show only rows with a name; | separates several",
		act_prompt, TOP_PROMPT_FILTER},
	{{F(5), 't'}, "F5 t", "Tree", "processes below their parents, and back", act_tree, 0},
	{{F(6), '.'}, "F6 .", "Sort", "choose the column to sort by", act_page, TOP_PAGE_COLUMNS},
	{{'<'}, "<", NULL, "sort by the column to the left", act_step_sort, TOP_COLUMNS - 1},
	{{'>'}, ">", NULL, "sort by the column to the right", act_step_sort, 1},
	{{'I'}, "I", NULL, "turn the order", act_invert, 0},
	{{'M'}, "M P", NULL, "sort by PSS, the largest first", act_largest, TOP_COLUMN_PSS},
	{{F(7), 'u'}, "F7 u", "User", "show only one user's processes", act_page, TOP_PAGE_USERS},
	{{' ', F(8), 'Z'}, "F8 Space Z", "Pause",
		"keep the figures as they are, and go on; in the past: play", act_pause, 0, true},
	{{F(9)}, "F9", NULL, "says that memtally top ends no process", act_kill, 0},
	{{'['}, "[", NULL, "back in time: the recorded snapshot before", act_step, TOP_STEP_BACK,
		true},
	{{']'}, "]", NULL, "the recorded snapshot after; behind the last one the present", act_step,
		TOP_STEP_FORTH, true},
	{{'{'}, "{", NULL, "a minute back", act_step, TOP_STEP_BACK_MINUTE, true},
	{{'}'}, "}", NULL, "a minute forth", act_step, TOP_STEP_FORTH_MINUTE, true},
	{{'b'}, "b", NULL, "go to a time: 03:12, -15m, yesterday 18:00, 2026-11-23 08:00, oom",
		act_prompt, TOP_PROMPT_TIME, true},
	{{'l'}, "l", NULL, "back to the present", act_step, TOP_STEP_PRESENT, true},
	{{TOP_KEY_REDRAW}, "Ctrl-L", NULL, "draw the terminal anew", act_redraw, 0},
	{{F(10), 'q'}, "F10 q", "Quit", "end memtally top", act_quit, 0},
	{{TOP_KEY_ENTER}, "Enter", "Info", "details of the selected row", act_details, 0},
	{{TOP_KEY_RIGHT, '+'}, "Right +", NULL, "open the branch", act_branch, 1},
	{{TOP_KEY_LEFT, '-'}, "Left -", NULL, "close the branch, or go to the row above it",
		act_branch, 0},
	{{'*'}, "*", NULL, "open or close all branches", act_all_branches, 0},
	{{TOP_KEY_ESCAPE}, "Esc", NULL, "end the filter, the search and the choice of a user",
		act_clear, 0},
	{{TOP_KEY_UP, 'k'}, "Up k", NULL, "the row above", act_move, TOP_MOVE_UP},
	{{TOP_KEY_DOWN, 'j'}, "Down j", NULL, "the row below", act_move, TOP_MOVE_DOWN},
	{{TOP_KEY_PAGE_UP}, "PgUp", NULL, "a screen up", act_move, TOP_MOVE_PAGE_UP},
	{{TOP_KEY_PAGE_DOWN}, "PgDn", NULL, "a screen down", act_move, TOP_MOVE_PAGE_DOWN},
	{{TOP_KEY_HOME}, "Home", NULL, "the first row", act_move, TOP_MOVE_HOME},
	{{TOP_KEY_END}, "End", NULL, "the last row", act_move, TOP_MOVE_END},
};

const struct top_key *top_keys_at(size_t i)
{
	return i < ARRAY_SIZE(keys) ? &keys[i] : NULL;
}

int top_keys_move_of(uint32_t key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (size_t k = 0; k < TOP_KEYS_SAME; k++)
			if (keys[i].act == act_move && keys[i].key[k] == key)
				return (int)keys[i].argument;
	return -1;
}

bool top_keys_act(struct top_state *s, const struct top_rows *rows, uint32_t key, bool is_text)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (size_t k = 0; k < TOP_KEYS_SAME; k++)
			if (keys[i].key[k] == key && (keys[i].is_of_text || !is_text)) {
				keys[i].act(s, rows, keys[i].argument);
				return true;
			}
	return false;
}
