/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mapping, or what several are together, as a line for people, as JSON or as comma-separated values. A process may have
 * 60,000, so nothing is kept of them. Pure.
 */
#ifndef MEMTALLY_CLI_MAPROW_H
#define MEMTALLY_CLI_MAPROW_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inside/atlas.h"

struct maprow_format {
	enum atlas_by by;
	bool bytes;   /* exact, and not in KiB, as the kernel has them */
	bool has_pid; /* of several processes */
};

/* What is called "Rss" in smaps: "rss_bytes". Of the fields that are no amounts, "thp_eligible". */
const char *maprow_name(enum mapping_field field);

/* The field of that name; MAPPING_FIELDS: there is none. */
enum mapping_field maprow_find(const char *name);

/* The head of the last column: "MAPPING", "FILE" or "KIND". */
const char *maprow_head(enum atlas_by by);

/* The heads of the columns; a row; and the sum of ROWS, with a line above it. */
void maprow_add_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_line(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);
void maprow_add_total(const struct maprow_format *f, const struct atlas_row *total, size_t rows,
	struct buffer *to);

/* The last column, and the line's end. */
void maprow_add_name(const struct atlas_row *row, struct buffer *to);

/* An object. */
void maprow_add_json(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);

/* Its amounts alone: of what is a sum and has no name. */
void maprow_add_json_sums(const struct atlas_row *row, struct buffer *to);

/*
 * Members of it, each with a comma before: where it is, in the file too, and its access; the file's device and inode; name,
 * kind, whether it was deleted and what has become of it.
 */
void maprow_add_json_place(const struct atlas_row *row, struct buffer *to);
void maprow_add_json_file(
	const struct atlas_row *row, struct buffer *to); /* nothing of what is of none */
void maprow_add_json_name(const struct atlas_row *row, struct buffer *to);

/* What has become of a deleted file, by its name in JSON and CSV; MAPPING_NOT_ASKED: that is none. */
enum mapping_fate maprow_find_state(const char *name);

void maprow_add_csv_head(const struct maprow_format *f, struct buffer *to);
void maprow_add_csv(const struct maprow_format *f, const struct atlas_row *row, struct buffer *to);

/*
 * Cells of it: addresses and access, and device, inode and kind, with a comma behind; name, whether it was deleted and what
 * has become of it, with none.
 */
void maprow_add_csv_place(const struct atlas_row *row, struct buffer *to);
void maprow_add_csv_file(const struct atlas_row *row, struct buffer *to);
void maprow_add_csv_name(const struct atlas_row *row, struct buffer *to);

#endif
