/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies that depend on nothing but the snapshot, and on nobody who asks: each is rendered when it is first
 * asked for, once for each snapshot, and then sent to all who may have it from the same bytes. A body lives as long as an answer
 * still sends it, even when its snapshot has been replaced.
 */
#ifndef MEMTALLY_WEB_CACHE_H
#define MEMTALLY_WEB_CACHE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "render/prometheus.h"
#include "snapshot/view.h"
#include "web/gzip.h"

enum cache_body {
	CACHE_TEXT, /* as enum prometheus_format has them */
	CACHE_OPENMETRICS,
	CACHE_TEXT_GZIP,
	CACHE_OPENMETRICS_GZIP,
	CACHE_SUMS_TEXT, /* the same without processes */
	CACHE_SUMS_OPENMETRICS,
	CACHE_SUMS_TEXT_GZIP,
	CACHE_SUMS_OPENMETRICS_GZIP,
	CACHE_HOST,   /* JSON, without the head */
	CACHE_OWNERS, /* lists: this and those behind it, by enum owner_kind */
	CACHE_PROCESSES = CACHE_OWNERS + OWNER_KINDS,
	CACHE_EXPORTED, /* the list of those that have series */
	CACHE_BODIES
};

struct body {
	unsigned int refs;
	struct buffer data;
	struct gzip_front front; /* of the compressed ones */
};

struct body *body_unref(struct body *body); /* accepts NULL; returns NULL */

static inline void cleanup_body(struct body **body)
{
	body_unref(*body);
}
#define AUTO_BODY CLEANUP(cleanup_body)

struct cache {
	struct view *view; /* NULL: there was no snapshot yet */
	uint32_t exported; /* processes that have series */
	struct body *body[CACHE_BODIES];
};

void cache_done(struct cache *c);

/* Puts VIEW (consumed; may be NULL) in the place of the snapshot before. */
void cache_replace(struct cache *c, struct view *view);

/* Lets go of the bodies, which nobody will ask for while the snapshot is stale. */
void cache_drop(struct cache *c);

/*
 * Whether the list of SCOPE, of processes those that SIGHT has, is kept: it is short enough, and not a single user's nor of files.
 * Others are rendered piecewise.
 */
bool cache_keeps_list(const struct cache *c, enum metric_scope scope, const struct sight *sight);

/* The body of a METRICS format or of a list. There must be a view. *ret is a reference. -ENOMEM. */
int cache_get(struct cache *c, enum cache_body which, struct body **ret);

static inline enum cache_body cache_metrics(
	enum prometheus_format format, bool gzip, bool has_processes)
{
	return (enum cache_body)((has_processes ? CACHE_TEXT : CACHE_SUMS_TEXT) +
				 (gzip ? CACHE_TEXT_GZIP : CACHE_TEXT) + (int)format);
}

static inline enum cache_body cache_list(enum metric_scope scope, const struct sight *sight)
{
	if (scope == METRIC_PROCESS && sight->kind == SIGHT_EXPORTED)
		return CACHE_EXPORTED;
	return (enum cache_body)(CACHE_OWNERS + (int)scope - METRIC_USER);
}

#endif
