/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison of Mapping Tables
 *
 * Compares two mapping tables of the same kind (inspect/maps/mapping-table.h): of two processes, or
 * of one process at two times. Pairs rows of the same mapping, file or kind, and computes the
 * differences. Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_COMPARE_H
#define MEMTALLY_INSPECT_MAPS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/maps/mapping-table.h"

struct compare_row {
	const struct mapping_table_row *now,
		/* First row of each table that is summed in this one; NULL: that table has none. */
		*then;
	/* Bits of mapping_field: summable fields that all rows of both tables have. */
	uint64_t present;
	/* Growth from .then to .now in bytes; negative: shrunk; 0 if the field is not present. */
	int64_t q[MAPPING_FIELDS];
};

struct compare {
	struct compare_row *row; /* owned */
	size_t rows;
	struct compare_row total; /* sum of all rows, changed or not; .now and .then are NULL */
};

/* Frees what C owns, and empties it. */
void compare_done(struct compare *c);
#define AUTO_COMPARE CLEANUP(compare_done)

/*
 * Compares the tables NOW and THEN, which stay borrowed by *RET. *RET has the rows that changed,
 * sorted by growth of FIELD, the largest first. A row has changed if a field differs, if only one
 * table has it, or if its file was deleted or undeleted.
 *
 * Rows are the same if name, kind, device and inode are equal; for single mappings also start
 * address and access. Several processes may have the same mapping, as after a fork: those are
 * summed in one row. Returns 0 or -ENOMEM.
 */
int compare_make(const struct mapping_table *now, const struct mapping_table *then,
	enum mapping_field field, struct compare *ret);

#endif
