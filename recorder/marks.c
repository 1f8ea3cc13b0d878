/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/marks.h"

#include <string.h>

#include "base/clock.h"
#include "snapshot/past.h"

/* A gap is longer than this many intervals. */
enum { GAP_INTERVALS = 3 };

/*
 * By so much the time at which the host started, as two snapshots tell it, may differ if it is the
 * same start: the clock is set, and slewed.
 */
#define START_SLACK_NS (60 * NS_PER_SEC)

static bool is_same_instance(const struct marks *m, const struct view *view)
{
	return !memcmp(m->instance, view->header->instance, sizeof(m->instance));
}

/* Returns whether the host has not started again since the last snapshot. */
static bool is_same_boot(const struct marks *m, const struct view *view)
{
	int64_t then = (int64_t)(m->realtime_ns - m->boottime_ns);
	int64_t now = (int64_t)(view->header->realtime_ns - view->header->boottime_ns);
	int64_t moved = now > then ? now - then : then - now;

	return is_same_instance(m, view) ||
	       (view->header->boottime_ns >= m->boottime_ns && moved <= (int64_t)START_SLACK_NS);
}

bool marks_is_known(const struct marks *m, const struct view *view)
{
	return m->has_last && is_same_instance(m, view) && view->header->sequence <= m->sequence;
}

static bool has_kills(const struct marks *m, const struct view *view)
{
	const struct snapshot_scope *host = view_host(view);

	return m->has_kills && ROW_HAS(host, SCOPE_OOM_KILLS) &&
	       host->q[SCOPE_OOM_KILLS] > m->kills && is_same_boot(m, view);
}

/* Returns whether memtallyd published snapshots between the last one and VIEW. */
static bool has_lost(const struct marks *m, const struct view *view)
{
	return is_same_instance(m, view) && view->header->sequence > m->sequence + 1;
}

/*
 * Across a start of the host CLOCK_BOOTTIME tells nothing, and at other times CLOCK_REALTIME may have
 * been set.
 */
static bool has_gap(const struct marks *m, const struct view *view)
{
	bool by_boot = is_same_boot(m, view);
	uint64_t now = by_boot ? view->header->boottime_ns : view->header->realtime_ns;
	uint64_t then = by_boot ? m->boottime_ns : m->realtime_ns;

	return now > then && (now - then) / GAP_INTERVALS > m->interval_ns;
}

uint32_t marks_of(const struct marks *m, const struct view *view)
{
	uint32_t marks = view->header->flags & IMAGE_PRESSURE ? PAST_MARK_PRESSURE : 0;

	if (!m->has_last)
		return marks | (view->header->sequence == 1 ? PAST_MARK_START : 0);
	if (!is_same_instance(m, view))
		marks |= PAST_MARK_START;
	if (has_kills(m, view))
		marks |= PAST_MARK_OOM;
	if (has_lost(m, view) || has_gap(m, view))
		marks |= PAST_MARK_GAP;
	return marks;
}

void marks_remember(struct marks *m, const struct view *view)
{
	const struct image_header *h = view->header;
	const struct snapshot_scope *host = view_host(view);

	*m = (struct marks){
		.has_last = true,
		.sequence = h->sequence,
		.realtime_ns = h->realtime_ns,
		.boottime_ns = h->boottime_ns,
		.interval_ns = h->interval_ns,
		.has_kills = ROW_HAS(host, SCOPE_OOM_KILLS),
		.kills = host->q[SCOPE_OOM_KILLS],
	};
	memcpy(m->instance, h->instance, sizeof(m->instance));
}
