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
 * Users can map any number of files, so the table is bounded (FILE_TABLE_LIMITS): files without
 * room are summed in one row, .rest. Rows of other files stay complete.
 */
#ifndef MEMTALLY_INSPECT_FILES_FILE_TABLE_H
#define MEMTALLY_INSPECT_FILES_FILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hashmap.h"
#include "inspect/maps/kind.h"
#include "inspect/maps/mapping.h"

enum file_table_field {
	FILE_TABLE_PROCESSES, /* processes that map it */
	FILE_TABLE_USERS,     /* users of these processes */
	FILE_TABLE_MAPPINGS,
	FILE_TABLE_SIZE,     /* bytes, like all fields below: size of the mappings */
	FILE_TABLE_RESIDENT, /* resident pages of the file, each once; a lower limit unless .is_exact */
	FILE_TABLE_RSS, /* each page once for each mapping; with private copies, like the next */
	FILE_TABLE_PSS,
	FILE_TABLE_PRIVATE_CLEAN,
	FILE_TABLE_PRIVATE_DIRTY,
	FILE_TABLE_PRIVATE_DIRTY_MOST, /* the largest FILE_TABLE_PRIVATE_DIRTY of one process */
	FILE_TABLE_ANONYMOUS,          /* private copies, once for each mapping */
	/*
	 * Private copies in swap, summed over all processes; for shared memory the most of one
	 * process.
	 */
	FILE_TABLE_SWAP,
	FILE_TABLE_HUGETLB, /* once for each mapping; in no other field but FILE_TABLE_SIZE */
	FILE_TABLE_FIELDS
};

/* State of a file with " (deleted)" behind its name. */
enum file_table_fate {
	FILE_TABLE_THERE,    /* it is at its path; also any file without " (deleted)" */
	FILE_TABLE_DELETED,  /* no file is at its path */
	FILE_TABLE_REPLACED, /* another file is at its path, as after an upgrade */
	FILE_TABLE_UNCERTAIN, /* not looked up, or it could not be: its name may end in " (deleted)" */
	FILE_TABLE_UNLINKED, /* a temporary file that its own program unlinked */
	FILE_TABLE_FATES
};

/* Returns the name of FATE in JSON: "there", "deleted", "replaced", "uncertain" or "unlinked". */
const char *file_table_fate_name(enum file_table_fate fate);

struct file_table_row {
	/* Owned; clean; without " (deleted)", unless that is known to be a part of the name. */
	char *name;
	char *path; /* owned; as in smaps, if the kernel calls the file deleted; else NULL */
	uint64_t start, end; /* its addresses in the process that was added first */
	uint64_t inode;
	uint32_t major, minor;
	enum kind kind;     /* KIND_FILE for all parts of a file */
	bool is_executable; /* a part of it is mapped as code: a program, or a library */
	bool is_exact;      /* q[FILE_TABLE_RESIDENT] is exact, by page tables */
	enum file_table_fate fate;
	/* Bits of file_table_field: fields that the kernel has printed for all mappings. */
	uint64_t present;
	uint64_t q[FILE_TABLE_FIELDS];
	uint64_t swap_most; /* for file-table.c only, like the next three */
	uint64_t hash;
	uint32_t name_len; /* bytes of .name, without a " (deleted)" that is a part of it */
	uint32_t part;     /* number in .part of the current process + 1; 0: none */
};

/*
 * Returns whether a program that maps the file of ROW must be restarted to use the file that is now
 * at its path.
 */
static inline bool file_table_is_deleted(const struct file_table_row *row)
{
	return row->fate != FILE_TABLE_THERE && row->fate != FILE_TABLE_UNLINKED;
}

static inline bool file_table_has(const struct file_table_row *row, enum file_table_field field)
{
	return (row->present >> field) & 1;
}

/* The figures of one process for a file. */
struct file_table_part {
	uint32_t row; /* number of the row; FILE_TABLE_REST: all files without a row */
	bool is_executable;
	uint64_t present;
	uint64_t q[FILE_TABLE_FIELDS]; /* one process, one user */
	uint64_t shared_swap;          /* bytes of shared memory in swap */
};

