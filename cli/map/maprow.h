/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of mappings, single or in sum. Rows are printed at once and not kept, since a process
 * may have 60,000 mappings. Pure.
 */
#ifndef MEMTALLY_CLI_MAP_MAPROW_H
#define MEMTALLY_CLI_MAP_MAPROW_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/table/list.h"
#include "inspect/maps/mapping-table.h"

struct maprow_format {
	enum mapping_table_by by;
	struct list_look look; /* .bytes: instead of KiB as in smaps */
	bool has_pid;          /* rows are of several processes */
};

/* Values of .index of a column: a field of smaps (enum mapping_field), or one of these. */
enum maprow_index {
	MAPROW_SHARED = MAPPING_FIELDS, /* sums of fields of smaps, as the next three */
	MAPROW_PRIVATE,
	MAPROW_DIRTY, /* shared and private */
	MAPROW_HUGE,  /* huge pages of all kinds */
	MAPROW_SUMS,
	MAPROW_SHARERS = MAPROW_SUMS,
	MAPROW_MAPPINGS,
	MAPROW_PID,
	MAPROW_RANGE,
	MAPROW_START,
	MAPROW_END,
	MAPROW_PERMS,
	MAPROW_OFFSET,
	MAPROW_DEVICE,
	MAPROW_INODE,
	MAPROW_NAME,
	MAPROW_KIND,
	MAPROW_DELETED,
	MAPROW_STATE,
	MAPROW_FLAGS,
	MAPROW_INDICES
};

/* Places in a line, behind those of the amounts. */
enum { MAPROW_AT_CHANGE = 7, MAPROW_AT_NAME };

/* The columns of struct mapping_table_row. */
extern const struct columns maprow_columns;

/* The .get of these columns; L->context is a struct maprow_format. */
bool maprow_get(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret);

/*
 * Sums in *RET the fields of INDEX, which is below MAPROW_SUMS, in bytes. Q has a value for each
 * mapping_field, 0 if it is absent; PRESENT has their bits. Returns false if a field is absent that
 * the sum needs: then no value must be shown. For signed changes the sum is modulo 2^64.
 */
bool maprow_sum(const uint64_t q[static MAPPING_FIELDS], uint64_t present, unsigned int index,
	uint64_t *ret);

/*
 * Returns a list of the columns OF, which are maprow_columns or those of changes, that appends to TO
 * as lines, JSON or CSV. It borrows F.
 */
struct list maprow_list(const struct maprow_format *f, const struct columns *of, struct buffer *to);

/*
 * Returns the name of FIELD in JSON: "rss_bytes" for "Rss" in smaps, "thp_eligible" for a field
 * that is no amount.
 */
const char *maprow_name(enum mapping_field field);

/* Sorts the rows of A by INDEX, the largest first and those without it last. */
void maprow_sort(struct mapping_table *a, unsigned int index);

/*
 * Returns the state of a deleted file with the name NAME in JSON and CSV; MAPPING_NOT_ASKED if
 * there is none.
 */
enum mapping_fate maprow_find_state(const char *name);

#endif
