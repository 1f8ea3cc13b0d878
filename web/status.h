/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web on itself: the live end of every /metrics body, and its part of /api/v1/status. Both are
 * there with and without a snapshot, and both keep their length from one answer to the next.
 */
#ifndef MEMTALLY_WEB_STATUS_H
#define MEMTALLY_WEB_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "render/prometheus.h"
#include "snapshot/view.h"
#include "web/counters.h"
#include "web/self.h"

struct status {
	const struct view *view; /* NULL: there was no snapshot yet */
	bool is_fresh;           /* there is one, and it is not stale */
	bool is_connected;
	uint64_t snapshots_received, snapshots_refused;
	const struct counters *counters;
	const struct self *self;
	uint64_t now_boottime_ns;
};

/* The families that follow a snapshot's own in FORMAT, and the body's end. */
void status_render_metrics(
	const struct status *s, enum prometheus_format format, struct buffer *to);

/* `"web":{...}`; *slack grows by the blanks that are owed (web/steady.h). */
void status_render_json(const struct status *s, struct buffer *to, size_t *slack);

#endif
