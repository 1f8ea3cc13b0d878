/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a test is to be run, as whoever starts it says: set to nothing is as good as not set. */
#ifndef MEMTALLY_TESTS_UNIT_EXTENT_H
#define MEMTALLY_TESTS_UNIT_EXTENT_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool extent_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* The long check: all there is. */
static inline bool extent_is_long(void)
{
	return extent_is_set("MEMTALLY_LONG");
}

/* Everything takes up to 50 times as long, below valgrind and sanitizers, and the check is the short one: little of it. */
static inline bool extent_is_slow(void)
{
	return extent_is_set("MEMTALLY_SLOW");
}

#endif
