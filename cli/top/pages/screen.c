/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/screen.h"

#include <errno.h>
#include <string.h>

#include "base/saturate.h"
#include "base/when.h"
#include "cli/table/cell.h"
#include "cli/top/cells/brief.h"
#include "cli/top/pages/help-lines.h"
#include "cli/top/pages/host-lines.h"
#include "cli/top/pages/list-lines.h"
#include "cli/top/pages/menu-lines.h"
#include "cli/top/pages/top-keys.h"
#include "cli/top/pages/top-prompt.h"
#include "render/human.h"
#include "snapshot/past.h"

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

/* Appends S, seconds since the epoch, as strftime() does by FORMAT, in the time zone of the user. */
static void add_local(struct buffer *to, int64_t s, const char *format)
{
	struct tm tm = when_local(s);
	char text[32] = "";

	strftime(text, sizeof(text), format, &tm);
	buffer_add_text(to, text);
}

/* Appends the wall-clock time of the snapshot, and its age. The past has a date if it is of another day. */
static void add_time(const struct screen *s, struct buffer *to)
{
	const struct screen_past *past = s->past;
	int64_t at_s = (int64_t)((past ? past->at_ns : s->view->header->realtime_ns) / NS_PER_SEC);
	bool is_today = !past || at_s >= when_midnight((int64_t)(past->now_ns / NS_PER_SEC), 0);

	buffer_add_text(to, "  ");
	add_local(to, at_s, is_today ? "%H:%M:%S, " : "%Y-%m-%d %H:%M:%S, ");
	human_add_age(to,
		past ? saturate_less(past->now_ns, past->at_ns) : view_age_ns(s->view, s->now_ns));
	buffer_add_text(to, " ago");
}

/* From this width on there is room for the name of the program. */
enum { ROOMY_WIDTH = 60 };

static void draw_title(const struct screen *s, struct grid *g, size_t y)
{
	AUTO_BUFFER struct buffer text = {0};
	const char *mark = s->past && s->state->is_playing ? " REPLAY "
	                   : s->past                       ? " PAST "
	                   : s->state->is_paused           ? " PAUSED "
	                                                   : "";
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

/* Says that the past is shown, what happened there, and how to leave it. */
static void draw_past(const struct screen_past *past, struct grid *g, size_t y)
{
	static const struct {
		enum past_mark mark;
		const char *text;
	} marks[] = {
		{PAST_MARK_OOM, "OOM kill just before. "},
		{PAST_MARK_PRESSURE, "Processes had waited for memory. "},
		{PAST_MARK_START, "memtallyd had just started. "},
		{PAST_MARK_GAP, "No snapshots just before. "},
	};
	size_t x = 0;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (past->marks & marks[i].mark)
			x += grid_text(g, x, y, g->width, STYLE_BAD, marks[i].text);
	if (past->is_own_only)
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, "Your own processes only. ");
	grid_text(g, x, y, g->width, STYLE_UNCERTAIN,
		"The past (l: the present, [ ]: a snapshot, { }: a minute, b: a time, Space: play)");
}

static void draw_prompt(const struct screen *s, struct grid *g, size_t y)
{
	static const struct {
		const char *lead, *brief;
	} texts[] = {
		[TOP_PROMPT_SEARCH] = {"Search (Enter keeps, F3 next, Esc ends): ", "Search: "},
		[TOP_PROMPT_FILTER] = {"Filter (Enter keeps, Esc ends): ", "Filter: "},
		[TOP_PROMPT_TIME] = {"Go to (03:12, -15m, 2026-11-23 08:00, oom; Enter goes): ",
			"Go to: "},
	};
	enum top_prompt prompt = s->state->prompt;
	size_t x;

	grid_fill(g, 0, y, g->width, STYLE_NORMAL, L' ');
	x = grid_text(g, 0, y, g->width, STYLE_KEY, texts[prompt].lead);
	if (x + 16 > g->width) {
		grid_fill(g, 0, y, g->width, STYLE_NORMAL, L' ');
		x = grid_text(g, 0, y, g->width, STYLE_KEY, texts[prompt].brief);
	}
	x += grid_text(g, x, y, g->width - x - 1, STYLE_NORMAL, top_prompt_text(s->state, prompt));
	g->has_cursor = true;
	g->hot_x = x;
	g->hot_y = y;
	if (prompt == TOP_PROMPT_SEARCH && s->state->is_missed)
		grid_text(g, x + 1, y, g->width, STYLE_BAD, " not found");
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
		"Esc q F1 Enter Left Backspace back  Up Down PgUp PgDn  / F3 find  Space pause"};
	bool is_text = s->state->page == TOP_PAGE_HELP || s->state->page == TOP_PAGE_DETAILS;

	if (s->state->prompt != TOP_PROMPT_NONE)
		draw_prompt(s, g, y);
	else if (s->state->said[0])
		grid_text(g, 0, y, g->width, STYLE_BAD, s->state->said);
	else if (s->state->page == TOP_PAGE_LIST)
		draw_keys(g, y);
	else
		grid_text(g, 0, y, g->width, STYLE_KEY,
			is_text ? of_text[strlen(of_text[1]) <= g->width]
				: "Enter choose  Esc q back  Up Down move");
}

