/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section or symbol of a loaded file, as a line of a table, JSON or comma-separated values.
 * Amounts are in bytes, since most are less than a KiB. Pure. Errors of all functions that append
 * are those of TO.
 */
#ifndef MEMTALLY_CLI_PAGES_PARTROW_H
#define MEMTALLY_CLI_PAGES_PARTROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"

enum partrow_field {
	PARTROW_SIZE,     /* mapped bytes */
	PARTROW_RESIDENT, /* resident bytes; the next four are parts of them */
	PARTROW_PRIVATE,  /* mapped by no other process */
	PARTROW_SHARED,   /* mapped more than once */
	PARTROW_WRITTEN,  /* private copies, made by writing */
	PARTROW_DIRTY,    /* the same, and pages of the file that are not on disk yet */
	PARTROW_SWAPPED,  /* bytes in swap */
	PARTROW_FIELDS
};

/*
 * Returns the name of FIELD in JSON, such as "size_bytes"; the field with the name NAME, or
 * PARTROW_FIELDS if there is none.
 */
const char *partrow_name(enum partrow_field field);
enum partrow_field partrow_find(const char *name);

struct partrow_format {
	bool of_symbols;
	bool has_pid;     /* rows are of several processes */
	bool knows_dirty; /* frames are shown, which tell dirty pages */
};

struct partrow {
	pid_t pid;
	uint64_t address; /* its first address in the process; 0 if .name is NULL */
	uint64_t q[PARTROW_FIELDS];
	char *name;   /* clean; NULL: the rest of the file, which no section or symbol contains */
	char *object; /* clean; the file */
	uint32_t aliases;
};

/* Appends the heads of the columns, as a line of a table. */
void partrow_add_head(const struct partrow_format *f, struct buffer *to);

/* Appends ROW as a line of a table. */
void partrow_add_line(const struct partrow_format *f, const struct partrow *row, struct buffer *to);

/* Appends a line of dashes, and TOTAL, the sum of ROWS rows, as a line of a table. */
void partrow_add_total(const struct partrow_format *f, const struct partrow *total, size_t rows,
	struct buffer *to);

/* Appends ROW as a JSON object. */
void partrow_add_json(const struct partrow_format *f, const struct partrow *row, struct buffer *to);

/* Appends a JSON object with only the amounts of ROW. */
void partrow_add_json_sums(
	const struct partrow_format *f, const struct partrow *row, struct buffer *to);

/* Appends the line with the heads of comma-separated values. */
void partrow_add_csv_head(const struct partrow_format *f, struct buffer *to);

/* Appends ROW as a line of comma-separated values. */
void partrow_add_csv(const struct partrow_format *f, const struct partrow *row, struct buffer *to);

#endif
