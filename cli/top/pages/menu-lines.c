/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/menu-lines.h"

#include "cli/top/pages/top-menu.h"
#include "cli/top/rows/top-columns.h"

/* Returns item I of the menu that is open; NULL: there are only I. */
static const char *menu_item(const struct top_state *state, const struct view *view, size_t i)
{
	enum top_column c;
	const char *user;

	if (state->page == TOP_PAGE_COLUMNS) {
		c = top_menu_column(i);
		return c == TOP_COLUMNS ? NULL : top_columns_spec(c)->help;
	}
	user = top_menu_user(view, i);
	return user && !*user ? "(all users)" : user;
}

void menu_lines_draw(struct top_state *state, const struct view *view, struct grid *g, size_t width,
	size_t y, size_t bottom)
{
	bool is_columns = state->page == TOP_PAGE_COLUMNS;
	size_t height = bottom > y + 1 ? bottom - y - 1 : 0, first;
	const char *item;

	grid_text(g, 0, y, width, STYLE_HEAD, is_columns ? "Sort by" : "Show only this user");
	state->height = height;
	if (!is_columns)
		state->line = top_menu_find_user(view, state->item, state->line);
	first = height && state->line >= height ? state->line - height + 1 : 0;
	for (size_t i = first; i < first + height && (item = menu_item(state, view, i)); i++) {
		enum style style = i == state->line ? STYLE_SELECTED : STYLE_NORMAL;
		size_t at = y + 1 + i - first, x = 2;

		grid_fill(g, 0, at, width, style, L' ');
		if (is_columns) {
			const struct top_column_spec *c = top_columns_spec(top_menu_column(i));
			const char key[] = {c->key, '\0'};

			grid_text(g, x, at, 1, style, key);
			grid_text(g, x + 3, at, 11, style, c->name);
			x += 15;
		}
		grid_text(g, x, at, width > x ? width - x : 0, style, item);
	}
}
