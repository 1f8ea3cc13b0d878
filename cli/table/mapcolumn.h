/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of amounts in tables of mappings: their heads, and the fields of smaps that each sums.
 * Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_MAPCOLUMN_H
#define MEMTALLY_CLI_TABLE_MAPCOLUMN_H

#include <stdbool.h>

#include "inspect/maps/mapping.h"

enum mapcolumn {
	MAPCOLUMN_SIZE,
	MAPCOLUMN_RSS,
	MAPCOLUMN_PSS,
	MAPCOLUMN_SHARED,
	MAPCOLUMN_PRIVATE,
	MAPCOLUMN_DIRTY, /* shared and private */
	MAPCOLUMN_SWAP,
	MAPCOLUMN_HUGE, /* huge pages of all kinds */
	MAPCOLUMNS
};

/* Returns the head of COLUMN, such as "SIZE". */
const char *mapcolumn_head(enum mapcolumn column);

/*
 * Sums in *RET the fields of COLUMN, in bytes. Q has a value for each mapping_field, 0 if it is
 * absent; PRESENT has their bits. Returns false if a field is absent that the column needs: then no
 * value must be shown. For signed changes the sum is modulo 2^64.
 */
bool mapcolumn_sum(const uint64_t q[static MAPPING_FIELDS], uint64_t present, enum mapcolumn column,
	uint64_t *ret);

#endif
