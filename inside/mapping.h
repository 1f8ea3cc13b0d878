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

/* What has become of a file whose path ends in " (deleted)", which may be a part of its name. */
enum mapping_fate {
	MAPPING_NOT_ASKED, /* it is what the kernel says, as far as nobody has looked */
	MAPPING_THERE,     /* it is there by its path without that */
	MAPPING_LITERAL,   /* it is there by all of its path */
	MAPPING_DELETED,   /* nothing of that name is there */
	MAPPING_REPLACED,  /* another file is, as after an upgrade */
	MAPPING_UNCERTAIN, /* it can't be seen from here */
	MAPPING_FATES
};

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t inode;  /* 0: none */
	uint32_t major, minor;
	char perms[5]; /* "rw-p", terminated */
	const char *
		path; /* as the kernel has it, its newlines escaped: anybody's bytes; not terminated; borrowed */
	size_t path_len;
	const char *flags; /* "rd wr mr": of VmFlags, Linux 3.8; not terminated; borrowed */
	size_t flags_len;
	uint64_t present;           /* bits of mapping_field */
	uint64_t q[MAPPING_FIELDS]; /* bytes, but where it is no amount; 0 of what is not present */
	enum mapping_fate fate;     /* set by whoever looks: inside/whereabouts.h */
};

/* Whether it is bytes. */
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

/* Called for each mapping, which is its own only until it returns. Anything but 0 ends the reading, and is returned. */
typedef int (*mapping_taker)(const struct mapping *m, void *context);

struct mapping_reader {
	mapping_taker take;
	void *context;
	struct mapping_layout layout;
	struct buffer text; /* the mapping that is not known to be whole */
};

/* Zeroed, but for .take and .context, it may be fed. */
void mapping_reader_done(struct mapping_reader *r);

/* Where the next LEN bytes of the text go; NULL: out of memory. */
char *mapping_reader_room(struct mapping_reader *r, size_t len);

/* LEN bytes are there. 0, -EBADMSG: what no kernel prints; or the taker's. */
int mapping_reader_feed(struct mapping_reader *r, size_t len);

/* The last one, which nothing follows. -EBADMSG: it was cut; or the taker's. */
int mapping_reader_end(struct mapping_reader *r);

#endif
