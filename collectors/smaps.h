/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel finds by walking page tables: /proc/PID/smaps_rollup (Linux 4.14), one sum for the
 * whole process, and /proc/PID/smaps, one for each mapping. rollup rounds PSS down to KiB once, smaps
 * once for every mapping, so rollup is to be preferred where it exists.
 */
#ifndef MEMTALLY_COLLECTORS_SMAPS_H
#define MEMTALLY_COLLECTORS_SMAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/parts.h"
#include "snapshot/record.h"

enum smaps_field {
	SMAPS_RSS,
	SMAPS_PSS,
	SMAPS_PSS_ANON, /* these three in smaps_rollup alone, from Linux 5.3 on */
	SMAPS_PSS_FILE,
	SMAPS_PSS_SHMEM,
	SMAPS_SHARED_CLEAN,
	SMAPS_SHARED_DIRTY,
	SMAPS_PRIVATE_CLEAN,
	SMAPS_PRIVATE_DIRTY,
	SMAPS_SHARED_HUGETLB,
	SMAPS_PRIVATE_HUGETLB,
	SMAPS_SWAP_PSS,        /* Linux 4.3 */
	SMAPS_ANONYMOUS,       /* of the RSS, as the walk has found it */
	SMAPS_ANON_HUGE,       /* in huge pages, which are walked in one step each */
	SMAPS_FILE_PMD_MAPPED, /* Linux 5.4 */
	SMAPS_SHMEM_PMD_MAPPED,
	SMAPS_FIELDS
};

struct smaps {
	/* From the first mapping's start to the last one's end: with address space randomisation, as
	 * good as a name for the image of the process. */
	uint64_t range_start, range_end;
	uint64_t mappings;        /* 1 for rollup */
	uint64_t shared_mappings; /* those that may have shared pages, whose PSS was then rounded */
	uint64_t present;         /* bits of smaps_field: those that every mapping has */
	uint64_t q[SMAPS_FIELDS]; /* bytes */
	struct parts parts;       /* of smaps, which does not print them */
};

/*
 * Parses the text of smaps_rollup. -EBADMSG: cut off, without a range, Rss or Pss, a field twice, a value
 * that no kernel prints, or a PSS or USS above the RSS.
 */
int smaps_parse_rollup(const char *text, size_t len, struct smaps *ret);

/* Sums up smaps as it comes, in pieces of any size, in memory for one line. */
struct smaps_parser {
	struct smaps sum;
	uint64_t mapping_present; /* of the mapping that is being read */
	uint64_t mapping[SMAPS_FIELDS];
	enum parts_kind mapping_kind;
	uint64_t largest_rss; /* of all mappings that are over */
	size_t hint;
	struct buffer rest; /* the beginning of a line that a piece cut */
};

void smaps_parser_init(struct smaps_parser *p); /* may be used again: keeps its memory */
void smaps_parser_done(struct smaps_parser *p);

/* -EBADMSG: as above; -ENOMEM. */
int smaps_parser_feed(struct smaps_parser *p, const char *text, size_t len);

/* The sum. A process without any mapping has none: -EBADMSG. */
int smaps_parser_end(struct smaps_parser *p, struct smaps *ret);

/* What of the RSS is in huge pages, as far as the kernel says. */
uint64_t smaps_huge_bytes(const struct smaps *s);

/* By how much the true PSS may lie above the printed one, which is rounded down. */
uint64_t smaps_rounding(const struct smaps *s);

/*
 * Sets the quantities of a process that S brings, as far as they are present: RSS, PSS and its bounds
 * and parts, USS, swap, hugetlb. ROW is any struct with .present and .q by process_quantity.
 */
void smaps_store(const struct smaps *s, uint64_t *present, uint64_t *q);

#endif
