/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/screen.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "cli/table/cell.h"
#include "cli/top/cells/brief.h"
#include "cli/top/pages/help-lines.h"
#include "cli/top/pages/host-lines.h"
#include "cli/top/pages/list-lines.h"
#include "cli/top/pages/top-keys.h"
#include "cli/top/pages/top-menu.h"
#include "render/human.h"

/* Draws the lines of TEXT from line FIRST on. Returns the number of lines of TEXT. */
static size_t draw_lines(
	struct grid *g, size_t y, size_t height, size_t first, enum style style, const char *text)
{
	size_t count = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		AUTO_BUFFER struct buffer line = {0};

		if (count >= first && count - first < height) {
			buffer_add(&line, text, len);
			buffer_add_char(&line, '\0');
			if (!line.error)
				grid_text(g, 0, y + count - first, g->width, style, line.data);
		}
		count++;
		text += len + (text[len] == '\n');
	}
	return count;
}

/* Draws the sentence TEXT, folded to the width. */
static void draw_message(
	struct grid *g, size_t y, size_t height, enum style style, const char *text)
{
	AUTO_BUFFER struct buffer lines = {0};

	cell_add_folded(&lines, text, strlen(text), 0, g->width);
	buffer_add_char(&lines, '\0');
	if (!lines.error)
		draw_lines(g, y, height, 0, style, lines.data);
}

/* Appends the wall-clock time of VIEW's pass in the time zone of the user, and its age. */
static void add_time(const struct screen *s, struct buffer *to)
{
	time_t at = (time_t)(s->view->header->realtime_ns / NS_PER_SEC);
	struct tm tm;
	char text[16] = "";

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	buffer_printf(to, "  %s, ", text);
	human_add_age(to, view_age_ns(s->view, s->now_ns));
	buffer_add_text(to, " ago");
}

/* From this width on there is room for the name of the program. */
enum { ROOMY_WIDTH = 60 };

static void draw_title(const struct screen *s, struct grid *g, size_t y)
{
	AUTO_BUFFER struct buffer text = {0};
	const char *mark = s->state->is_paused ? " PAUSED " : "";
	size_t room = g->width - strlen(mark);

	grid_fill(g, 0, y, g->width, STYLE_TITLE, L' ');
	if (g->width >= ROOMY_WIDTH)
		buffer_add_text(&text, "memtally top  ");
	/* A long name leaves room for the time. */
	cell_add_cut(&text, s->host, g->width / 3);
	if (s->view && !s->problem) {
		add_time(s, &text);
		if (ROW_HAS(view_host(s->view), SCOPE_PROCESSES))
			buffer_printf(&text, "  %llu processes",
				(unsigned long long)view_host(s->view)->q[SCOPE_PROCESSES]);
	}
	buffer_add_char(&text, '\0');
	if (!text.error)
		grid_text(g, 0, y, room, STYLE_TITLE, text.data);
	grid_text(g, room, y, g->width, STYLE_BAD, mark);
}

static void draw_prompt(const struct screen *s, struct grid *g, size_t y)
{
	bool is_search = s->state->prompt == TOP_PROMPT_SEARCH;
	size_t x;

	grid_fill(g, 0, y, g->width, STYLE_NORMAL, L' ');
	x = grid_text(g, 0, y, g->width, STYLE_KEY,
		is_search ? "Search (Enter keeps, F3 next, Esc ends): "
			  : "Filter (Enter keeps, Esc ends): ");
	if (x + 8 > g->width) {
		grid_fill(g, 0, y, g->width, STYLE_NORMAL, L' ');
		x = grid_text(g, 0, y, g->width, STYLE_KEY, is_search ? "Search: " : "Filter: ");
	}
	x += grid_text(g, x, y, g->width - x - 1, STYLE_NORMAL,
		is_search ? s->state->search : s->state->asks.filter);
	g->has_cursor = true;
	g->hot_x = x;
	g->hot_y = y;
}

/* Draws the labels of keys. Those that do not fit are left out from the right. */
static void draw_keys(struct grid *g, size_t y)
{
	const struct top_key *key;
	size_t x = 0;

	for (size_t i = 0; (key = top_keys_at(i)); i++) {
		size_t name = strcspn(key->names, " ");
		char text[16] = "";

		if (!key->label || x + name + strlen(key->label) > g->width)
			continue;
		memcpy(text, key->names, name < sizeof(text) ? name : 0);
		x += grid_text(g, x, y, g->width, STYLE_KEY, text);
		x += grid_text(g, x, y, g->width, STYLE_CHOICE, key->label);
		x++;
	}
}

static void draw_bottom(const struct screen *s, struct grid *g, size_t y)
{
	/* The first one fits into the smallest width; the second one has all keys. */
	static const char *const of_text[] = {"Esc q back  Up Down PgUp PgDn scroll",
		"Esc q F1 Enter Left Backspace back  Up Down PgUp PgDn scroll  Space pause"};
	bool is_text = s->state->page == TOP_PAGE_HELP || s->state->page == TOP_PAGE_DETAILS;

	if (s->state->prompt != TOP_PROMPT_NONE)
		draw_prompt(s, g, y);
	else if (s->state->page == TOP_PAGE_LIST)
		draw_keys(g, y);
	else
		grid_text(g, 0, y, g->width, STYLE_KEY,
			is_text ? of_text[strlen(of_text[1]) <= g->width]
				: "Enter choose  Esc q back  Up Down move");
}

