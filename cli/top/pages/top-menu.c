/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/top-menu.h"

#include <string.h>

#include "cli/top/rows/top-columns.h"

/* Returns the name of the next user from row *K on, which moves behind it; NULL: there is none. */
static const char *next_user(const struct view *view, uint32_t *k)
{
	while (view && *k < view_count(view, METRIC_USER)) {
		const struct snapshot_scope *row = view_scope(view, METRIC_USER, (*k)++);

		if (!(row->flags & SCOPE_OTHER) && row->q[SCOPE_PROCESSES])
			return view_text(view, row->name);
	}
	return NULL;
}

const char *top_menu_user(const struct view *view, size_t i)
{
	const char *name = "";
	uint32_t k = 0;

	while (i-- > 0 && name)
		name = next_user(view, &k);
	return name;
}

size_t top_menu_find_user(const struct view *view, const char *name, size_t line)
{
	const char *user = "";
	size_t count = 0;
	uint32_t k = 0;

	for (; user; user = next_user(view, &k), count++)
		if (!strcmp(user, name))
			return count;
	return line < count ? line : count - 1;
}

enum top_column top_menu_column(size_t i)
{
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (top_columns_spec((enum top_column)c)->key && i-- == 0)
			return (enum top_column)c;
	return TOP_COLUMNS;
}

size_t top_menu_count(enum top_page page, const struct view *view)
{
	size_t i = 0;
	uint32_t k = 0;

	if (page == TOP_PAGE_USERS) {
		for (i = 1; next_user(view, &k);)
			i++;
		return i;
	}
	while (top_menu_column(i) != TOP_COLUMNS)
		i++;
	return i;
}
