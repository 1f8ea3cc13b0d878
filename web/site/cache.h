/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Body Cache
 *
 * Bodies that depend on the snapshot only, not on the client. Each is rendered when it is first
 * asked for, once for each snapshot; all clients that may see it are sent the same bytes. A body is
 * reference-counted: it lives while an answer sends it, even if its snapshot has been replaced.
 */
#ifndef MEMTALLY_WEB_SITE_CACHE_H
#define MEMTALLY_WEB_SITE_CACHE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "render/prometheus.h"
#include "snapshot/view.h"
#include "web/http/gzip.h"

enum cache_body {
	CACHE_TEXT, /* in the order of enum prometheus_format */
	CACHE_OPENMETRICS,
	CACHE_TEXT_GZIP,
	CACHE_OPENMETRICS_GZIP,
	CACHE_SUMS_TEXT, /* the same four without processes */
	CACHE_SUMS_OPENMETRICS,
	CACHE_SUMS_TEXT_GZIP,
	CACHE_SUMS_OPENMETRICS_GZIP,
	CACHE_HOST,   /* JSON after the head (render/json.h) */
	CACHE_OWNERS, /* JSON lists of owners: one for each enum owner_kind */
	CACHE_PROCESSES = CACHE_OWNERS + OWNER_KINDS,
	CACHE_EXPORTED,         /* JSON list of processes that have series */
	CACHE_PROCESS_EXPORTER, /* the metrics of process-exporter */
	CACHE_BODIES
};

struct body {
	unsigned int refs;
	struct buffer data;
	struct gzip_front front; /* of compressed bodies only */
};

/* Drops a reference, and frees BODY with the last one. */
struct body *body_unref(struct body *body); /* accepts NULL; returns NULL */

static inline void cleanup_body(struct body **body)
{
	body_unref(*body);
}
#define AUTO_BODY CLEANUP(cleanup_body)

struct cache {
	struct view *view;               /* owned reference; NULL: no snapshot yet */
	uint32_t exported;               /* number of processes that have series */
	struct body *body[CACHE_BODIES]; /* owned references; NULL: not rendered yet */
};

/* Drops the bodies and the snapshot. */
void cache_done(struct cache *c);

/*
 * Replaces the snapshot by VIEW, drops all bodies, and takes over the caller's reference to VIEW.
 * VIEW may be NULL.
 */
void cache_replace(struct cache *c, struct view *view);

/*
 * Drops all bodies and keeps the snapshot. Call it when the snapshot is stale, since no body is
 * sent then.
 */
void cache_drop(struct cache *c);

/*
 * Returns true if the list of SCOPE for SIGHT can be had from cache_get(). It can if it has at most
 * 512 rows, and is neither the list of one user's processes nor the list of files. Other lists are
 * rendered piece by piece (web/site/list-stream.h). There must be a snapshot.
 */
bool cache_keeps_list(const struct cache *c, enum metric_scope scope, const struct sight *sight);

/*
 * Writes to *RET a reference to body WHICH of the snapshot, which the caller drops; renders the
 * body first if necessary. There must be a snapshot. Returns 0 or -ENOMEM.
 */
int cache_get(struct cache *c, enum cache_body which, struct body **ret);

/*
 * Returns which body has the metrics in FORMAT, compressed if GZIP, with series of processes if
 * HAS_PROCESSES.
 */
static inline enum cache_body cache_metrics(
	enum prometheus_format format, bool gzip, bool has_processes)
{
	return (enum cache_body)((has_processes ? CACHE_TEXT : CACHE_SUMS_TEXT) +
				 (gzip ? CACHE_TEXT_GZIP : CACHE_TEXT) + (int)format);
}

/* Returns which body has the list of SCOPE for SIGHT, if cache_keeps_list() is true. */
static inline enum cache_body cache_list(enum metric_scope scope, const struct sight *sight)
{
	if (scope == METRIC_PROCESS && sight->kind == SIGHT_EXPORTED)
		return CACHE_EXPORTED;
	return (enum cache_body)(CACHE_OWNERS + (int)scope - METRIC_USER);
}

#endif
