/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/driver.h"

#include "base/clock.h"
#include "base/saturate.h"

#define KIB           UINT64_C(1024)
#define THRESHOLD_MIN (UINT64_C(1) << 20)
#define MOVED_NS                                                                                   \
	(10 * NS_PER_SEC) /* pause after a reading because RssFile has changed, or after a deferral */
#define RENEW_NS (60 * NS_PER_SEC)

enum { THRESHOLD_PART = 2048 };

uint64_t driver_threshold(uint64_t total)
{
	return saturate_max(total / THRESHOLD_PART, THRESHOLD_MIN);
}

static uint32_t to_kib(uint64_t bytes)
{
	return (uint32_t)saturate_min(bytes / KIB, UINT32_MAX);
}

uint64_t driver_moved(const struct driver_share *d)
{
	return saturate_distance(d->seen_kib, d->file_kib) * KIB;
}

void driver_see(struct driver_share *d, const struct snapshot_process *row, uint64_t threshold,
	uint64_t now_ns)
{
	bool has_moved;

	d->is_wanted = false;
	if (!ROW_HAS(row, PROCESS_RSS_FILE))
		return;
	d->seen_kib = to_kib(row->q[PROCESS_RSS_FILE]);
	if (now_ns < d->next_ns)
		return;
	has_moved = driver_moved(d) >= threshold;
	d->is_wanted = has_moved || (d->pss_kib && now_ns >= d->next_ns + (RENEW_NS - MOVED_NS));
}

static uint64_t driver_most_of(const struct snapshot_process *row)
{
	return row->q[ROW_HAS(row, PROCESS_PSS_FILE) ? PROCESS_PSS_FILE : PROCESS_PSS];
}

struct driver_amounts driver_amounts(
	const struct driver_share *d, const struct snapshot_process *row)
{
	uint64_t most = driver_most_of(row), grown = saturate_less(d->seen_kib, d->file_kib) * KIB;
	struct driver_amounts a = {.pss = saturate_min(d->pss_kib * KIB, most)};

	a.vmalloc = saturate_min(d->vmalloc_kib * KIB, a.pss);
	a.unread = saturate_min(grown, most - a.pss);
	return a;
}

void driver_found(struct driver_share *d, uint64_t pss, uint64_t vmalloc, uint64_t now_ns)
{
	d->pss_kib = to_kib(pss);
	d->vmalloc_kib = to_kib(vmalloc);
	d->file_kib = d->seen_kib;
	d->next_ns = now_ns + MOVED_NS;
	d->is_wanted = false;
}

void driver_asked(struct driver_share *d, uint64_t now_ns)
{
	d->next_ns = now_ns + RENEW_NS;
	d->is_wanted = false;
}

void driver_deferred(struct driver_share *d, uint64_t now_ns)
{
	d->next_ns = now_ns + MOVED_NS;
	d->is_wanted = false;
}
