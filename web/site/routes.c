/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/routes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "snapshot/owner.h"

#define API_PREFIX     "/api/v1/"
#define PROCESS_PREFIX API_PREFIX "processes/"

/* The metrics must not be configured at one of these paths: config/option.c has the same list. */
static const struct {
	const char *path;
	enum route route;
} routes[] = {
	{"/", ROUTE_PAGE},
	{"/healthz", ROUTE_HEALTHZ},
	{"/livez", ROUTE_HEALTHZ},
	{"/-/healthy", ROUTE_HEALTHZ},
	{"/readyz", ROUTE_READYZ},
	{"/-/ready", ROUTE_READYZ},
	{"/api/v1/status", ROUTE_STATUS},
	{"/api/v1/host", ROUTE_HOST},
	{"/api/v1/files", ROUTE_FILES},
	{"/api/v1/processes", ROUTE_PROCESSES},
};

static bool is_path(const char *path, size_t len, const char *known)
{
	return len == strlen(known) && !memcmp(path, known, len);
}

static bool is_list(const char *path, size_t len, const char *list)
{
	size_t prefix = strlen(API_PREFIX);

	return len > prefix && !memcmp(path, API_PREFIX, prefix) &&
	       is_path(path + prefix, len - prefix, list);
}

static bool routes_parse_pid(const char *text, size_t len, uint32_t *ret)
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
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
		if (is_list(path, len, owner_of((enum owner_kind)kind)->list))
			return (enum route)(ROUTE_OWNERS + kind);
	if (len > prefix && !memcmp(path, PROCESS_PREFIX, prefix) &&
		routes_parse_pid(path + prefix, len - prefix, ret_pid))
		return ROUTE_PROCESS;
	return ROUTE_NONE;
}

enum metric_scope routes_list_scope(enum route route)
{
	if (route >= ROUTE_OWNERS)
		return metric_owner_scope((enum owner_kind)(route - ROUTE_OWNERS));
	if (route == ROUTE_FILES)
		return METRIC_FILE;
	return route == ROUTE_PROCESSES ? METRIC_PROCESS : METRIC_SELF;
}
