/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/list-lines.h"

#include <string.h>

#include "base/saturate.h"
#include "base/when.h"
#include "cli/table/cell.h"
#include "cli/top/cells/brief.h"
#include "cli/top/rows/top-columns.h"

/* Draws the names of the views with their keys, the shown one marked. */
static void draw_views(
	const struct top_glance *glance, const struct top_state *state, struct grid *g, size_t y)
{
	size_t x = 0;

	for (unsigned int v = 0; v < TOP_VIEWS; v++) {
		bool is_shown = state->asks.view == (enum top_view)v;
		const char *name = top_state_view_name((enum top_view)v);
		const char key[] = {(char)('1' + v), '\0'};

		if (x + strlen(name) + 3 > g->width)
			break;
		x += grid_text(g, x, y, 1, STYLE_KEY, key);
		if (is_shown)
			x += grid_text(g, x, y, 1, STYLE_CHOICE, "[");
		x += grid_text(g, x, y, g->width, is_shown ? STYLE_CHOICE : STYLE_NORMAL, name);
		if (is_shown)
			x += grid_text(g, x, y, 1, STYLE_CHOICE, "]");
		x++;
	}
	/* Rows without values have the order of their PSS. */
	if (!(top_columns_spec(state->asks.sort)->views >> state->asks.view & 1)) {
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, " sorted by PSS, without ");
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN,
			top_columns_spec(state->asks.sort)->name);
	}
	if (top_state_is_tree(state->asks.view))
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, " sums of branches");
	x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, glance->filters);
	if (state->asks.user[0]) {
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, " user: ");
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, state->asks.user);
	}
	if (state->asks.filter[0]) {
		x += grid_text(g, x, y, g->width, STYLE_UNCERTAIN, " filter: ");
		grid_text(g, x, y, g->width, STYLE_UNCERTAIN, state->asks.filter);
	}
}

/* Draws "NAME 1.2G (3)" at X, if it fits. Returns the next column. */
static size_t draw_total(
	struct grid *g, size_t x, size_t y, const char *name, const struct amounts *a)
{
	AUTO_BUFFER struct buffer text = {0};
	uint64_t pss, processes;

	buffer_printf(&text, "%s ", name);
	if (amounts_get(a, AMOUNT_PSS, &pss))
		brief_add_bytes(&text, pss);
	else
		buffer_add_text(&text, "unread");
	if (amounts_get(a, AMOUNT_PROCESSES, &processes))
		buffer_printf(&text, " (%llu)", (unsigned long long)processes);
	if (text.error || x + text.len > g->width)
		return x;
	buffer_add_char(&text, '\0');
	return text.error ? x : x + grid_text(g, x, y, g->width, STYLE_NORMAL, text.data) + 2;
}

/* Says since when growth is known if that is less than the longest span, and if it fits. */
static void draw_known(const struct top_rows *rows, struct grid *g, size_t x, size_t y)
{
	const struct image_header *head = rows->view->header;
	uint64_t ago_ns = saturate_less(head->boottime_ns, rows->known.since_ns);
	struct tm tm;
	char text[32];

	if (ago_ns >= top_span_ns(TOP_SPAN_LONG))
		return;
	tm = when_local((int64_t)(saturate_less(head->realtime_ns, ago_ns) / NS_PER_SEC));
	strftime(text, sizeof(text), "growth since %H:%M", &tm);
	if (x + strlen(text) <= g->width)
		grid_text(g, x, y, g->width, STYLE_UNCERTAIN, text);
}

