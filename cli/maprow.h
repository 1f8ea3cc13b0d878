/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mapping, or what several are together, as a line for people, as JSON or as comma-separated values. A process may have
 * 60,000, so nothing is kept of them: columns have the same widths whatever comes. Pure.
 */
#ifndef MEMTALLY_CLI_MAPROW_H
#define MEMTALLY_CLI_MAPROW_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inside/atlas.h"
#include "inside/compare.h"

struct maprow_format {
	enum atlas_by by;
	bool bytes;   /* exact, and not in KiB, as the kernel has them */
	bool has_pid; /* of several processes */
};

/* What is called "Rss" in smaps: "rss_bytes". Of the fields that are no amounts, "thp_eligible". */
const char *maprow_name(enum mapping_field field);

/* The field of that name; MAPPING_FIELDS: there is none. */
enum mapping_field maprow_find(const char *name);

/* The heads of the columns; a row; and the sum of ROWS, with a line above it. */
void maprow_add_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_line(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);
void maprow_add_total(const struct maprow_format *f, const struct atlas_row *total, size_t rows,
	struct buffer *to);

/* An object. */
void maprow_add_json(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);

/* Its amounts alone: of what is a sum and has no name. */
void maprow_add_json_sums(const struct atlas_row *row, struct buffer *to);

/*
 * What has become of rows, or what some have more than others: amounts have a sign, and .bytes, .by of F and whether there
 * was one before say the rest. TOTAL is of ROWS.
 */
void maprow_add_change_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_change(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);
void maprow_add_change_total(const struct maprow_format *f, const struct compare_row *total,
	size_t rows, struct buffer *to);
void maprow_add_change_json(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);
void maprow_add_change_csv_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_change_csv(
	const struct maprow_format *f, const struct compare_row *row, struct buffer *to);

void maprow_add_csv_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_csv(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);

#endif
