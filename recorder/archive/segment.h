/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format of a segment file
 *
 *     head | record | record | ... | end
 *
 * A record is a struct segment_record and its payload (recorder/codec/codec.h), padded with zeros to
 * a multiple of 8 bytes. A segment that was finished ends with a record without payload that sums it
 * up. Integers are in the byte order of the host, which the head states. Pure.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_SEGMENT_H
#define MEMTALLY_RECORDER_ARCHIVE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/image.h"

#define SEGMENT_MAGIC        "MTRECORD"
#define SEGMENT_RECORD_MAGIC UINT32_C(0x4352544d)

enum {
	SEGMENT_MAJOR = 1, /* readers refuse any other */
	SEGMENT_ALIGN = 8,
	SEGMENT_TIERS_MAX = 10,
	SEGMENT_NAME_SIZE = sizeof("tier0-00000000000000000000.rec"),
};

struct segment_head {
	char magic[8];
	uint32_t byte_order; /* IMAGE_BYTE_ORDER */
	uint16_t major;
	uint16_t image_major; /* IMAGE_MAJOR of the images */
	uint32_t head_size;   /* of this struct; records begin there */
	uint32_t tier;
	uint64_t number;
	uint64_t span_ns; /* struct archive_tier_limits */
	uint64_t check;   /* of all bytes before it */
};

enum segment_kind {
	SEGMENT_SNAPSHOT = 1,
	SEGMENT_END = 2,
};

struct segment_record {
	uint32_t magic;
	uint16_t kind;        /* enum segment_kind; readers skip others */
	uint16_t form;        /* enum codec_form */
	uint32_t size;        /* of the payload, in bytes, without its padding */
	uint32_t marks;       /* of enum past_mark; of SEGMENT_END: of all records */
	uint64_t realtime_ns; /* of the image's header, as the next ones; SEGMENT_END: the lowest */
	uint64_t boottime_ns; /* SEGMENT_END: the highest .realtime_ns */
	uint64_t sequence;    /* SEGMENT_END: the number of records */
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	/* .check of the record that this one follows in its chain; 0: none. SEGMENT_END: its offset */
	uint64_t follows;
	uint64_t check; /* of all bytes before it */
};

/*
 * Returns at how many bytes a segment ends in a tier with TIER_BYTES for all. Each question looks at all
 * segments, so there are at most about 1,024 of them, however large the tier is.
 */
uint64_t segment_bytes_wanted(uint64_t tier_bytes);

/* Writes the name of segment NUMBER of TIER. Names of a tier sort in the order of their numbers. */
void segment_name(unsigned int tier, uint64_t number, char to[static SEGMENT_NAME_SIZE]);

/* Returns whether NAME is that of a segment, and if so writes its tier and number. */
bool segment_parse_name(const char *name, unsigned int *ret_tier, uint64_t *ret_number);

/* Returns the head of segment NUMBER of TIER. */
struct segment_head segment_head_make(unsigned int tier, uint64_t number, uint64_t span_ns);

enum segment_outcome {
	SEGMENT_FOREIGN = 1, /* no segment, or a damaged head */
	SEGMENT_NEWER = 2,   /* of another version of memtally, or another machine */
};

/* Checks H, which was read from a file. Returns 0 or an enum segment_outcome. */
int segment_head_check(const struct segment_head *h);

/* Sets .magic and .check of R. */
void segment_record_seal(struct segment_record *r);

/* Returns whether R, which was read from a file, is a record. */
bool segment_record_is_valid(const struct segment_record *r);

/* Returns the bytes of a record with a payload of SIZE bytes in the file. */
static inline uint64_t segment_record_bytes(uint32_t size)
{
	return sizeof(struct segment_record) +
	       (((uint64_t)size + SEGMENT_ALIGN - 1) & ~(uint64_t)(SEGMENT_ALIGN - 1));
}

#endif