#define FILE_TABLE_REST UINT32_MAX

struct file_table_limits {
	size_t rows; /* less than 2^30; each takes 200 bytes, and its name */
	size_t text; /* bytes of all names and paths */
	/*
	 * Users of all rows together, 24 to 48 bytes each; if there are more, counts of users are
	 * too low.
	 */
	size_t users;
};

/* Takes at most 150 MiB of memory. */
#define FILE_TABLE_LIMITS                                                                          \
	{                                                                                          \
		.rows = 1 << 17, .text = 1 << 25, .users = 1 << 20                                 \
	}

struct file_table {
	struct file_table_limits max; /* set by the owner, like the next */
	uint64_t seed; /* for hashing; secret, so that users cannot choose names that collide */
	struct file_table_row *row;
	size_t rows, room;
	struct file_table_row rest; /* sum of the files without a row; their number is not known */
	size_t processes;           /* number of processes that were committed */
	uint64_t users;             /* number of users of these processes */
	bool users_are_low;

	/* Of the process that is being added, or after file_table_commit() of the last one. */
	struct file_table_part *part; /* owned */
	size_t parts, parts_room;

	/* For file-table.c only. */
	struct hashmap index; /* of .row */
	size_t text;
	size_t rows_before; /* rows before the current process */
	uint64_t *user;     /* row << 32 | uid: users of rows, each once */
	size_t user_count, user_room;
	struct hashmap user_index; /* of .user */
	struct buffer name, last_path;
	uint64_t last_inode;
	uint64_t last_device;
	uint32_t last_row; /* FILE_TABLE_REST: none */
};

/* Frees what S owns. */
void file_table_done(struct file_table *s);
#define AUTO_FILE_TABLE CLEANUP(file_table_done)

/*
 * Begins a process. Drops the process before, unless it was committed, and the rows that no other
 * process has; these have the highest numbers.
 */
void file_table_begin(struct file_table *s);

enum file_table_outcome {
	FILE_TABLE_NO_FILE = 1, /* the mapping has no file, and is not counted */
	FILE_TABLE_FULL,        /* there was no room: the mapping is counted in .rest */
};

/*
 * Adds M of the process. Returns 0, and the number of its row in *RET_ROW, which does not change
 * later; an enum file_table_outcome; -ENOMEM; or -EOVERFLOW: a sum exceeds 64 bits.
 */
int file_table_add(struct file_table *s, const struct mapping *m, uint32_t *ret_row);

/*
 * Counts the process, which is of user UID and was added completely. Its .part, one for each row,
 * stay until the next process begins. Returns 0; -ENOMEM or -EOVERFLOW: only some of its figures
 * count, and the table is of no further use.
 */
int file_table_commit(struct file_table *s, uint32_t uid);

/*
 * Sets the FATE of row ROW, which was FILE_TABLE_UNCERTAIN or FILE_TABLE_UNLINKED. IS_LITERAL: the
 * file is there, and " (deleted)" is a part of its name. Returns 0 or -ENOMEM.
 */
int file_table_settle(
	struct file_table *s, uint32_t row, enum file_table_fate fate, bool is_literal);

/*
 * Sets the resident BYTES of row ROW from page tables. EXACT: BYTES are exact; otherwise a lower
 * limit. Ignored if a higher value is known.
 */
void file_table_set_resident(struct file_table *s, uint32_t row, uint64_t bytes, bool exact);

/*
 * Writes to *RET the numbers of all rows, sorted by FIELD, the largest first; rows without FIELD
 * come last, and equal ones are sorted by name. The caller frees *RET. Returns 0 or -ENOMEM.
 */
int file_table_order(const struct file_table *s, enum file_table_field field, uint32_t **ret);

/*
 * Makes *RET the sum of all rows and .rest, without texts. Each process and each user counts once;
 * FILE_TABLE_PRIVATE_DIRTY_MOST is the largest one of a row.
 */
void file_table_total(const struct file_table *s, struct file_table_row *ret);

#endif
