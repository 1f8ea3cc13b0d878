/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section or symbol of what a process has loaded, as a line for people, as JSON or as comma-separated values. Amounts are in bytes:
 * most are less than a KiB. Pure.
 */
#ifndef MEMTALLY_CLI_PARTROW_H
#define MEMTALLY_CLI_PARTROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"

enum partrow_field {
	PARTROW_SIZE,
	PARTROW_RESIDENT,
	PARTROW_PRIVATE,
	PARTROW_SHARED,
	PARTROW_WRITTEN,
	PARTROW_DIRTY,
	PARTROW_SWAPPED,
	PARTROW_FIELDS
};

/* "size_bytes" ...; which one it is of NAME, or PARTROW_FIELDS. */
const char *partrow_name(enum partrow_field field);
enum partrow_field partrow_find(const char *name);

struct partrow_format {
	bool of_symbols;
	bool has_pid;     /* of several processes */
	bool knows_dirty; /* frames are shown */
};

struct partrow {
	pid_t pid;
	uint64_t address; /* where it is in the process; 0 of what is of no part */
	uint64_t q[PARTROW_FIELDS];
	char *name;   /* clean; NULL: what is of no part of the file */
	char *object; /* clean: of which file */
	uint32_t aliases;
};

void partrow_add_head(const struct partrow_format *f, struct buffer *to);
void partrow_add_line(const struct partrow_format *f, const struct partrow *row, struct buffer *to);
void partrow_add_total(const struct partrow_format *f, const struct partrow *total, size_t rows,
	struct buffer *to);

void partrow_add_json(const struct partrow_format *f, const struct partrow *row, struct buffer *to);
void partrow_add_json_sums(
	const struct partrow_format *f, const struct partrow *row, struct buffer *to);

void partrow_add_csv_head(const struct partrow_format *f, struct buffer *to);
void partrow_add_csv(const struct partrow_format *f, const struct partrow *row, struct buffer *to);

#endif
