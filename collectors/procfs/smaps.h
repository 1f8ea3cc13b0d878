/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of the results of page-table walks: /proc/PID/smaps_rollup (Linux 4.14), one sum for the
 * whole process, and /proc/PID/smaps, with numbers for each mapping. smaps_rollup rounds PSS down
 * to KiB once, smaps once for every mapping, so smaps_rollup is preferred where it exists.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_SMAPS_H
#define MEMTALLY_COLLECTORS_PROCFS_SMAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/procfs/pss-split.h"
#include "snapshot/record.h"

enum smaps_field {
	SMAPS_RSS,
	SMAPS_PSS,
	SMAPS_PSS_ANON, /* these three only in smaps_rollup, since Linux 5.3 */
	SMAPS_PSS_FILE,
	SMAPS_PSS_SHMEM,
	SMAPS_SHARED_CLEAN,
	SMAPS_SHARED_DIRTY,
	SMAPS_PRIVATE_CLEAN,
	SMAPS_PRIVATE_DIRTY,
	SMAPS_SHARED_HUGETLB,
	SMAPS_PRIVATE_HUGETLB,
	SMAPS_SWAP_PSS,        /* Linux 4.3 */
	SMAPS_ANONYMOUS,       /* part of the RSS, as the walk found it */
	SMAPS_ANON_HUGE,       /* in huge pages; the kernel walks each in one step */
	SMAPS_FILE_PMD_MAPPED, /* Linux 5.4 */
	SMAPS_SHMEM_PMD_MAPPED,
	SMAPS_FIELDS
};

struct smaps {
	/*
	 * From the first mapping's start to the last one's end. With address space randomisation it
	 * identifies the image of the process.
	 */
	uint64_t range_start, range_end;
	uint64_t mappings; /* 1 for smaps_rollup */
	/* mappings that may have shared pages, so their PSS was rounded */
	uint64_t shared_mappings;
	uint64_t present;         /* bits of enum smaps_field: the fields that every mapping has */
	uint64_t q[SMAPS_FIELDS]; /* bytes */
	struct pss_split parts;   /* computed from smaps, which does not print them */
};

/*
 * Parses the text of smaps_rollup into RET. Returns 0; or -EBADMSG, with RET unchanged, if the text
 * is cut off, lacks the range, Rss or Pss, or has a field twice. The same if it has a value that no
 * kernel prints, or a PSS or USS above the RSS.
 */
int smaps_parse_rollup(const char *text, size_t len, struct smaps *ret);

/* Sums up smaps from pieces of any size, in memory for one line. */
struct smaps_parser {
	struct smaps sum;
	uint64_t mapping_present; /* of the mapping that is being read */
	uint64_t mapping[SMAPS_FIELDS];
	enum pss_split_kind mapping_kind;
	uint64_t largest_rss; /* bytes, of all mappings read to their end */
	size_t hint;
	struct buffer rest; /* the beginning of a line that was cut by the end of a piece */
};

void smaps_parser_init(struct smaps_parser *p); /* can be called again: keeps the memory */
void smaps_parser_done(struct smaps_parser *p);

/*
 * Parses the next LEN bytes. Returns 0; -EBADMSG if a field comes twice in a mapping or has a value
 * that no kernel prints; or -ENOMEM.
 */
int smaps_parser_feed(struct smaps_parser *p, const char *text, size_t len);

/*
 * Sets *RET to the sum of all mappings. Returns 0; or -EBADMSG, with RET unchanged, if the text was
 * cut off within a line, has no mapping, lacks Rss or Pss, or has a PSS or USS above the RSS.
 */
int smaps_parser_end(struct smaps_parser *p, struct smaps *ret);

/* Returns the part of the RSS that is in huge pages, in bytes, as far as the kernel says. */
uint64_t smaps_huge_bytes(const struct smaps *s);

/* Returns by how many bytes the true PSS may exceed the printed one, which is rounded down. */
uint64_t smaps_rounding(const struct smaps *s);

/*
 * Sets the quantities of a process that S has: RSS, PSS with bounds and parts, USS, swap, hugetlb.
 * PRESENT and Q are .present and .q of any struct with enum process_quantity.
 */
void smaps_store(const struct smaps *s, uint64_t *present, uint64_t *q);

#endif
