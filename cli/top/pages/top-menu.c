/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/pages/top-menu.h"

#include "cli/top/rows/top-columns.h"

const char *top_menu_user(const struct view *view, size_t i)
{
	if (i == 0)
		return "";
	for (uint32_t k = 0; view && k < view_count(view, METRIC_USER); k++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_USER, k);

		if (row->flags & SCOPE_OTHER || !row->q[SCOPE_PROCESSES])
			continue;
		if (--i == 0)
			return view_text(view, row->name);
	}
	return NULL;
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

	while (page == TOP_PAGE_USERS ? top_menu_user(view, i) != NULL
				      : top_menu_column(i) != TOP_COLUMNS)
		i++;
	return i;
}
