/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes
 *
 * Maps a path to its answer: one table of exact paths, from which the page, the list of routes and
 * docs/openapi.yaml are made, too. A path is compared byte by byte as the client sent it. It is not
 * decoded or normalized, so "%2e", "//" or an absolute URI never become a known path. Pure.
 */
#ifndef MEMTALLY_WEB_SITE_ROUTES_H
#define MEMTALLY_WEB_SITE_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/metric.h"

enum route {
	ROUTE_NONE,
	ROUTE_METRICS,
	ROUTE_PAGE,
	ROUTE_ASSET, /* the style sheet or the script of the page */
	ROUTE_HEALTHZ,
	ROUTE_READYZ,
	ROUTE_INDEX, /* the list of routes */
	ROUTE_STATUS,
	ROUTE_HOST,
	ROUTE_HISTORY,
	ROUTE_COVERAGE, /* of the past: which time is recorded */
	ROUTE_FILES,
	ROUTE_PROCESSES,
	ROUTE_PROCESS,          /* one process, by pid */
	ROUTE_PROCESS_EXPORTER, /* the metrics of process-exporter, if web.compat asks for them */
	ROUTE_OWNERS,           /* lists of owners: one for each enum owner_kind */
};

/* A row of the table. */
struct route_row {
	/* The path is .folder and then .name. PID stands for a number. */
	const char *folder, *name;
	enum route route;
	/* The answer, for people: text that needs no escapes in HTML and JSON */
	const char *what;
	bool is_alias; /* a row before this one has the same route */
};

/*
 * Writes row I of the table to *RET. TELEMETRY_PATH is the path of the metrics, and stays borrowed.
 * Returns false if the table has no such row.
 */
bool routes_row(size_t i, const char *telemetry_path, struct route_row *ret);

/*
 * Returns the route of PATH, LEN bytes; ROUTE_NONE if there is none. TELEMETRY_PATH is the path of
 * the metrics. For ROUTE_PROCESS the pid is in *RET_PID; a pid is written without leading zeros, as
 * the kernel writes it.
 */
enum route routes_find(const char *path, size_t len, const char *telemetry_path, uint32_t *ret_pid);

/* Returns which rows the list of ROUTE has; METRIC_SELF if ROUTE is no list. */
enum metric_scope routes_list_scope(enum route route);

#endif
