/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List of Routes
 *
 * The answer at /api/v1/: every path that memtally-web serves, the answer there, and the parameters
 * that it takes.
 */
#ifndef MEMTALLY_WEB_SITE_ROUTE_LIST_H
#define MEMTALLY_WEB_SITE_ROUTE_LIST_H

#include "base/buffer.h"
#include "snapshot/query.h"
#include "web/site/routes.h"

/* Those of a list, and the moment. */
enum { ROUTE_LIST_PARAMETERS_MAX = QUERY_PARAMETERS_MAX + 1 };

/*
 * Writes the names of all parameters at ROUTE to RET, and returns their number.
 */
size_t route_list_parameters(enum route route, const char *ret[static ROUTE_LIST_PARAMETERS_MAX]);

/*
 * Appends `{"routes":[{"path":...,"what":...,"parameters":[...]},...]}` and a newline to TO.
 * TELEMETRY_PATH is the path of the metrics; the option table (config/option.c) accepts only paths
 * that need no escaping.
 */
void route_list_render(const char *telemetry_path, struct buffer *to);

#endif
