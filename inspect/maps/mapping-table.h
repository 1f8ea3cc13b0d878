/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping Table
 *
 * The mappings of one or several processes: each in a row of its own, or summed by file or by kind.
 * The figures are those of smaps (inspect/maps/mapping.h). Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_MAPPING_TABLE_H
#define MEMTALLY_INSPECT_MAPS_MAPPING_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "base/siphash.h"
#include "inspect/maps/kind.h"
#include "inspect/maps/mapping.h"

enum mapping_table_by {
	MAPPING_TABLE_BY_MAPPING,
	MAPPING_TABLE_BY_FILE, /* a mapping without a file is summed by its name */
	MAPPING_TABLE_BY_KIND,
	MAPPING_TABLE_BYS
};

/* Returns the name of BY: "mapping", "file" or "kind". */
const char *mapping_table_by_name(enum mapping_table_by by);
/* Returns the value with the name NAME; MAPPING_TABLE_BYS if there is none. */
enum mapping_table_by mapping_table_find_by(const char *name);

struct mapping_table_row {
	char *name; /* owned; clean (base/text.h) */
	/* Of a single mapping: VmFlags such as "rd ex", in the memory of .name; else NULL. */
	char *flags;
	enum kind kind;
	bool is_deleted;
	enum mapping_fate fate; /* state of the file at its path */
	pid_t pid;              /* of a single mapping, else 0 */
	char perms[5];          /* of a single mapping: "rw-p"; else "" */
	uint64_t start, end;    /* of a single mapping: addresses; else 0 */
	uint64_t offset;        /* of a single mapping: bytes; else 0 */
	uint64_t inode;         /* of the file; 0: no file, or summed by kind */
	uint32_t major, minor;
	uint64_t mappings;
	uint64_t present; /* bits of mapping_field: fields that all summed mappings have */
	/* Bytes; the largest one for fields that are not summed, see mapping_table_is_sum(). */
	uint64_t q[MAPPING_FIELDS];
};

struct mapping_table {
	enum mapping_table_by by;
	struct mapping_table_row *row;
	size_t rows, room;
	struct hashmap index;        /* of .row; empty if .by is MAPPING_TABLE_BY_MAPPING */
	struct siphash_key hash_key; /* set when the first row is added */
};

/* Frees what A owns, and empties it. */
void mapping_table_done(struct mapping_table *a);
#define AUTO_MAPPING_TABLE CLEANUP(mapping_table_done)

/*
 * Returns whether FIELD of several mappings is the sum of theirs. It is not for page sizes,
 * THPeligible and ProtectionKey: a row then has the largest value.
 */
bool mapping_table_is_sum(enum mapping_field field);

/*
 * Makes *RET the row of the single mapping M of process PID, with its VmFlags if WITH_FLAGS. The
 * texts of *RET are in TEXTS, which is overwritten: they are valid as long as TEXTS is unchanged.
 * Returns 0 or -ENOMEM.
 */
int mapping_table_row_of(const struct mapping *m, pid_t pid, bool with_flags, struct buffer *texts,
	struct mapping_table_row *ret);

/*
 * Adds a copy of ONE, a row of one or several mappings, to its row in A. Returns 0; -ENOMEM:
 * nothing was added; or -EOVERFLOW: a sum exceeds 64 bits.
 */
int mapping_table_add_row(struct mapping_table *a, const struct mapping_table_row *one);

/*
 * Adds mapping M of process PID. Returns 0; -ENOMEM: nothing was added; or -EOVERFLOW: a sum
 * exceeds 64 bits, which happens on no real machine.
 */
int mapping_table_add(struct mapping_table *a, pid_t pid, const struct mapping *m);

/*
 * Adds the figures of ROW to TOTAL, which starts zeroed. Returns 0, or -EOVERFLOW if a sum exceeds
 * 64 bits.
 */
int mapping_table_sum(struct mapping_table_row *total, const struct mapping_table_row *row);

/* Makes *RET the sum of all rows, without texts. */
void mapping_table_total(const struct mapping_table *a, struct mapping_table_row *ret);

/* Figures that are computed from the fields of a row. */
enum mapping_table_figure {
	MAPPING_TABLE_SHARED, /* Shared_Clean + Shared_Dirty: bytes that other processes map, too */
	MAPPING_TABLE_PRIVATE, /* Private_Clean + Private_Dirty: bytes that no other process maps */
};

/*
 * Writes FIGURE of ROW, in bytes, to *RET. Returns false if ROW lacks a field that it is computed
 * from.
 */
bool mapping_table_figure(
	const struct mapping_table_row *row, enum mapping_table_figure figure, uint64_t *ret);

/*
 * Writes to *RET the mean share count of the shared bytes of ROW: shared / (PSS - private). Returns
 * false if ROW has no shared bytes, or lacks a field.
 */
bool mapping_table_sharers(const struct mapping_table_row *row, double *ret);

/*
 * Sorts the rows by FIELD, the largest first; rows without FIELD come last. Equal rows stay sorted
 * by pid, address and name. Pass MAPPING_FIELDS to sort by these alone. Nothing can be added
 * afterwards to a table that sums.
 */
void mapping_table_sort(struct mapping_table *a, enum mapping_field field);

#endif