/* Draws the PSS, and the number of processes, of the host, the filter, the selection and the screen. */
static void draw_totals(const struct top_glance *glance, const struct top_state *state,
	const struct top_rows *rows, struct grid *g, size_t y)
{
	const struct snapshot_scope *host = view_host(glance->view);
	struct amounts all, screen;
	size_t x;

	amounts_of_sums(host->present, host->q, &all);
	x = draw_total(g, 0, y, "PSS: all", &all);
	if (rows->is_filtered && rows->lack == TOP_ROWS_COMPLETE)
		x = draw_total(g, x, y, "filter", &rows->total);
	if (!rows->shown)
		return;
	x = draw_total(g, x, y, "selected", &top_rows_at(rows, state->index)->amounts);
	top_rows_sum(rows, state->scroll, state->height, &screen);
	x = draw_total(g, x, y, "on screen", &screen);
	draw_known(rows, g, x, y);
}

/* The place of each column on the screen. */
struct layout {
	enum top_column column[TOP_COLUMNS];
	size_t columns;
	size_t x[TOP_COLUMNS], width[TOP_COLUMNS];
};

static void lay_out(const struct top_asks *asks, size_t width, struct layout *ret)
{
	size_t x = 0;

	ret->columns = top_columns_fit(asks->view, width, asks->sort, ret->column);
	for (size_t i = 0; i < ret->columns; i++) {
		bool is_name = ret->column[i] == TOP_COLUMN_NAME;

		ret->x[i] = x;
		ret->width[i] = is_name ? width - x : top_columns_spec(ret->column[i])->width;
		x += ret->width[i] + 1;
	}
}

/* Appends the head of column C, with a mark beside it if rows are sorted by it. */
static void add_head(const struct top_asks *asks, const struct top_known *known, enum top_column c,
	struct buffer *to)
{
	bool is_left = top_columns_spec(c)->is_left, is_utf8 = cell_is_utf8();
	bool is_ascending = top_columns_spec(c)->is_text != asks->is_turned;
	const char *up = is_utf8 ? "\xe2\x96\xb2" : "^", *down = is_utf8 ? "\xe2\x96\xbc" : "v";
	const char *mark = c != asks->sort ? "" : is_ascending ? up : down;

	buffer_add_text(to, is_left ? "" : mark);
	top_columns_add_head(c, asks->view, known, to);
	buffer_add_text(to, is_left ? mark : "");
	buffer_add_char(to, '\0');
}

static void draw_head(const struct top_asks *asks, const struct top_known *known,
	const struct layout *layout, struct grid *g, size_t y)
{
	grid_fill(g, 0, y, g->width, STYLE_HEAD, L' ');
	for (size_t i = 0; i < layout->columns; i++) {
		AUTO_BUFFER struct buffer head = {0};
		enum top_column c = layout->column[i];
		enum style style = c == asks->sort ? STYLE_SORTED : STYLE_HEAD;

		add_head(asks, known, c, &head);
		if (head.error)
			continue;
		if (top_columns_spec(c)->is_left)
			grid_text(g, layout->x[i], y, layout->width[i], style, head.data);
		else
			grid_text_right(g, layout->x[i], y, layout->width[i], style, head.data);
	}
}

/* The characters of a tree, each two columns wide. */
struct branches {
	const char *bar, *last, *other; /* lines to rows below */
	const char *open, *closed, *leaf;
	const char *cut; /* in place of the lines of upper rows */
};

static const struct branches plain_branches = {"| ", "`-", "|-", "- ", "+ ", "  ", ". "};
static const struct branches line_branches = {"\xe2\x94\x82 ", "\xe2\x94\x94\xe2\x94\x80",
	"\xe2\x94\x9c\xe2\x94\x80", "\xe2\x96\xbe ", "\xe2\x96\xb8 ", "\xe2\x94\x80 ",
	"\xe2\x80\xa6 "};

