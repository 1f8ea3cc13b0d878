/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-metric.h"

#include <string.h>

static const struct history_metric metrics[HISTORY_METRICS] = {
	{"pss_bytes", RING_PSS, true, true, USAGE_PSS},
	{"uss_bytes", RING_USS, false, true, USAGE_QUANTITIES},
	{"rss_bytes", RING_RSS, false, true, USAGE_QUANTITIES},
	{"swap_pss_bytes", RING_SWAP_PSS, false, true, USAGE_SWAP},
	{"vm_swap_bytes", RING_VM_SWAP, false, true, USAGE_QUANTITIES},
	{"processes", RING_PROCESSES, false, false, USAGE_PROCESSES},
};

const struct history_metric *history_metric_row(size_t i)
{
	return &metrics[i];
}

const struct history_metric *history_metric_find(const char *name)
{
	for (size_t i = 0; i < HISTORY_METRICS; i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}
