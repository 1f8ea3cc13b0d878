/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One mapping, or the sum of several, as a line of a table, JSON or comma-separated values. Rows
 * are printed at once and not kept, since a process may have 60,000 mappings. Pure. Errors of all
 * functions that append are those of TO.
 */
#ifndef MEMTALLY_CLI_MAP_MAPROW_H
#define MEMTALLY_CLI_MAP_MAPROW_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inspect/maps/mapping-table.h"

struct maprow_format {
	enum mapping_table_by by;
	bool bytes;   /* exact bytes, instead of KiB as in smaps */
	bool has_pid; /* rows are of several processes */
};

/*
 * Returns the name of FIELD in JSON: "rss_bytes" for "Rss" in smaps, "thp_eligible" for a field
 * that is no amount.
 */
const char *maprow_name(enum mapping_field field);

/* Returns the field with the name NAME; MAPPING_FIELDS if there is none. */
enum mapping_field maprow_find(const char *name);

/* Returns the head of the last column: "MAPPING", "FILE" or "KIND". */
const char *maprow_head(enum mapping_table_by by);

/* Appends the heads of the columns, as a line of a table. */
void maprow_add_head(const struct maprow_format *f, struct buffer *to);

/* Appends ROW as a line of a table. */
void maprow_add_line(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to);

/* Appends a line of dashes, and TOTAL, the sum of ROWS rows, as a line of a table. */
void maprow_add_total(const struct maprow_format *f, const struct mapping_table_row *total,
	size_t rows, struct buffer *to);

/* Appends the last column, the name with its mark, and a newline. */
void maprow_add_name(const struct mapping_table_row *row, struct buffer *to);

/* Appends ROW as a JSON object. */
void maprow_add_json(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to);

/* Appends a JSON object with only the amounts of ROW, which is a sum without a name. */
void maprow_add_json_sums(const struct mapping_table_row *row, struct buffer *to);

/*
 * Appends members of a JSON object, each with a comma before it: "start", "end" (addresses),
 * "perms" (the access) and "offset_bytes" (in the file).
 */
void maprow_add_json_place(const struct mapping_table_row *row, struct buffer *to);

/*
 * Appends members of a JSON object, each with a comma before it: "device" and "inode". Appends
 * nothing if ROW has no file.
 */
void maprow_add_json_file(const struct mapping_table_row *row, struct buffer *to);

/*
 * Appends members of a JSON object, each with a comma before it: "name", "kind", "deleted" and, if
 * the file was deleted and looked up, its "state".
 */
void maprow_add_json_name(const struct mapping_table_row *row, struct buffer *to);

/*
 * Returns the state of a deleted file with the name NAME in JSON and CSV; MAPPING_NOT_ASKED if
 * there is none.
 */
enum mapping_fate maprow_find_state(const char *name);

/* Appends the line with the heads of comma-separated values. */
void maprow_add_csv_head(const struct maprow_format *f, struct buffer *to);

/* Appends ROW as a line of comma-separated values. */
void maprow_add_csv(
	const struct maprow_format *f, const struct mapping_table_row *row, struct buffer *to);

/* Appends cells of a CSV row, each with a comma behind it: the two addresses, and the access. */
void maprow_add_csv_place(const struct mapping_table_row *row, struct buffer *to);

/*
 * Appends cells of a CSV row, each with a comma behind it: device and inode, both empty if ROW has
 * no file; and kind.
 */
void maprow_add_csv_file(const struct mapping_table_row *row, struct buffer *to);

/*
 * Appends cells of a CSV row: name, whether the file was deleted, and its state or nothing. There
 * is no comma at the end.
 */
void maprow_add_csv_name(const struct mapping_table_row *row, struct buffer *to);

#endif
