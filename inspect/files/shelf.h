/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File Table
 *
 * The files that processes map, and the memory that each takes in all processes together. Processes
 * are added one after the other, mapping by mapping. Shared memory, memfds and devices have an
 * inode, and are files here. Pure.
 *
 * A file is one device, inode and name: several hard links are several files, because btrfs gives
 * files of several subvolumes the same device and inode.
 *
 * Users can map any number of files, so the table is bounded (SHELF_LIMITS): files without room are
 * summed in one row, .rest. Rows of other files stay complete.
 */
#ifndef MEMTALLY_INSPECT_FILES_SHELF_H
#define MEMTALLY_INSPECT_FILES_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "inspect/maps/kind.h"
#include "inspect/maps/mapping.h"

enum shelf_field {
	SHELF_PROCESSES, /* processes that map it */
	SHELF_USERS,     /* users of these processes */
	SHELF_MAPPINGS,
	SHELF_SIZE,     /* bytes, like all fields below: size of the mappings */
	SHELF_RESIDENT, /* resident pages of the file, each once; a lower limit unless .is_exact */
	SHELF_RSS,      /* each page once for each mapping; with private copies, like the next */
	SHELF_PSS,
	SHELF_PRIVATE_CLEAN,
	SHELF_PRIVATE_DIRTY,
	SHELF_PRIVATE_DIRTY_MOST, /* the largest SHELF_PRIVATE_DIRTY of one process */
	SHELF_ANONYMOUS,          /* private copies, once for each mapping */
	/*
	 * Private copies in swap, summed over all processes; for shared memory the most of one
	 * process.
	 */
	SHELF_SWAP,
	SHELF_HUGETLB, /* once for each mapping; in no other field but SHELF_SIZE */
	SHELF_FIELDS
};

/* Returns the name of FIELD in JSON, such as "pss_bytes" or "users". */
const char *shelf_field_name(enum shelf_field field);

/* Returns the field with the name NAME; SHELF_FIELDS: there is none. */
enum shelf_field shelf_find_field(const char *name);

/* Whether FIELD is in bytes; otherwise it is a count. */
static inline bool shelf_field_is_bytes(enum shelf_field field)
{
	return field >= SHELF_SIZE;
}

/* State of a file with " (deleted)" behind its name. */
enum shelf_fate {
	SHELF_THERE,     /* it is at its path; also any file without " (deleted)" */
	SHELF_DELETED,   /* no file is at its path */
	SHELF_REPLACED,  /* another file is at its path, as after an upgrade */
	SHELF_UNCERTAIN, /* not looked up, or it could not be: its name may end in " (deleted)" */
	SHELF_UNLINKED,  /* a temporary file that its own program unlinked */
	SHELF_FATES
};

/* Returns the name of FATE in JSON: "there", "deleted", "replaced", "uncertain" or "unlinked". */
const char *shelf_fate_name(enum shelf_fate fate);

struct shelf_row {
	/* Owned; clean; without " (deleted)", unless that is known to be a part of the name. */
	char *name;
	char *path; /* owned; as in smaps, if the kernel calls the file deleted; else NULL */
	uint64_t start, end; /* its addresses in the process that was added first */
	uint64_t inode;
	uint32_t major, minor;
	enum kind kind;     /* KIND_FILE for all parts of a file */
	bool is_executable; /* a part of it is mapped as code: a program, or a library */
	bool is_exact;      /* q[SHELF_RESIDENT] is exact, by page tables */
	enum shelf_fate fate;
	/* Bits of shelf_field: fields that the kernel has printed for all mappings. */
	uint64_t present;
	uint64_t q[SHELF_FIELDS];
	uint64_t swap_most; /* for shelf.c only, like the next three */
	uint64_t hash;
	uint32_t name_len; /* bytes of .name, without a " (deleted)" that is a part of it */
	uint32_t part;     /* number in .part of the current process + 1; 0: none */
};

/*
 * Whether a program that maps the file of ROW must be restarted to use the file that is now at its
 * path.
 */
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
	uint32_t row; /* number of the row; SHELF_REST: all files without a row */
	bool is_executable;
	uint64_t present;
	uint64_t q[SHELF_FIELDS]; /* one process, one user */
	uint64_t shared_swap;     /* bytes of shared memory in swap */
};

