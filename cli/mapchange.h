/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has become of mappings, or what one process has more than another, as a line for people, as JSON or as
 * comma-separated values. Pure.
 */
#ifndef MEMTALLY_CLI_MAPCHANGE_H
#define MEMTALLY_CLI_MAPCHANGE_H

#include "cli/maprow.h"
#include "inside/compare.h"

/* The heads of the columns; a row, whose amounts have a sign; and the sum of ROWS, with a line above it. .has_pid of F is nothing here. */
void mapchange_add_head(const struct maprow_format *f, struct buffer *to);
void mapchange_add_line(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);
void mapchange_add_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to);

/* An object; also of the sum, which has no name. */
void mapchange_add_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

void mapchange_add_csv_head(const struct maprow_format *f, struct buffer *to);
void mapchange_add_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

#endif