/* Draws a page of text from line Y to BOTTOM. */
static void draw_text(
	const struct screen *s, struct grid *g, size_t y, size_t bottom, const char *text)
{
	size_t height = bottom > y ? bottom - y : 0;
	size_t lines = draw_lines(g, y, 0, 0, STYLE_NORMAL, text);
	size_t last = lines > height ? lines - height : 0;

	s->state->height = height;
	s->state->line = s->state->line < last ? s->state->line : last;
	draw_lines(g, y, height, s->state->line, STYLE_NORMAL, text);
}

static void draw_help(const struct screen *s, struct grid *g, size_t y, size_t bottom)
{
	AUTO_BUFFER struct buffer text = {0};

	help_lines_add(g->width, &text);
	buffer_add_char(&text, '\0');
	if (!text.error)
		draw_text(s, g, y, bottom, text.data);
}

/* Returns item I of the menu that is open; NULL: there are only I. */
static const char *menu_item(const struct screen *s, size_t i)
{
	enum top_column c;
	const char *user;

	if (s->state->page == TOP_PAGE_COLUMNS) {
		c = top_menu_column(i);
		return c == TOP_COLUMNS ? NULL : top_columns_spec(c)->help;
	}
	user = top_menu_user(s->view, i);
	return user && !*user ? "(all users)" : user;
}

static void draw_menu(const struct screen *s, struct grid *g, size_t y, size_t bottom)
{
	bool is_columns = s->state->page == TOP_PAGE_COLUMNS;
	size_t height = bottom > y + 1 ? bottom - y - 1 : 0, first;
	const char *item;

	grid_text(g, 0, y, g->width, STYLE_HEAD,
		is_columns ? "Sort by" : "Show only the processes of this user");
	s->state->height = height;
	if (!is_columns)
		s->state->line = top_menu_find_user(s->view, s->state->item, s->state->line);
	first = height && s->state->line >= height ? s->state->line - height + 1 : 0;
	for (size_t i = first; i < first + height && (item = menu_item(s, i)); i++) {
		enum style style = i == s->state->line ? STYLE_SELECTED : STYLE_NORMAL;
		size_t at = y + 1 + i - first, x = 2;

		grid_fill(g, 0, at, g->width, style, L' ');
		if (is_columns) {
			const struct top_column_spec *c = top_columns_spec(top_menu_column(i));
			const char key[] = {c->key, '\0'};

			grid_text(g, x, at, 1, style, key);
			grid_text(g, x + 3, at, 11, style, c->name);
			x += 15;
		}
		grid_text(g, x, at, g->width, style, item);
	}
}

/* Draws the figures, or the page that is open, from line Y to BOTTOM. */
static void draw_page(const struct screen *s, struct grid *g, size_t y, size_t bottom)
{
	const struct top_glance glance = {.view = s->view, .filters = s->filters};

	switch (s->state->page) {
	case TOP_PAGE_HELP: draw_help(s, g, y, bottom); return;
	case TOP_PAGE_USERS:
	case TOP_PAGE_COLUMNS: draw_menu(s, g, y, bottom); return;
	case TOP_PAGE_DETAILS:
		draw_text(s, g, y, bottom, s->text && s->text->len ? s->text->data : "");
		return;
	case TOP_PAGE_LIST: break;
	}
	list_lines_draw(&glance, s->state, s->rows, g, y, bottom);
}

static void draw_small(const struct screen *s, struct grid *g)
{
	AUTO_BUFFER struct buffer text = {0};

	(void)s;
	buffer_printf(&text,
		"memtally top needs %d columns and %d lines; this terminal has %zu and %zu. q quits.",
		SCREEN_WIDTH_MIN, SCREEN_HEIGHT_MIN, g->width, g->height);
	buffer_add_char(&text, '\0');
	if (!text.error)
		draw_message(g, 0, g->height, STYLE_BAD, text.data);
}

/* Draws the lines about the host that there is room for. Returns the line below them. */
static size_t draw_host(const struct screen *s, struct grid *g, size_t y)
{
	enum { ROOMY = 16 };

	y += host_lines_draw_bar(s->view, g, y, g->height >= ROOMY ? 3 : 1);
	if (g->height < ROOMY)
		return y;
	host_lines_draw_rest(s->view, g, y);
	return y + 1;
}

int screen_draw(const struct screen *s, size_t width, size_t height, struct grid *g)
{
	size_t y = 1;

	if (grid_begin(g, width, height) < 0)
		return -ENOMEM;
	if (width < SCREEN_WIDTH_MIN || height < SCREEN_HEIGHT_MIN) {
		draw_small(s, g);
		return 0;
	}
	draw_title(s, g, 0);
	if (s->origin[0])
		grid_text(g, 0, y++, width, STYLE_UNCERTAIN, s->origin);
	if (s->state->page == TOP_PAGE_HELP) {
		draw_help(s, g, y, height - 1);
	} else if (s->problem) {
		draw_message(g, y + 1, height - y - 2, STYLE_BAD, s->problem);
	} else if (s->view) {
		y = draw_host(s, g, y);
		draw_page(s, g, y, height - 1);
	}
	draw_bottom(s, g, height - 1);
	return 0;
}
