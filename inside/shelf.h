/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File Table
 *
 * The files that processes map, and the memory that each takes in all of them, added one process after the other, mapping by
 * mapping. Shared memory, memfds and devices have an inode, and are files here. Pure.
 *
 * A file is one device, inode and name: several hard links are several files, because btrfs gives files of several subvolumes
 * the same device and inode.
 *
 * Users can map any number of files, so the table is bounded: files without room are summed in one row, .rest. Rows of other
 * files stay complete. SHELF_LIMITS has the limits.
 */
#ifndef MEMTALLY_INSIDE_SHELF_H
#define MEMTALLY_INSIDE_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inside/kind.h"
#include "inside/mapping.h"

enum shelf_field {
	SHELF_PROCESSES, /* processes that map it */
	SHELF_USERS,     /* users of these processes */
	SHELF_MAPPINGS,
	SHELF_SIZE,     /* size of the mappings; bytes, as all that follow */
	SHELF_RESIDENT, /* resident pages of the file, each once; a lower limit unless .is_exact */
	SHELF_RSS,      /* each page once for each mapping; with private copies, as the next */
	SHELF_PSS,
	SHELF_PRIVATE_CLEAN,
	SHELF_PRIVATE_DIRTY,
	SHELF_PRIVATE_DIRTY_MOST, /* the largest one of a process */
	SHELF_ANONYMOUS,          /* private copies, once for each mapping */
	SHELF_SWAP, /* of private copies the sum of all processes; of shared memory the most of one process */
	SHELF_HUGETLB, /* once for each mapping; in none of the others except the size */
	SHELF_FIELDS
};

/* The name of FIELD in JSON, such as "pss_bytes" or "users". */
const char *shelf_field_name(enum shelf_field field);

/* The field with the name NAME; SHELF_FIELDS: there is none. */
enum shelf_field shelf_find_field(const char *name);

/* Whether FIELD is in bytes; otherwise it is a count. */
static inline bool shelf_field_is_bytes(enum shelf_field field)
{
	return field >= SHELF_SIZE;
}

/* State of a file with " (deleted)" behind its name. */
enum shelf_fate {
	SHELF_THERE,     /* it is at its path; also any other file */
	SHELF_DELETED,   /* no file is at its path */
	SHELF_REPLACED,  /* another file is at its path, as after an upgrade */
	SHELF_UNCERTAIN, /* not looked up, or it could not be: its name may end in " (deleted)" */
	SHELF_UNLINKED,  /* a temporary file that its own program unlinked */
	SHELF_FATES
};

/* The name of FATE in JSON: "there", "deleted", "replaced", "uncertain" or "unlinked". */
const char *shelf_fate_name(enum shelf_fate fate);

struct shelf_row {
	char *name; /* owned; clean; without " (deleted)", unless that is known to be a part of the name */
	char *path;          /* owned; as in smaps, if the kernel calls it deleted; else NULL */
	uint64_t start, end; /* its addresses in the process that was added first */
	uint64_t inode;
	uint32_t major, minor;
	enum kind kind;     /* KIND_FILE for all parts of a file */
	bool is_executable; /* a part of it is mapped as code: a program, or a library */
	bool is_exact;      /* q[SHELF_RESIDENT] is exact, by page tables */
	enum shelf_fate fate;
	uint64_t
		present; /* bits of shelf_field: figures that the kernel has printed for all mappings */
	uint64_t q[SHELF_FIELDS];
	uint64_t swap_most; /* for shelf.c alone, as the next three */
	uint64_t hash;
	uint32_t name_len; /* without a " (deleted)" that is a part of it */
	uint32_t part;     /* its number + 1 in .part of the process that is being told; 0: none */
};

/* Whether a program that maps the file of ROW must be restarted to use the file that is at its path now. */
static inline bool shelf_is_deleted(const struct shelf_row *row)
{
	return row->fate != SHELF_THERE && row->fate != SHELF_UNLINKED;
}

static inline bool shelf_has(const struct shelf_row *row, enum shelf_field field)
{
	return (row->present >> field) & 1;
}

