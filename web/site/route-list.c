/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/route-list.h"

#include <assert.h>

#include "web/history/history-query.h"
#include "web/sources/moment.h"

static_assert((int)HISTORY_QUERY_PARAMETERS <= (int)ROUTE_LIST_PARAMETERS_MAX,
	"callers have room for the parameters of each route");

size_t route_list_parameters(enum route route, const char *ret[static ROUTE_LIST_PARAMETERS_MAX])
{
	enum metric_scope scope = routes_list_scope(route);
	size_t count = 0;

	if (route == ROUTE_HISTORY) {
		for (size_t i = 0; i < HISTORY_QUERY_PARAMETERS; i++)
			ret[i] = history_query_parameter(i);
		return HISTORY_QUERY_PARAMETERS;
	}
	if (route == ROUTE_COVERAGE) {
		ret[0] = "from";
		ret[1] = "to";
		return 2;
	}
	if (scope != METRIC_SELF)
		count = query_parameters(scope, ret);
	else if (route != ROUTE_HOST && route != ROUTE_STATUS && route != ROUTE_PROCESS)
		return 0;
	ret[count] = MOMENT_KEY;
	return count + 1;
}

static void route_list_add_parameters(enum route route, struct buffer *to)
{
	const char *names[ROUTE_LIST_PARAMETERS_MAX];
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