#define SHELF_REST UINT32_MAX

struct shelf_limits {
	size_t rows; /* less than 2^30; each takes 200 bytes, and its name */
	size_t text; /* bytes of all names and paths */
	/*
	 * Users of all rows together, 16 to 32 bytes each; if there are more, counts of users are
	 * too low.
	 */
	size_t users;
};

/* Takes at most 128 MiB of memory. */
#define SHELF_LIMITS                                                                               \
	{                                                                                          \
		.rows = 1 << 17, .text = 1 << 25, .users = 1 << 20                                 \
	}

struct shelf {
	struct shelf_limits max; /* set by the owner, like the next */
	uint64_t seed; /* for hashing; secret, so that users cannot choose names that collide */
	struct shelf_row *row;
	size_t rows, room;
	struct shelf_row rest; /* sum of the files without a row; their number is not known */
	size_t processes;      /* number of processes that were committed */
	size_t users;          /* number of users of these processes */
	bool users_are_low;

	/* Of the process that is being added, or after shelf_commit() of the last one. */
	struct shelf_part *part; /* owned */
	size_t parts, parts_room;

	/* For shelf.c only. */
	uint32_t *index; /* hash table with open addressing: a number in .row + 1, or 0 */
	size_t index_size;
	size_t text;
	size_t rows_before; /* rows before the current process */
	uint64_t *user;     /* set of (row << 32 | uid) + 1; 0: free */
	size_t user_slots, user_count;
	struct buffer name, last_path;
	uint64_t last_inode;
	uint64_t last_device;
	uint32_t last_row; /* SHELF_REST: none */
};

/* Frees what S owns. */
void shelf_done(struct shelf *s);
#define AUTO_SHELF CLEANUP(shelf_done)

/* Begins a process. Abandons the process before, unless it was committed. */
void shelf_begin(struct shelf *s);

enum shelf_outcome {
	SHELF_NO_FILE = 1, /* the mapping has no file, and is not counted */
	SHELF_FULL,        /* there was no room: the mapping is counted in .rest */
};

/*
 * Adds M of the process. Returns 0, and the number of its row in *RET_ROW, which does not change
 * later; an enum shelf_outcome; -ENOMEM; or -EOVERFLOW: a sum exceeds 64 bits.
 */
int shelf_add(struct shelf *s, const struct mapping *m, uint32_t *ret_row);

/*
 * Counts the process, which is of user UID and was added completely. Its .part, one for each row,
 * stay until the next process begins. Returns 0; -ENOMEM: it does not count; or -EOVERFLOW: only
 * some of its figures count, and the table is of no further use.
 */
int shelf_commit(struct shelf *s, uint32_t uid);

/*
 * Drops the process that is being added, and the rows that no other process has; these have the
 * highest numbers.
 */
void shelf_abandon(struct shelf *s);

/*
 * Sets the FATE of row ROW, which was SHELF_UNCERTAIN or SHELF_UNLINKED. IS_LITERAL: the file is
 * there, and " (deleted)" is a part of its name. Returns 0 or -ENOMEM.
 */
int shelf_settle(struct shelf *s, uint32_t row, enum shelf_fate fate, bool is_literal);

/*
 * Sets the resident BYTES of row ROW from page tables. EXACT: BYTES are exact; otherwise a lower
 * limit. Ignored if a higher value is known.
 */
void shelf_set_resident(struct shelf *s, uint32_t row, uint64_t bytes, bool exact);

/*
 * Writes to *RET the numbers of all rows, sorted by FIELD, the largest first; rows without FIELD
 * come last, and equal ones are sorted by name. The caller frees *RET. Returns 0 or -ENOMEM.
 */
int shelf_order(const struct shelf *s, enum shelf_field field, uint32_t **ret);

/*
 * Makes *RET the sum of all rows and .rest, without texts. Each process and each user counts once;
 * SHELF_PRIVATE_DIRTY_MOST is the largest one of a row.
 */
void shelf_total(const struct shelf *s, struct shelf_row *ret);

#endif
