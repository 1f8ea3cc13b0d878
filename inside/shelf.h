/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that processes have mapped, and what each costs all of them together: told one process after the other,
 * mapping by mapping. Shared memory, memfds and devices have an inode, and are files here. Pure.
 *
 * A file is one device, inode and name: hard links are as many files as there are names, since btrfs gives the files of
 * several subvolumes the same device and inode.
 *
 * Whose processes these are may be anybody, so it is bounded: what does not fit any more goes to one row for all the
 * rest. The figures of the files that are there are whole all the same. How much memory that is, see SHELF_LIMITS.
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
	SHELF_PROCESSES, /* that map it */
	SHELF_USERS,     /* of which those are */
	SHELF_MAPPINGS,
	SHELF_SIZE,     /* bytes, as all that follow: of the mappings */
	SHELF_RESIDENT, /* of the file, each page once: at least, unless .is_exact */
	SHELF_RSS,      /* each page as often as it is mapped, with private copies, as the next */
	SHELF_PSS,
	SHELF_PRIVATE_CLEAN,
	SHELF_PRIVATE_DIRTY,
	SHELF_PRIVATE_DIRTY_MOST, /* of one process */
	SHELF_ANONYMOUS,          /* private copies, as often as they are mapped */
	SHELF_SWAP, /* of copies each one's part; of shared memory the most that one process sees */
	SHELF_HUGETLB, /* in none of the others but the size, as often as it is mapped */
	SHELF_FIELDS
};

/* "pss_bytes", "users" ...; the field of that name, or SHELF_FIELDS. */
const char *shelf_field_name(enum shelf_field field);
enum shelf_field shelf_find_field(const char *name);

/* Counts are none. */
static inline bool shelf_field_is_bytes(enum shelf_field field)
{
	return field >= SHELF_SIZE;
}

/* What has become of a file where the kernel has " (deleted)" behind its name. */
enum shelf_fate {
	SHELF_THERE,    /* it has not, or its name ends so */
	SHELF_DELETED,  /* nothing of that name is there */
	SHELF_REPLACED, /* another file has that name, as after an upgrade */
	SHELF_UNCERTAIN, /* the kernel says so, and nobody has looked, or could: its name may be so */
	SHELF_FATES
};

/* "there", "deleted", "replaced", "uncertain" */
const char *shelf_fate_name(enum shelf_fate fate);

struct shelf_row {
	char *name; /* owned; clean; without " (deleted)", unless it is known to be its name */
	char *path; /* owned; as smaps has it, where .fate is, or has been, uncertain; else NULL */
	uint64_t inode;
	uint32_t major, minor;
	enum kind kind;     /* of memory that is a file's KIND_FILE, whatever part */
	bool is_executable; /* some of it is mapped so: a program, or a library */
	bool is_exact;      /* q[SHELF_RESIDENT]: who has read the page tables says so */
	enum shelf_fate fate;
	uint64_t present; /* bits of shelf_field: what the kernel has told of all mappings */
	uint64_t q[SHELF_FIELDS];
	uint64_t swap_most; /* shelf.c's, as the next three */
	uint64_t hash;
	uint32_t name_len; /* without a " (deleted)" that is a part of it */
	uint32_t part;     /* its number + 1 in .part of the process that is being told; 0: none */
};

static inline bool shelf_has(const struct shelf_row *row, enum shelf_field field)
{
	return (row->present >> field) & 1;
}

/* What one process has of a file. */
struct shelf_part {
	uint32_t row; /* SHELF_REST: all that is on no row */
	bool is_executable;
	uint64_t present;
	uint64_t q[SHELF_FIELDS]; /* one process, one user */
	uint64_t shared_swap;
};

#define SHELF_REST UINT32_MAX

struct shelf_limits {
	size_t rows; /* below 2^30; each takes 200 bytes, and its name */
	size_t text; /* bytes of all names */
	size_t users; /* of all rows together, 16 to 32 bytes each; where there are more, the count of users is too low */
};

/* At most 128 MiB, where processes map that much. */
#define SHELF_LIMITS                                                                               \
	{                                                                                          \
		.rows = 1 << 17, .text = 1 << 25, .users = 1 << 20                                 \
	}

struct shelf {
	struct shelf_limits max; /* set by the owner, as the next */
	uint64_t seed;           /* of hashes: what names meet nobody who chooses names can know */
	struct shelf_row *row;
	size_t rows, room;
	struct shelf_row rest; /* what is on no row: of how many files is not known; no name */
	size_t processes;      /* whole ones */
	size_t users;          /* theirs, each once */
	bool users_are_low;

	/* The process that is being told, or, after shelf_commit(), the last one. */
	struct shelf_part *part; /* owned */
	size_t parts, parts_room;

	/* shelf.c's */
	uint32_t *index; /* open addressing: a number in ROW + 1, or 0 */
	size_t index_size;
	size_t text;
	size_t rows_before; /* the process */
	uint64_t *user;     /* a set: of row and uid, + 1; 0: free */
	size_t user_slots, user_count;
	struct buffer name, last_path;
	uint64_t last_inode;
	uint64_t last_device;
	uint32_t last_row; /* SHELF_REST: none */
};

void shelf_done(struct shelf *s);
#define AUTO_SHELF CLEANUP(shelf_done)

/* A process begins; one that was neither committed nor abandoned is abandoned. */
void shelf_begin(struct shelf *s);

enum shelf_outcome {
	SHELF_NO_FILE = 1, /* it is of none, and nothing is counted */
	SHELF_FULL,        /* of .rest */
};

/*
 * Adds M of the process. 0, a shelf_outcome, -ENOMEM, or -EOVERFLOW: the sums do not fit, which no machine's do. *RET_ROW is the
 * row's number, which it keeps, where 0 is returned.
 */
int shelf_add(struct shelf *s, const struct mapping *m, uint32_t *ret_row);

/*
 * The process, one of user UID, was told as a whole, and counts. Its parts, one a row, are there until the next
 * one begins. -ENOMEM: it does not count; -EOVERFLOW: some of its figures do, and the rest is of no use.
 */
int shelf_commit(struct shelf *s, uint32_t uid);

/* It was not whole, and is forgotten: rows that nobody else has go, and have the highest numbers. */
void shelf_abandon(struct shelf *s);

/*
 * Says what has become of row ROW, whose fate was uncertain. IS_LITERAL: it is there, and " (deleted)" is a part of its name.
 * -ENOMEM.
 */
int shelf_settle(struct shelf *s, uint32_t row, enum shelf_fate fate, bool is_literal);

/* So many bytes of it are resident, as page tables have them: EXACT, or at least; what is less than known is not heeded. */
void shelf_set_resident(struct shelf *s, uint32_t row, uint64_t bytes, bool exact);

/*
 * The numbers of all rows, ordered by FIELD, the largest first, those that lack it last; of equal ones by name. For the caller to
 * free. -ENOMEM.
 */
int shelf_order(const struct shelf *s, enum shelf_field field, uint32_t **ret);

/* All rows and the rest: processes, users and mappings counted once, PRIVATE_DIRTY_MOST that of one file. Without texts. */
void shelf_total(const struct shelf *s, struct shelf_row *ret);

#endif
