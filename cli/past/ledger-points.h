/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a series (cli/past/past-series.h) from memtally-ledger, for time that is not recorded. */
#ifndef MEMTALLY_CLI_PAST_LEDGER_POINTS_H
#define MEMTALLY_CLI_PAST_LEDGER_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/past/past-series.h"
#include "config/settings.h"
#include "snapshot/metric.h"

/* Periods at most that one call asks for: each takes memtally-ledger a sum over its rows. */
enum { LEDGER_POINTS_MAX = 100 };

/*
 * Adds to S the mean PSS of the row NAME of SCOPE in periods from FROM_NS to UNTIL_NS
 * (CLOCK_REALTIME): at most COUNT and LEDGER_POINTS_MAX, and none shorter than five minutes. The
 * host's is the sum of all users, without maxima. Periods without figures are left out. Returns 0;
 * 1 if the ledger does not keep rows of SCOPE; or a negative errno with a sentence for the user in
 * REASON.
 */
int ledger_points_add(const struct settings *settings, enum metric_scope scope, const char *name,
	uint64_t from_ns, uint64_t until_ns, size_t count, struct past_series *s,
	struct buffer *reason);

#endif
