/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/smaps, one mapping after the other, with all that the kernel says of each. The text comes in pieces of any
 * size; memory is taken for one mapping. Pure.
 *
 * A process may have 60,000 mappings and 46 MB of that text, which takes the kernel 70 ms (Linux 6.18). Its lines have
 * the same keys at the same places in each mapping, as long as numbers have no more than eight digits (show_smap() in
 * fs/proc/task_mmu.c pads them to that). So where they are is learnt from the first mapping, and of those that are like
 * it only the numbers are read; any other is read line by line, as the first.
 */
#ifndef MEMTALLY_INSIDE_MAPPING_H
#define MEMTALLY_INSIDE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum mapping_field {
	MAPPING_SIZE,
	MAPPING_KERNEL_PAGE_SIZE,
	MAPPING_MMU_PAGE_SIZE,
	MAPPING_RSS,
	MAPPING_PSS,
	MAPPING_PSS_DIRTY, /* Linux 6.0 */
	MAPPING_SHARED_CLEAN,
	MAPPING_SHARED_DIRTY,
	MAPPING_PRIVATE_CLEAN,
	MAPPING_PRIVATE_DIRTY,
	MAPPING_REFERENCED,
	MAPPING_ANONYMOUS,
	MAPPING_KSM,       /* Linux 6.7 */
	MAPPING_LAZY_FREE, /* Linux 4.12 */
	MAPPING_ANON_HUGE_PAGES,
	MAPPING_SHMEM_PMD_MAPPED,
	MAPPING_FILE_PMD_MAPPED, /* Linux 5.4 */
	MAPPING_SHARED_HUGETLB,
	MAPPING_PRIVATE_HUGETLB,
	MAPPING_SWAP,     /* with that of shared memory */
	MAPPING_SWAP_PSS, /* without */
	MAPPING_LOCKED,
	MAPPING_THP_ELIGIBLE,   /* no amount: 0 or 1; Linux 5.0 */
	MAPPING_PROTECTION_KEY, /* no amount */
	MAPPING_FIELDS
};

/* State of a file with a path that ends in " (deleted)", which may be a part of its name. */
enum mapping_fate {
	MAPPING_NOT_ASKED, /* not looked up: only the kernel says that it is deleted */
	MAPPING_THERE,     /* it is at its path without " (deleted)" */
	MAPPING_LITERAL,   /* it is at its whole path */
	MAPPING_DELETED,   /* no file is at its path */
	MAPPING_REPLACED,  /* another file is at its path, as after an upgrade */
	MAPPING_UNCERTAIN, /* its path cannot be looked up from here */
	MAPPING_UNLINKED, /* no file is at its path: a temporary file that its own program unlinked */
	MAPPING_FATES
};

/* The place that keeps the pages of a file when no process maps them. */
enum mapping_store {
	MAPPING_STORE_UNKNOWN,
	MAPPING_STORE_MEMORY, /* tmpfs: the pages are shared memory and stay as long as the file */
	MAPPING_STORE_DISK,   /* any other file system: the pages are page cache */
};

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t inode;  /* 0: none */
	uint32_t major, minor;
	char perms[5]; /* "rw-p", terminated */
	const char *
		path; /* as the kernel prints it, with escaped newlines: any bytes; not terminated; borrowed */
	size_t path_len;
	const char *flags; /* "rd wr mr": of VmFlags, Linux 3.8; not terminated; borrowed */
	size_t flags_len;
	uint64_t present;           /* bits of mapping_field */
	uint64_t q[MAPPING_FIELDS]; /* bytes, unless it is no amount; 0 if not present */
	enum mapping_fate fate;     /* set by inside/whereabouts.h */
	bool has_name;              /* another name than .path leads to the file */
	enum mapping_store store;   /* set by memdevices_store() */
};

/* Whether FIELD is in bytes. */
bool mapping_field_is_amount(enum mapping_field field);

/* Whether PERMS, four characters or more, begins like "rw-p". */
bool mapping_is_access(const char *perms);

static inline bool mapping_has(const struct mapping *m, enum mapping_field field)
{
	return (m->present >> field) & 1;
}

enum { MAPPING_LINES_MAX = 32, MAPPING_LAYOUT_MAX = 1024, MAPPING_TRIES_MAX = 16 };

/* Where the numbers are behind the first line of a mapping. */
struct mapping_layout {
	size_t len;         /* of the lines that are known, the first ones; 0: none is */
	unsigned int tries; /* with how many mappings it was learnt in vain */
	uint64_t present;   /* which fields they are */
	size_t numbers;
	struct {
		uint16_t at;   /* of its eight characters */
		uint8_t field; /* MAPPING_FIELDS: none that is known */
		uint8_t shift; /* of what is in KiB */
	} number[MAPPING_LINES_MAX];
	unsigned char text[MAPPING_LAYOUT_MAX],
		mask[MAPPING_LAYOUT_MAX]; /* what has to be the same, elsewhere 0 */
};

/* Called for each mapping; M is valid until it returns. A result other than 0 ends the reading, and is returned. */
typedef int (*mapping_taker)(const struct mapping *m, void *context);

struct mapping_reader {
	mapping_taker take;
	void *context;
	struct mapping_layout layout;
	struct buffer text; /* of the last mapping, which may be incomplete */
};

/* Frees R. A reader with .take and .context set, and zeros otherwise, is ready. */
void mapping_reader_done(struct mapping_reader *r);

/* Returns the address for the next LEN bytes of the text; NULL: out of memory. */
char *mapping_reader_room(struct mapping_reader *r, size_t len);

/* Parses LEN bytes at that address. Returns 0; -EBADMSG for a text that no kernel prints; -ENOMEM; or a result of .take. */
int mapping_reader_feed(struct mapping_reader *r, size_t len);

/* Parses the last mapping at the end of the text. Returns 0; -EBADMSG if the text was cut; -ENOMEM; or a result of .take. */
int mapping_reader_end(struct mapping_reader *r);

#endif