/* Returns the first line of TEXT from line FROM on that has WANTED; SIZE_MAX: none. */
static size_t find_line(const char *text, const char *wanted, size_t from)
{
	for (size_t i = 0; *text; i++) {
		size_t len = strcspn(text, "\n");
		AUTO_BUFFER struct buffer line = {0};

		buffer_add(&line, text, i >= from ? len : 0);
		buffer_add_char(&line, '\0');
		if (!line.error && strcasestr(line.data, wanted))
			return i;
		text += len + (text[len] == '\n');
	}
	return SIZE_MAX;
}

/* Scrolls to the line of TEXT that the user looks for. */
static void seek_line(struct top_state *state, const char *text)
{
	size_t from = state->found ? state->found - (state->seek == TOP_SEEK_HERE) : state->line;
	size_t found;

	if (state->seek == TOP_SEEK_NONE)
		return;
	state->seek = TOP_SEEK_NONE;
	state->is_missed = false;
	if (!state->search[0])
		return;
	found = find_line(text, state->search, from);
	if (found == SIZE_MAX)
		found = find_line(text, state->search, 0);
	state->is_missed = found == SIZE_MAX;
	if (!state->is_missed) {
		state->line = found;
		state->found = found + 1;
	} else if (state->prompt == TOP_PROMPT_NONE) {
		top_state_say(state, "Not found: %s", state->search);
	}
}

/* Draws a page of text from line Y to BOTTOM. */
static void draw_text(
	const struct screen *s, struct grid *g, size_t y, size_t bottom, const char *text)
{
	size_t height = bottom > y ? bottom - y : 0;
	size_t lines = draw_lines(g, y, 0, 0, STYLE_NORMAL, text);
	size_t last = lines > height ? lines - height : 0;
	struct top_state *state = s->state;

	state->height = height;
	seek_line(state, text);
	state->line = state->line < last ? state->line : last;
	draw_lines(g, y, height, state->line, STYLE_NORMAL, text);
	if (state->found > state->line && state->found <= state->line + height)
		grid_restyle(g, 0, y + state->found - 1 - state->line, g->width, STYLE_FOUND);
}

static void draw_help(const struct screen *s, struct grid *g, size_t y, size_t bottom)
{
	AUTO_BUFFER struct buffer text = {0};

	help_lines_add(g->width, &text);
	buffer_add_char(&text, '\0');
	if (!text.error)
		draw_text(s, g, y, bottom, text.data);
}

enum { USERS_WIDTH = 24, USERS_WITH_LIST = 2 * USERS_WIDTH + SCREEN_WIDTH_MIN / 2 };

/* Draws the menu of users, beside the list if there is room. */
static void draw_users(const struct screen *s, const struct top_glance *glance, struct grid *g,
	size_t y, size_t bottom)
{
	AUTO_GRID struct grid list = {0};
	size_t width = g->width;

	if (g->width >= USERS_WITH_LIST &&
		grid_begin(&list, g->width - USERS_WIDTH - 1, g->height) == 0) {
		list_lines_draw(glance, s->state, s->rows, &list, y, bottom);
		grid_paste(g, USERS_WIDTH + 1, y, &list, y, bottom - y);
		width = USERS_WIDTH;
	}
	menu_lines_draw(s->state, s->view, g, width, y, bottom);
}

/* Draws the figures, or the page that is open, from line Y to BOTTOM. */
static void draw_page(const struct screen *s, struct grid *g, size_t y, size_t bottom)
{
	const struct top_glance glance = {.view = s->view, .filters = s->filters};

	switch (s->state->page) {
	case TOP_PAGE_HELP: draw_help(s, g, y, bottom); return;
	case TOP_PAGE_USERS: draw_users(s, &glance, g, y, bottom); return;
	case TOP_PAGE_COLUMNS: menu_lines_draw(s->state, s->view, g, g->width, y, bottom); return;
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
	if (s->past && s->view)
		draw_past(s->past, g, y++);
	else if (s->origin[0])
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
