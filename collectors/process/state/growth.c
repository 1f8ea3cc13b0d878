/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/growth.h"

#include "base/saturate.h"
#include "snapshot/metric.h"

/*
 * Returns by how much BYTES is above *TOP, the highest value so far, and raises *TOP. The first
 * value adds nothing.
 */
static uint64_t raise_mark(bool *has, uint64_t *top, uint64_t bytes)
{
	uint64_t added = *has && bytes > *top ? bytes - *top : 0;

	if (!*has || added)
		*top = bytes;
	*has = true;
	return added;
}

static uint64_t growth_take_swap(struct growth *g, uint64_t vm_swap_bytes)
{
	uint64_t added = 0;

	if (g->has_swap && vm_swap_bytes > g->swap_last_bytes)
		added = vm_swap_bytes - g->swap_last_bytes;
	g->has_swap = true;
	g->swap_last_bytes = vm_swap_bytes;
	return added;
}

static uint64_t take_anon(struct growth *g, uint64_t anon_bytes, uint64_t now_ns)
{
	growth_rate_add(&g->anon, anon_bytes, now_ns);
	return raise_mark(&g->has_anon, &g->anon_top_bytes, anon_bytes);
}

void growth_show(const struct growth *g, struct snapshot_process *row, uint64_t boottime_ns)
{
	double slope, error;

	if (g->has_hwm)
		ROW_SET(row, PROCESS_VM_HWM_GROWTH, g->hwm_bytes);
	if (g->has_swap)
		ROW_SET(row, PROCESS_VM_SWAP_GROWTH, g->swap_bytes);
	if (g->has_anon)
		ROW_SET(row, PROCESS_ANON_GROWTH, g->anon_bytes);
	if (g->since_ns)
		ROW_SET(row, PROCESS_SEEN, boottime_ns - g->since_ns);
	if (growth_rate_slope(&g->anon, &slope, &error)) {
		ROW_SET(row, PROCESS_ANON_SLOPE, metric_real_bits(slope));
		ROW_SET(row, PROCESS_ANON_SLOPE_ERROR, metric_real_bits(error));
	}
}

struct growth_step growth_take(
	struct growth *g, struct snapshot_process *row, uint64_t now_ns, uint64_t boottime_ns)
{
	struct growth_step step = {0};

	if (ROW_HAS(row, PROCESS_VM_HWM))
		step.hwm_bytes = raise_mark(&g->has_hwm, &g->hwm_top_bytes, row->q[PROCESS_VM_HWM]);
	if (ROW_HAS(row, PROCESS_VM_SWAP))
		step.swap_bytes = growth_take_swap(g, row->q[PROCESS_VM_SWAP]);
	if (ROW_HAS(row, PROCESS_RSS_ANON) && ROW_HAS(row, PROCESS_VM_SWAP))
		step.anon_bytes = take_anon(
			g, saturate_add(row->q[PROCESS_RSS_ANON], row->q[PROCESS_VM_SWAP]), now_ns);
	g->hwm_bytes += step.hwm_bytes;
	g->swap_bytes += step.swap_bytes;
	g->anon_bytes += step.anon_bytes;
	if (!g->since_ns && (g->has_hwm || g->has_swap))
		g->since_ns = boottime_ns;
	growth_show(g, row, boottime_ns);
	return step;
}
