/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/route-list.h"

#include <assert.h>

#include "web/history/history-query.h"

static_assert((int)HISTORY_QUERY_PARAMETERS <= (int)QUERY_PARAMETERS_MAX,
	"callers have room for the parameters of each route");

size_t route_list_parameters(enum route route, const char *ret[static QUERY_PARAMETERS_MAX])
{
	enum metric_scope scope = routes_list_scope(route);

	if (route == ROUTE_HISTORY) {
		for (size_t i = 0; i < HISTORY_QUERY_PARAMETERS; i++)
			ret[i] = history_query_parameter(i);
		return HISTORY_QUERY_PARAMETERS;
	}
	return scope == METRIC_SELF ? 0 : query_parameters(scope, ret);
}

static void route_list_add_parameters(enum route route, struct buffer *to)
{
	const char *names[QUERY_PARAMETERS_MAX];
	size_t count = route_list_parameters(route, names);

	for (size_t i = 0; i < count; i++)
		buffer_printf(to, "%s\"%s\"", i ? "," : "", names[i]);
}

static void route_list_add_row(const struct route_row *row, struct buffer *to)
{
	buffer_printf(to, "{\"path\":\"%s%s\",\"what\":\"%s\",\"parameters\":[", row->folder,
		row->name, row->what);
	route_list_add_parameters(row->route, to);
	buffer_add_text(to, "]}");
}

void route_list_render(const char *telemetry_path, struct buffer *to)
{
	struct route_row row;

	buffer_add_text(to, "{\"routes\":[");
	for (size_t i = 0; routes_row(i, telemetry_path, &row); i++) {
		if (i)
			buffer_add_char(to, ',');
		route_list_add_row(&row, to);
	}
	buffer_add_text(to, "]}\n");
}
