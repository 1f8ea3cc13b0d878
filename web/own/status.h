/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web's Own Status
 *
 * Renders memtally-web's own part of every /metrics body, at its end, and of /api/v1/status. Both
 * exist with and without a snapshot. Their length is the same from one answer to the next.
 */
#ifndef MEMTALLY_WEB_OWN_STATUS_H
#define MEMTALLY_WEB_OWN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "render/prometheus.h"
#include "snapshot/past.h"
#include "snapshot/view.h"
#include "web/own/counters.h"
#include "web/own/self.h"

struct status {
	const struct view *view; /* borrowed; NULL: no snapshot yet */
	bool is_fresh;           /* there is a snapshot, and it is not stale */
	bool is_connected;
	/* Why there is no snapshot of the past that was asked for; NULL: there is, or none was. */
	const char *past_problem;
	const char *sums_only; /* why the caller sees no processes; NULL: it sees some */
	uint64_t snapshots_received, snapshots_refused;
	uint64_t history_bytes;           /* memory of the points of the last hour */
	const struct past_growth *growth; /* borrowed, PAST_GROWTH_SCOPES; NULL: not known */
	const struct counters *counters;
	const struct self *self;
	uint64_t now_boottime_ns;
};

/*
 * Appends memtally-web's metric families in FORMAT and the end of the body to TO. They come after
 * the snapshot's own families.
 */
void status_render_metrics(
	const struct status *s, enum prometheus_format format, struct buffer *to);

/*
 * Appends `"web":{...}` to TO. Adds to *SLACK the blanks that the caller has to add later
 * (web/own/fixed-width.h).
 */
void status_render_json(const struct status *s, struct buffer *to, size_t *slack);

#endif
