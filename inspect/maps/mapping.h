/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings
 *
 * Parser of /proc/PID/smaps (and maps): one mapping after the other, with all fields that the
 * kernel prints. The text may come in pieces of any size; memory is taken for one mapping. Pure,
 * except for mapping_read().
 *
 * A process may have 60,000 mappings and 46 MB of text, which takes the kernel 70 ms (Linux 6.18).
 * Each mapping has the same keys at the same offsets, if numbers have at most eight digits
 * (show_smap() in fs/proc/task_mmu.c pads them to eight). So the parser learns the offsets from the
 * first mapping. Of mappings with the same layout it reads only the numbers; any other is read line
 * by line.
 */
#ifndef MEMTALLY_INSPECT_MAPS_MAPPING_H
#define MEMTALLY_INSPECT_MAPS_MAPPING_H

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
	MAPPING_SWAP,     /* including swapped shared memory */
	MAPPING_SWAP_PSS, /* without shared memory */
	MAPPING_LOCKED,
	MAPPING_THP_ELIGIBLE,   /* not bytes: 0 or 1; Linux 5.0 */
	MAPPING_PROTECTION_KEY, /* not bytes: a number */
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
	MAPPING_UNLINKED,  /* no file is at its path: its own program unlinked a temporary file */
	MAPPING_FATES
};

/* The place that keeps the pages of a file when no process maps them. */
enum mapping_store {
	MAPPING_STORE_UNKNOWN,
	MAPPING_STORE_MEMORY, /* tmpfs: the pages are shared memory and stay as long as the file */
	MAPPING_STORE_DISK,   /* any other file system: the pages are page cache */
};

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* bytes in the file */
	uint64_t inode;      /* 0: none */
	uint32_t major, minor;
	char perms[5]; /* "rw-p", terminated */
	/* As the kernel prints it, with escaped newlines; any bytes; not terminated; borrowed. */
	const char *path;
	size_t path_len;
	const char *flags; /* VmFlags, Linux 3.8: "rd wr mr"; not terminated; borrowed. */
	size_t flags_len;
	uint64_t present;           /* bits of mapping_field */
	uint64_t q[MAPPING_FIELDS]; /* bytes, see mapping_field_is_amount(); 0 if not present */
	enum mapping_fate fate;     /* set by file_state_mappings() (inspect/files/file-state.h) */
	bool has_name;              /* the file also has another name than .path */
	/* set from shmem_devices_store() (inspect/frames/shmem-devices.h) */
	enum mapping_store store;
};

/* Returns whether FIELD is in bytes. THPeligible and ProtectionKey are not. */
bool mapping_field_is_amount(enum mapping_field field);

/* Returns whether PERMS, of four characters or more, begins with permissions such as "rw-p". */
bool mapping_is_access(const char *perms);

static inline bool mapping_has(const struct mapping *m, enum mapping_field field)
{
	return (m->present >> field) & 1;
}

enum { MAPPING_LINES_MAX = 32, MAPPING_LAYOUT_MAX = 1024, MAPPING_TRIES_MAX = 16 };

/* The learned layout: the offsets of numbers in the lines after the first line of a mapping. */
struct mapping_layout {
	size_t len;         /* bytes of the first lines, which are known; 0: none */
	unsigned int tries; /* number of mappings from which nothing could be learned */
	uint64_t present;   /* bits of mapping_field: the fields in the known lines */
	size_t numbers;
	struct {
		uint16_t at;   /* offset of its eight characters */
		uint8_t field; /* enum mapping_field; MAPPING_FIELDS: unknown */
		uint8_t shift; /* 10 for KiB, else 0 */
	} number[MAPPING_LINES_MAX];
	/* The expected text, and the bits of it that must be equal; other bits are 0 in both. */
	unsigned char text[MAPPING_LAYOUT_MAX], mask[MAPPING_LAYOUT_MAX];
};

/*
 * Called for each mapping. M and its texts are valid until the call returns. A result other than 0
 * ends the reading, and is returned.
 */
typedef int (*mapping_taker)(const struct mapping *m, void *context);

struct mapping_reader {
	mapping_taker take;
	void *context;
	struct mapping_layout layout;
	struct buffer text; /* the text of the last mapping, which may be incomplete */
};

/* Frees what R owns. To start a reader, set .take and .context, and zero the rest. */
void mapping_reader_done(struct mapping_reader *r);

/*
 * Returns the address to which the caller writes the next LEN bytes of the text; NULL: out of
 * memory.
 */
char *mapping_reader_room(struct mapping_reader *r, size_t len);

/*
 * Parses the LEN bytes that the caller wrote there, and calls .take for each complete mapping.
 * Returns 0; -EBADMSG for a text that no kernel prints; or a result of .take.
 */
int mapping_reader_feed(struct mapping_reader *r, size_t len);

/*
 * Call at the end of the text: parses the last mapping. Returns 0; -EBADMSG if the text was cut; or
 * a result of .take.
 */
int mapping_reader_end(struct mapping_reader *r);

/*
 * Reads the open smaps or maps FD (borrowed) to its end, and calls TAKE with CONTEXT for each
 * mapping. Returns 0; -EBADMSG for a text that no kernel prints; a result of TAKE; -ENOMEM; or a
 * negative errno of read(). The text of an address space that is gone may end early without an
 * error.
 */
int mapping_read(int fd, mapping_taker take, void *context);

#endif