/* Appends the lines of a tree that lead to R, in WIDTH columns: deep rows lack upper lines. */
static void add_branch(const struct top_row *r, size_t width, struct buffer *to)
{
	const struct branches *b = cell_is_utf8() ? &line_branches : &plain_branches;
	uint32_t most = width > 6 ? (uint32_t)(width - 4) / 2 : 1;
	/* Rows without a parent have no line: lines begin with those of depth 1. */
	uint32_t first = r->depth > most ? r->depth - most + 1 : 1;

	if (first > 1)
		buffer_add_text(to, b->cut);
	for (uint32_t d = first; d < r->depth; d++)
		buffer_add_text(to, d < 64 && r->bars >> d & 1 ? b->bar : "  ");
	if (r->depth)
		buffer_add_text(to, r->is_last ? b->last : b->other);
	buffer_add_text(to, r->children ? r->is_open ? b->open : b->closed
			    : r->depth  ? b->leaf
					: "  ");
}

/* Draws the name of R with its branch, and a mark if it has rows below. */
static void draw_name(const struct top_glance *glance, const struct top_state *state,
	const struct top_row *r, struct grid *g, size_t x, size_t y)
{
	AUTO_BUFFER struct buffer branch = {0};
	bool is_found = state->search[0] && top_row_matches(glance->view, r, state->search);

	if (top_state_is_tree(state->asks.view)) {
		add_branch(r, (g->width - x) / 2, &branch);
		buffer_add_char(&branch, '\0');
		if (!branch.error)
			x += grid_text(g, x, y, g->width, STYLE_DIM, branch.data);
	}
	grid_text(g, x, y, g->width, is_found ? STYLE_FOUND : STYLE_NORMAL, r->name);
}

static void draw_row(const struct top_glance *glance, const struct top_state *state,
	const struct layout *layout, const struct top_row *r, struct grid *g, size_t y)
{
	AUTO_BUFFER struct buffer text = {0};

	for (size_t i = 0; i < layout->columns; i++) {
		enum top_column c = layout->column[i];
		enum style style;

		if (c == TOP_COLUMN_NAME) {
			draw_name(glance, state, r, g, layout->x[i], y);
			continue;
		}
		buffer_clear(&text);
		style = top_columns_add(glance, c, r, &text);
		buffer_add_char(&text, '\0');
		if (text.error)
			return;
		if (top_columns_spec(c)->is_left)
			grid_text(g, layout->x[i], y, layout->width[i], style, text.data);
		else
			grid_text_right(g, layout->x[i], y, layout->width[i], style, text.data);
	}
}

/* Says why there are no rows. */
static void draw_lack(const struct top_rows *rows, struct grid *g, size_t y)
{
	if (rows->lack == TOP_ROWS_NO_PROCESSES) {
		grid_text(g, 0, y, g->width, STYLE_BAD,
			"memtallyd shows single processes to root, group memtally and its own user only.");
		grid_text(g, 0, y + 1, g->width, STYLE_NORMAL,
			"memtally top --live measures those that you may see. Keys 1 to 4 show sums.");
	} else if (!rows->shown) {
		grid_text(g, 0, y, g->width, STYLE_NORMAL,
			rows->is_filtered
				? "No row matches. Esc ends the filter and the choice of a user."
				: "There is none.");
	}
}

void list_lines_draw(const struct top_glance *glance, struct top_state *state,
	struct top_rows *rows, struct grid *g, size_t y, size_t bottom)
{
	struct layout layout;

	lay_out(&state->asks, g->width, &layout);
	state->height = bottom > y + 3 ? bottom - y - 3 : 1;
	top_rows_settle(rows, state);
	top_rows_remember(rows, state->scroll, state->height);
	draw_views(glance, state, g, y);
	draw_totals(glance, state, rows, g, y + 1);
	draw_head(&state->asks, &rows->known, &layout, g, y + 2);
	draw_lack(rows, g, y + 3);
	for (size_t i = 0; i < state->height && state->scroll + i < rows->shown; i++) {
		size_t at = state->scroll + i;

		draw_row(glance, state, &layout, top_rows_at(rows, at), g, y + 3 + i);
		if (at == state->index)
			grid_restyle(g, 0, y + 3 + i, g->width, STYLE_SELECTED);
	}
}
