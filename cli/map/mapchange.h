/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between two maps, as lines of a table, JSON or comma-separated values. Pure. */
#ifndef MEMTALLY_CLI_MAP_MAPCHANGE_H
#define MEMTALLY_CLI_MAP_MAPCHANGE_H

#include "cli/map/maprow.h"
#include "inspect/maps/compare.h"

/*
 * Appends the heads of the columns, as a line of a table. F->has_pid is ignored here and below.
 * Errors of all functions are those of TO.
 */
void mapchange_add_head(const struct maprow_format *f, struct buffer *to);

/* Appends ROW, with signed amounts, as a line of a table. */
void mapchange_add_line(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

/* Appends a line of dashes, and TOTAL, the sum of ROWS rows, as a line of a table. */
void mapchange_add_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to);

/* Appends ROW as a JSON object. The total, which has neither .now nor .then, has no name. */
void mapchange_add_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

/* Appends the line with the heads of comma-separated values. */
void mapchange_add_csv_head(const struct maprow_format *f, struct buffer *to);

/* Appends ROW as a line of comma-separated values. */
void mapchange_add_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

#endif