/* The figures of one process for a file. */
struct shelf_part {
	uint32_t row; /* SHELF_REST: of all files without a row */
	bool is_executable;
	uint64_t present;
	uint64_t q[SHELF_FIELDS]; /* one process, one user */
	uint64_t shared_swap;
};

#define SHELF_REST UINT32_MAX

struct shelf_limits {
	size_t rows; /* below 2^30; each takes 200 bytes, and its name */
	size_t text; /* bytes of all names */
	size_t users; /* of all rows together, 16 to 32 bytes each; if there are more, counts of users are too low */
};

/* Takes at most 128 MiB of memory. */
#define SHELF_LIMITS                                                                               \
	{                                                                                          \
		.rows = 1 << 17, .text = 1 << 25, .users = 1 << 20                                 \
	}

struct shelf {
	struct shelf_limits max; /* set by the owner, as the next */
	uint64_t seed; /* of hashes; secret, so that users cannot choose names that collide */
	struct shelf_row *row;
	size_t rows, room;
	struct shelf_row rest; /* the sum of files without a row; their number is not known */
	size_t processes;      /* that count */
	size_t users;          /* of these processes */
	bool users_are_low;

	/* Of the process that is being added, or after shelf_commit() of the last one. */
	struct shelf_part *part; /* owned */
	size_t parts, parts_room;

	/* For shelf.c alone. */
	uint32_t *index; /* open addressing: a number in ROW + 1, or 0 */
	size_t index_size;
	size_t text;
	size_t rows_before; /* the process that is being added */
	uint64_t *user;     /* a set: of row and uid, + 1; 0: free */
	size_t user_slots, user_count;
	struct buffer name, last_path;
	uint64_t last_inode;
	uint64_t last_device;
	uint32_t last_row; /* SHELF_REST: none */
};

/* Frees what S owns. */
void shelf_done(struct shelf *s);
#define AUTO_SHELF CLEANUP(shelf_done)

/* Begins a process. Abandons the one before, unless it was committed. */
void shelf_begin(struct shelf *s);

enum shelf_outcome {
	SHELF_NO_FILE = 1, /* the mapping is of no file, and is not counted */
	SHELF_FULL,        /* there was no room: counted in .rest */
};

/*
 * Adds M of the process. Returns 0, and the number of the row in *RET_ROW, which does not change; an enum shelf_outcome;
 * -ENOMEM; or -EOVERFLOW: the sums are larger than any machine.
 */
int shelf_add(struct shelf *s, const struct mapping *m, uint32_t *ret_row);

/*
 * Counts the process, which is of user UID and was added completely. Its .part, one for each row, stay until the next process
 * begins. Returns 0; -ENOMEM: it does not count; -EOVERFLOW: only a part of its figures counts, and the table is of no
 * further use.
 */
int shelf_commit(struct shelf *s, uint32_t uid);

/* Drops the process that is being added, with the rows that no other process has; these have the highest numbers. */
void shelf_abandon(struct shelf *s);

/*
 * Sets the FATE of row ROW, which was SHELF_UNCERTAIN. IS_LITERAL: the file is there, and " (deleted)" is a part of its name.
 * Returns 0 or -ENOMEM.
 */
int shelf_settle(struct shelf *s, uint32_t row, enum shelf_fate fate, bool is_literal);

/* Sets the resident BYTES of row ROW, by page tables: EXACT, or a lower limit. Ignored if a higher one is known. */
void shelf_set_resident(struct shelf *s, uint32_t row, uint64_t bytes, bool exact);

/*
 * Writes to *RET the numbers of all rows, sorted by FIELD, the largest first, rows without it last, and equal ones by name.
 * The caller frees it. Returns 0 or -ENOMEM.
 */
int shelf_order(const struct shelf *s, enum shelf_field field, uint32_t **ret);

/* Sums all rows and .rest in *RET, without texts. Processes and users count once; SHELF_PRIVATE_DIRTY_MOST is that of one file. */
void shelf_total(const struct shelf *s, struct shelf_row *ret);

#endif
