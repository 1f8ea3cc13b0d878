/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of amounts in tables of mappings: what each is called, and of which fields it is the sum. Pure.
 */
#ifndef MEMTALLY_CLI_MAPCOLUMN_H
#define MEMTALLY_CLI_MAPCOLUMN_H

#include <stdbool.h>

#include "inside/mapping.h"

enum mapcolumn {
	MAPCOLUMN_SIZE,
	MAPCOLUMN_RSS,
	MAPCOLUMN_PSS,
	MAPCOLUMN_SHARED,
	MAPCOLUMN_PRIVATE,
	MAPCOLUMN_DIRTY, /* whoever else maps it */
	MAPCOLUMN_SWAP,
	MAPCOLUMN_HUGE, /* of whatever kind */
	MAPCOLUMNS
};

/* "SIZE" ... */
const char *mapcolumn_head(enum mapcolumn column);

/*
 * The sum of what COLUMN is made of, in bytes; Q is by mapping_field, 0 of what is not PRESENT. False: some of that is not
 * there, and nothing is to be shown. Of changes, which have signs, it is the sum modulo 2^64.
 */
bool mapcolumn_sum(const uint64_t q[static MAPPING_FIELDS], uint64_t present, enum mapcolumn column,
	uint64_t *ret);

#endif
