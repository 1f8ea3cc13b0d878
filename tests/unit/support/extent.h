/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a test to run, by environment variables. An empty variable counts as unset. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_EXTENT_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_EXTENT_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool extent_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* True for the long check: run every case. */
static inline bool extent_is_long(void)
{
	return extent_is_set("MEMTALLY_LONG");
}

/*
 * True under valgrind and sanitizers, where code runs up to 50 times slower: the check is the short
 * one, run few cases.
 */
static inline bool extent_is_slow(void)
{
	return extent_is_set("MEMTALLY_SLOW");
}

/*
 * True under valgrind, where vfork() is a fork(): the parent does not sleep in the kernel until its
 * child exits.
 */
static inline bool extent_is_valgrind(void)
{
	return extent_is_set("MEMTALLY_VALGRIND");
}

#endif
