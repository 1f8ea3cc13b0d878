/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out whether the running kernel averages map counts over large folios
 * (collectors/process/self/mapcounts.h), for commands that measure processes or read map counts
 * themselves.
 */
#ifndef MEMTALLY_CLI_COMMON_READING_AVERAGES_H
#define MEMTALLY_CLI_COMMON_READING_AVERAGES_H

#include <stdbool.h>

#include "collectors/process/self/mapcounts.h"

/* The text of the warning. */
#define AVERAGES_TEXT                                                                              \
	"this kernel averages the map counts of large folios (CONFIG_NO_PAGE_MAPCOUNT): PSS and "  \
	"USS are approximations"

/*
 * Has a child process find out, and waits at most 0.5 s. Returns MAPCOUNTS_UNKNOWN if it could not
 * tell, or could not be forked.
 */
enum mapcounts_verdict averages_find(void);

/* Calls averages_find() and logs a warning if the kernel averages. Returns true if it does. */
bool averages_warn(void);

#endif
