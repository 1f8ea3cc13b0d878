/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of differences between two maps. Pure. */
#ifndef MEMTALLY_CLI_MAP_MAPCHANGE_H
#define MEMTALLY_CLI_MAP_MAPCHANGE_H

#include "cli/map/maprow.h"
#include "inspect/maps/compare.h"

enum { MAPCHANGE_COLUMNS = 64 };

struct mapchange_columns {
	struct column column[MAPCHANGE_COLUMNS];
};

/*
 * Returns a list of struct compare_row, as maprow_list(). Amounts have a sign. It borrows F and
 * COLUMNS, which it fills in.
 */
struct list mapchange_list(
	const struct maprow_format *f, struct mapchange_columns *columns, struct buffer *to);

/* Returns true if changes have a value for INDEX, so that they can be sorted by it. */
bool mapchange_has(unsigned int index);

/* Sorts the rows of C by INDEX, the largest growth first. mapchange_has(INDEX) is true. */
void mapchange_sort(struct compare *c, unsigned int index);

#endif
