/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings of one process or several, kept: each by itself, or those of a file, or of a kind, summed up. Pure.
 */
#ifndef MEMTALLY_INSIDE_ATLAS_H
#define MEMTALLY_INSIDE_ATLAS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/siphash.h"
#include "inside/kind.h"
#include "inside/mapping.h"

enum atlas_by {
	ATLAS_BY_MAPPING,
	ATLAS_BY_FILE, /* what is of no file goes by its name */
	ATLAS_BY_KIND,
	ATLAS_BYS
};

/* "mapping", "file" or "kind"; which one it is of NAME, or ATLAS_BYS. */
const char *atlas_by_name(enum atlas_by by);
enum atlas_by atlas_find_by(const char *name);

struct atlas_row {
	char *name;  /* owned; clean */
	char *flags; /* of a single mapping, behind its name: "rd ex"; else NULL */
	enum kind kind;
	bool is_deleted;
	enum mapping_fate fate; /* of one that is, what has become of it */
	pid_t pid;              /* of a single mapping */
	char perms[5];          /* of a single mapping, else "" */
	uint64_t start, end;    /* likewise, else 0 */
	uint64_t offset;        /* likewise */
	uint64_t inode;         /* of the file, unless summed up by kind; 0: none */
	uint32_t major, minor;
	uint64_t mappings;
	uint64_t present;           /* what all of them have */
	uint64_t q[MAPPING_FIELDS]; /* of page sizes and of what is no amount, the largest */
	uint64_t hash;
};

struct atlas {
	enum atlas_by by;
	struct atlas_row *row;
	size_t rows, room;
	uint32_t *index; /* open addressing: a number in ROW + 1, or 0 */
	size_t index_size;
	struct siphash_key hash_key; /* set with the first row */
};

void atlas_done(struct atlas *a);
#define AUTO_ATLAS CLEANUP(atlas_done)

/* Whether FIELD of several is the sum of theirs. */
bool atlas_is_sum(enum mapping_field field);

/* The row that M of process PID is by itself, WITH_FLAGS or without; its texts are TEXTS'. -ENOMEM. */
int atlas_row_of(const struct mapping *m, pid_t pid, bool with_flags, struct buffer *texts,
	struct atlas_row *ret);

/* Adds a copy of ONE, of a mapping or of several. -ENOMEM; -EOVERFLOW likewise. */
int atlas_add_row(struct atlas *a, const struct atlas_row *one);

/* Adds M of process PID. -ENOMEM; -EOVERFLOW: the sums do not fit, which no machine's do. */
int atlas_add(struct atlas *a, pid_t pid, const struct mapping *m);

/* Adds ROW to the sum in TOTAL, which is zeroed at first. -EOVERFLOW. */
int atlas_sum(struct atlas_row *total, const struct atlas_row *row);

/* The sum of all rows. */
void atlas_total(const struct atlas *a, struct atlas_row *ret);

/* What follows from a row's fields. */
enum atlas_figure {
	ATLAS_SHARED,  /* bytes that others map, too */
	ATLAS_PRIVATE, /* bytes that nobody else does: what comes back when it goes */
	ATLAS_FIGURES
};

/* False: the row lacks what it follows from. */
bool atlas_figure(const struct atlas_row *row, enum atlas_figure figure, uint64_t *ret);

/*
 * By how many processes each byte that is shared is mapped, in the mean: what is shared by what of it counts as this
 * one's. False: nothing is, or it is not known.
 */
bool atlas_sharers(const struct atlas_row *row, double *ret);

/* Sorts: by FIELD, the largest first, those that lack it last; or by address and process as they were added. */
void atlas_sort(struct atlas *a, enum mapping_field field);

#endif
