/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of memory
 *
 * How much a process or an owner can grow until it reaches memory.max of its cgroup or of one above
 * it, RLIMIT_AS of a process, or the host's MemAvailable: as they are now, in /proc, in the
 * hierarchy of cgroups, and in the newest snapshot. A limit that cannot be read is absent.
 */
#ifndef MEMTALLY_CLI_GROWTH_GROWTH_LIMITS_H
#define MEMTALLY_CLI_GROWTH_GROWTH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "growth/growth-rows.h"
#include "config/settings.h"
#include "snapshot/view.h"

/*
 * Sets .limit of the rows of G that grow, to the limit with the least room. NEWEST is the snapshot
 * that the rows are of.
 */
void growth_limits_find(
	struct growth_rows *g, const struct view *newest, const struct settings *settings);

#endif
