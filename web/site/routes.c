/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/site/routes.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "snapshot/owner.h"
#include "web/assets/assets.h"

#define API            "/api/v1/"
#define PROCESS_PREFIX API "processes/"

/*
 * The metrics must not be configured at one of these paths: config/option.c has the same list. The
 * lists of owners follow these rows.
 */
static const struct route_row rows[] = {
	{"", "", ROUTE_METRICS,
		"all sums and the largest processes, for Prometheus or as OpenMetrics"},
	{"/", "", ROUTE_PAGE, "a page with the host, users and programs, live and with pictures"},
	{API, "", ROUTE_INDEX, "all paths with their parameters; every answer below /api is JSON"},
	{"/api/v1", "", ROUTE_INDEX, "the same as " API, true},
	{API, "host", ROUTE_HOST, "the host as a whole, and where its memory is"},
	{API, "history", ROUTE_HISTORY, "the host and its owners over time"},
	{API, "coverage", ROUTE_COVERAGE,
		"which time memtally-recorder has snapshots of, with its OOM kills and gaps"},
	{API, "processes", ROUTE_PROCESSES, "processes, the largest first"},
	{PROCESS_PREFIX, "PID", ROUTE_PROCESS, "one process"},
	{API, "files", ROUTE_FILES,
		"files that processes map, and whether these are deleted; for root and group memtally, at a "
		"UNIX socket"},
	{API, "status", ROUTE_STATUS, "the state of memtallyd and memtally-web, and their cost"},
	{"/", "readyz", ROUTE_READYZ,
		"200 if there is a fresh snapshot, otherwise 503 and the reason"},
	{"/-/", "ready", ROUTE_READYZ, "the same as /readyz, at the path of Prometheus", true},
	{"/", "healthz", ROUTE_HEALTHZ, "200 while memtally-web runs"},
	{"/", "livez", ROUTE_HEALTHZ, "the same as /healthz, at the path of Kubernetes", true},
	{"/-/", "healthy", ROUTE_HEALTHZ, "the same as /healthz, at the path of Prometheus", true},
	{"/compat/process-exporter/", "metrics", ROUTE_PROCESS_EXPORTER,
		"groups of processes under the names of process-exporter; 404 without "
		"web.compat: process-exporter"},
};

bool routes_row(size_t i, const char *telemetry_path, struct route_row *ret)
{
	const struct owner *owner;

	if (i < ARRAY_SIZE(rows)) {
		*ret = rows[i];
		if (ret->route == ROUTE_METRICS)
			ret->folder = telemetry_path;
		return true;
	}
	i -= ARRAY_SIZE(rows);
	if (i >= OWNER_KINDS)
		return false;
	owner = owner_of((enum owner_kind)i);
	*ret = (struct route_row){.folder = API,
		.name = owner->list,
		.route = (enum route)(ROUTE_OWNERS + i),
		.what = owner->help};
	return true;
}

static bool routes_has_path(const struct route_row *row, const char *path, size_t len)
{
	size_t folder = strlen(row->folder), name = strlen(row->name);

	return row->route != ROUTE_PROCESS && len == folder + name &&
	       !memcmp(path, row->folder, folder) && !memcmp(path + folder, row->name, name);
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
	struct route_row row;

	for (size_t i = 0; routes_row(i, telemetry_path, &row); i++)
		if (routes_has_path(&row, path, len))
			return row.route;
	if (len > prefix && !memcmp(path, PROCESS_PREFIX, prefix) &&
		routes_parse_pid(path + prefix, len - prefix, ret_pid))
		return ROUTE_PROCESS;
	/* No row: the page names these paths, and other builds have others. */
	return assets_find(path, len) ? ROUTE_ASSET : ROUTE_NONE;
}

enum metric_scope routes_list_scope(enum route route)
{
	if (route >= ROUTE_OWNERS)
		return metric_owner_scope((enum owner_kind)(route - ROUTE_OWNERS));
	if (route == ROUTE_FILES)
		return METRIC_FILE;
	return route == ROUTE_PROCESSES ? METRIC_PROCESS : METRIC_SELF;
}
