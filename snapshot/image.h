/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of a snapshot
 *
 * A snapshot is one contiguous image without pointers, in the byte order of the host, which it
 * never leaves:
 *
 *     header | section table | sections, each aligned to 8 bytes
 *
 * view_open() checks every length against another one: the image's own size, each section's offset,
 * stride and count.
 */
#ifndef MEMTALLY_SNAPSHOT_IMAGE_H
#define MEMTALLY_SNAPSHOT_IMAGE_H

#include <stdint.h>

#include "snapshot/record.h"

#define IMAGE_MAGIC      "MEMTALLY"
#define IMAGE_BYTE_ORDER UINT32_C(0x01020304)

enum {
	IMAGE_MAJOR = 2,  /* readers refuse any other */
	IMAGE_MINOR = 10, /* grows with each field or section that is added */
	IMAGE_INSTANCE_SIZE = 16,
	IMAGE_SECTIONS_MAX = 64,
	IMAGE_ALIGN = 8,
};

#define IMAGE_SIZE_MAX (UINT64_C(1) << 30)

enum image_section_kind {
	SECTION_STRINGS = 1, /* NUL-terminated texts, the first one empty */
	SECTION_HOST,        /* one snapshot_scope */
	SECTION_PROCESSES,   /* snapshot_process by ascending pid; left out of the public image */
	SECTION_SELF,        /* one snapshot_self */
	SECTION_HISTOGRAMS,
	SECTION_BALANCE,  /* at most one snapshot_balance */
	SECTION_HOLDINGS, /* snapshot_holding */
	SECTION_OTHERS_END_,
	SECTION_OWNERS = 8, /* snapshot_scope: one section for each enum owner_kind, in its order */
	SECTION_OWNERS_END_ = SECTION_OWNERS + OWNER_KINDS,
	SECTION_SURVEY = SECTION_OWNERS + OWNERS_MAX, /* at most one snapshot_survey */
	SECTION_FILES, /* snapshot_file; left out of the public image */
	SECTION_KIND_END_
};

enum {
	IMAGE_KINDS = SECTION_OTHERS_END_ - SECTION_STRINGS + OWNER_KINDS +
	              (SECTION_KIND_END_ - SECTION_SURVEY)
};

/*
 * Returns the kind of section after KIND, for a loop over all kinds that begins with 0; 0: KIND is
 * the last.
 */
static inline unsigned int image_next_kind(unsigned int kind)
{
	if (kind == SECTION_OTHERS_END_ - 1)
		return SECTION_OWNERS;
	if (kind == SECTION_OWNERS_END_ - 1)
		return SECTION_SURVEY;
	return kind + 1 < SECTION_KIND_END_ ? kind + 1 : 0;
}

enum image_flag {
	/* No process is unmeasured (sums_reason()), and /proc hides none from memtallyd */
	IMAGE_COMPLETE = 1 << 0,
	/* Without rows of processes and files, for readers without privileges */
	IMAGE_PUBLIC = 1 << 1,
	/*
	 * Made by a brief pass, under memory pressure: RSS and estimates follow statm, other
	 * quantities of processes are as they were read last. Another snapshot may follow
	 * sooner than .interval_ns says.
	 */
	IMAGE_PRESSURE = 1 << 2,
	/* With rows of the processes of one user, and without files: snapshot/restrict.h */
	IMAGE_OWN = 1 << 3,
};

struct image_header {
	char magic[8];
	uint32_t byte_order;
	uint16_t major;
	uint16_t minor;
	uint32_t header_size;
	uint32_t section_count;
	uint64_t image_size;
	uint8_t instance[IMAGE_INSTANCE_SIZE]; /* chosen at random at each start of memtallyd */
	uint64_t sequence; /* 1 for an instance's first pass, then +1 for each; below 2^63 */
	uint64_t flags;
	uint64_t realtime_ns; /* CLOCK_REALTIME at which the pass was complete, for display */
	uint64_t boottime_ns; /* CLOCK_BOOTTIME of the same moment, for ages */
	uint64_t stale_ns;    /* CLOCK_BOOTTIME from which the snapshot is stale */
	/*
	 * From one pass to the next, apart from brief passes: as configured, or longer if the CPU
	 * budget needs it
	 */
	uint64_t interval_ns;
	uint64_t pass_begin_ns; /* CLOCK_BOOTTIME at which the pass began */
	uint64_t userns;        /* user namespace of all uids, as userns_id() says; 0: not known */
};

struct image_section {
	uint32_t kind;
	uint32_t stride; /* size of one row in bytes; 1 for strings */
	uint64_t offset; /* in bytes from the start of the image */
	uint64_t count;  /* of rows; of bytes for strings */
};

#endif
