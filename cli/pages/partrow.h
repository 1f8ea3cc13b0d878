/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of sections and symbols of loaded files. Amounts are in bytes, since most are less
 * than a KiB. Pure.
 */
#ifndef MEMTALLY_CLI_PAGES_PARTROW_H
#define MEMTALLY_CLI_PAGES_PARTROW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "cli/table/list.h"

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

/* The columns of the list; those that --sort takes have a partrow_field as .index. */
extern const struct columns partrow_columns;

struct partrow_format {
	struct list_look look; /* .bytes has no effect */
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

/*
 * Returns a list of struct partrow that appends to TO as lines, JSON or CSV. It borrows F, which must
 * not move.
 */
struct list partrow_list(const struct partrow_format *f, struct buffer *to);

#endif
