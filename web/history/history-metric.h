/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics with a history
 *
 * The table of quantities for which memtally-web keeps points, and which of them memtally-ledger
 * keeps, too.
 */
#ifndef MEMTALLY_WEB_HISTORY_METRIC_H
#define MEMTALLY_WEB_HISTORY_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/usage.h"
#include "web/history/ring.h"

struct history_metric {
	const char *name; /* the JSON field of the rows of owners (snapshot/metric.h) */
	enum ring_quantity value;
	bool has_bounds; /* RING_PSS_LOW and RING_PSS_HIGH are its bounds */
	bool is_bytes;
	/* The ledger's sum over time; USAGE_QUANTITIES: the ledger does not keep it. */
	enum usage_quantity usage;
};

enum { HISTORY_METRICS = 6 };

/* Returns row I of the table, below HISTORY_METRICS. */
const struct history_metric *history_metric_row(size_t i);

/* Returns the metric with NAME; NULL: it has no history. */
const struct history_metric *history_metric_find(const char *name);

#endif
