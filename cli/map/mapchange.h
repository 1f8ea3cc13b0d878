/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between two maps, as lines of a table, JSON or comma-separated values. Pure. */
#ifndef MEMTALLY_CLI_MAP_MAPCHANGE_H
#define MEMTALLY_CLI_MAP_MAPCHANGE_H

#include "cli/map/maprow.h"
#include "inspect/maps/compare.h"

/*
 * Append lines of a table: the heads of the columns; ROW, with signed amounts; the sum TOTAL of
 * ROWS rows, below a line. F->has_pid is ignored. Errors are those of TO.
 */
void mapchange_add_head(const struct maprow_format *f, struct buffer *to);
void mapchange_add_line(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);
void mapchange_add_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to);

/* Appends ROW as a JSON object. The total, which has neither .now nor .then, has no name. */
void mapchange_add_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

/* Append lines of comma-separated values: the heads; ROW. */
void mapchange_add_csv_head(const struct maprow_format *f, struct buffer *to);
void mapchange_add_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

#endif
