/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is served where: one table of exact paths. A path is compared as it came, byte by byte; nothing
 * in it is decoded or tidied up, so that "%2e", "//" or an absolute URI never become a known path. Pure.
 */
#ifndef MEMTALLY_WEB_ROUTES_H
#define MEMTALLY_WEB_ROUTES_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/metric.h"

enum route {
	ROUTE_NONE,
	ROUTE_METRICS,
	ROUTE_PAGE,
	ROUTE_HEALTHZ,
	ROUTE_READYZ,
	ROUTE_STATUS,
	ROUTE_HOST,
	ROUTE_FILES,
	ROUTE_PROCESSES,
	ROUTE_PROCESS, /* one of them, by pid */
	ROUTE_OWNERS,  /* lists: this and those behind it, by enum owner_kind */
};

/*
 * The route of PATH, where TELEMETRY_PATH is that of the metrics. *ret_pid is set for ROUTE_PROCESS;
 * a pid is written as the kernel writes it, without leading zeros.
 */
enum route routes_find(const char *path, size_t len, const char *telemetry_path, uint32_t *ret_pid);

/* The rows of a list's route; METRIC_SELF for a route that is no list. */
enum metric_scope routes_list_scope(enum route route);

#endif
