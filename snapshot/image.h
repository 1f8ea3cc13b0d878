/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a snapshot: one contiguous image without pointers.
 *
 *     header | section table | sections, each aligned to 8 bytes
 *
 * in the byte order of the host (it never leaves it). Every length is stated twice and checked by
 * view_open(): the image's own size, each section's offset, stride and count.
 */
#ifndef MEMTALLY_SNAPSHOT_IMAGE_H
#define MEMTALLY_SNAPSHOT_IMAGE_H

#include <stdint.h>

#include "snapshot/record.h"

#define IMAGE_MAGIC      "MEMTALLY"
#define IMAGE_BYTE_ORDER UINT32_C(0x01020304)

enum {
	IMAGE_MAJOR = 2, /* a reader refuses any other */
	IMAGE_MINOR = 6, /* grows with every field or section that is added */
	IMAGE_INSTANCE_SIZE = 16,
	IMAGE_SECTIONS_MAX = 64,
	IMAGE_ALIGN = 8,
};

#define IMAGE_SIZE_MAX (UINT64_C(1) << 30)

enum image_section_kind {
	SECTION_STRINGS = 1, /* NUL-terminated texts; the first is the empty one */
	SECTION_HOST,        /* one snapshot_scope */
	SECTION_PROCESSES,   /* snapshot_process by rising pid; left out of the public image */
	SECTION_SELF,        /* one snapshot_self */
	SECTION_HISTOGRAMS,
	SECTION_BALANCE,  /* at most one snapshot_balance */
	SECTION_HOLDINGS, /* snapshot_holding */
	SECTION_OTHERS_END_,
	SECTION_OWNERS = 8, /* snapshot_scope: this and those behind it, by enum owner_kind */
	SECTION_OWNERS_END_ = SECTION_OWNERS + OWNER_KINDS,
	SECTION_SURVEY = SECTION_OWNERS + OWNERS_MAX, /* at most one snapshot_survey */
	SECTION_FILES, /* snapshot_file; left out of the public image */
	SECTION_KIND_END_
};

enum {
	IMAGE_KINDS = SECTION_OTHERS_END_ - SECTION_STRINGS + OWNER_KINDS +
	              (SECTION_KIND_END_ - SECTION_SURVEY)
};

/* The kind of sections after KIND, 0 standing before the first; 0: there is none. */
static inline unsigned int image_next_kind(unsigned int kind)
{
	if (kind == SECTION_OTHERS_END_ - 1)
		return SECTION_OWNERS;
	if (kind == SECTION_OWNERS_END_ - 1)
		return SECTION_SURVEY;
	return kind + 1 < SECTION_KIND_END_ ? kind + 1 : 0;
}

enum image_flag {
	IMAGE_COMPLETE = 1 << 0, /* every process that has memory was measured */
	IMAGE_PUBLIC =
		1 << 1, /* without rows of processes and files, for readers without privileges */
};

struct image_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t major;
	uint16_t minor;
	uint32_t header_size;
	uint32_t section_count;
	uint64_t image_size;
	uint8_t instance[IMAGE_INSTANCE_SIZE]; /* random, anew at each start of memtallyd */
	uint64_t sequence; /* 1 for an instance's first pass, then +1; below 2^63 */
	uint64_t flags;
	uint64_t realtime_ns; /* when the pass was complete, for display */
	uint64_t boottime_ns; /* the same moment, for ages */
	uint64_t stale_ns;    /* CLOCK_BOOTTIME from which the snapshot is stale */
	uint64_t
		interval_ns; /* from one pass to the next, as far as the budget bears the configured one */
	uint64_t pass_begin_ns; /* CLOCK_BOOTTIME at which the pass began */
	uint64_t userns; /* of which user namespace all uids are, by userns_id(); 0: not known */
};

struct image_section {
	uint32_t kind;
	uint32_t stride; /* size of one row; 1 for strings */
	uint64_t offset; /* from the start of the image */
	uint64_t count;  /* of rows; of bytes for strings */
};

#endif
