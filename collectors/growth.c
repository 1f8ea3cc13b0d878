/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/growth.h"

uint64_t growth_add_hwm(struct growth *g, uint64_t vm_hwm_bytes)
{
	uint64_t added = 0;

	if (!g->has_hwm) {
		g->has_hwm = true;
		g->hwm_top_bytes = vm_hwm_bytes;
	} else if (vm_hwm_bytes > g->hwm_top_bytes) {
		added = vm_hwm_bytes - g->hwm_top_bytes;
		g->hwm_top_bytes = vm_hwm_bytes;
		g->hwm_bytes += added;
	}
	return added;
}

uint64_t growth_add_swap(struct growth *g, uint64_t vm_swap_bytes)
{
	uint64_t added = 0;

	if (g->has_swap && vm_swap_bytes > g->swap_last_bytes)
		added = vm_swap_bytes - g->swap_last_bytes;
	g->has_swap = true;
	g->swap_last_bytes = vm_swap_bytes;
	g->swap_bytes += added;
	return added;
}
