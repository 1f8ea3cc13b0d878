/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the running kernel averages map counts over large folios (collectors/mapcounts.h), for commands that measure processes
 * or read map counts themselves.
 */
#ifndef MEMTALLY_CLI_AVERAGES_H
#define MEMTALLY_CLI_AVERAGES_H

#include <stdbool.h>

#include "collectors/mapcounts.h"

/* The warning. */
#define AVERAGES_TEXT                                                                              \
	"this kernel averages the map counts of large folios (CONFIG_NO_PAGE_MAPCOUNT): PSS and "  \
	"USS are approximations"

/* Has a child process try it, for at most half a second. MAPCOUNTS_UNKNOWN if that could not tell, or there is no child. */
enum mapcounts_verdict averages_find(void);

/* Does the same and logs a warning if the kernel averages. Returns whether it does. */
bool averages_warn(void);

#endif
