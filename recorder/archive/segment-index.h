/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a segment file, without their payloads
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_SEGMENT_INDEX_H
#define MEMTALLY_RECORDER_ARCHIVE_SEGMENT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "recorder/archive/segment.h"

#define SEGMENT_NO_KEY UINT32_MAX

struct segment_entry {
	uint64_t at; /* offset of the payload in bytes */
	uint64_t realtime_ns;
	uint64_t check; /* as in struct segment_record */
	uint32_t size;  /* of the payload in bytes */
	uint32_t marks; /* of the record; PAST_MARK_GAP also if the record before it is lost */
	uint32_t
		key; /* the entry with which its chain begins; SEGMENT_NO_KEY: it cannot be decoded */
	uint16_t form; /* enum codec_form */
};

struct segment_index {
	struct segment_entry *entry; /* owned; in the order of the file */
	size_t count, room;
	uint64_t damaged_at; /* offset of the first damaged record; UINT64_MAX: none is damaged */
	uint64_t damages;    /* a count of damaged parts */
	bool is_torn;        /* the file ends within a record */
	bool is_ended;       /* it has its end */
};

/*
 * Reads the records of the segment in FD, a regular file of BYTES bytes with a valid head,
 * into *RET, which is emptied first. Skips damaged parts. Returns 0, -ENOMEM, or a negative errno of
 * pread().
 */
int segment_index_read(int fd, uint64_t bytes, struct segment_index *ret);

/* Notes that the entries from FIRST to END, without END, cannot be decoded. */
void segment_index_lose(struct segment_index *i, size_t first, size_t end);

/* Frees what I owns. */
void segment_index_done(struct segment_index *i);

/* A segment without its records. */
struct segment_summary {
	uint64_t first_ns, last_ns; /* the lowest and the highest time; 0: there is no record */
	uint64_t count;             /* of records */
	uint32_t marks;             /* of all records */
};

/* Returns the summary of I, entries that cannot be decoded included. */
struct segment_summary segment_index_sum(const struct segment_index *i);

/*
 * Reads the end of the segment in FD, a file of BYTES bytes. Returns true and writes *RET if it has
 * one; false if it must be read whole.
 */
bool segment_index_read_end(int fd, uint64_t bytes, struct segment_summary *ret);

#endif
