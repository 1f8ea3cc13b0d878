/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/routes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"

#define PROCESS_PREFIX "/api/v1/processes/"

/* No path of these may be configured for the metrics: config/option.c has them, too. */
static const struct {
	const char *path;
	enum route route;
} routes[] = {
	{"/", ROUTE_PAGE},
	{"/healthz", ROUTE_HEALTHZ},
	{"/readyz", ROUTE_READYZ},
	{"/api/v1/status", ROUTE_STATUS},
	{"/api/v1/host", ROUTE_HOST},
	{"/api/v1/users", ROUTE_USERS},
	{"/api/v1/programs", ROUTE_PROGRAMS},
	{"/api/v1/units", ROUTE_UNITS},
	{"/api/v1/processes", ROUTE_PROCESSES},
};

static bool is_path(const char *path, size_t len, const char *known)
{
	return len == strlen(known) && !memcmp(path, known, len);
}

static bool parse_pid(const char *text, size_t len, uint32_t *ret)
{
	uint64_t pid;

	if (!len || text[0] == '0' || number_parse_u64(text, len, &pid) < 0 || pid > INT32_MAX)
		return false;
	*ret = (uint32_t)pid;
	return true;
}

enum route routes_find(const char *path, size_t len, const char *telemetry_path, uint32_t *ret_pid)
{
	size_t prefix = strlen(PROCESS_PREFIX);

	if (is_path(path, len, telemetry_path))
		return ROUTE_METRICS;
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
		if (is_path(path, len, routes[i].path))
			return routes[i].route;
	if (len > prefix && !memcmp(path, PROCESS_PREFIX, prefix) &&
		parse_pid(path + prefix, len - prefix, ret_pid))
		return ROUTE_PROCESS;
	return ROUTE_NONE;
}

enum metric_scope routes_list_scope(enum route route)
{
	switch (route) {
	case ROUTE_USERS: return METRIC_USER;
	case ROUTE_PROGRAMS: return METRIC_PROGRAM;
	case ROUTE_UNITS: return METRIC_UNIT;
	case ROUTE_PROCESSES: return METRIC_PROCESS;
	default: return METRIC_SELF;
	}
}
