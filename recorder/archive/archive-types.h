/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types that recording and reading share
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_TYPES_H
#define MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_TYPES_H

#include <stdint.h>

enum {
	ARCHIVE_TIERS = 3,
	ARCHIVE_REASON_SIZE = 512,
};

/* Images that are larger are not recorded. */
#define ARCHIVE_IMAGE_MAX (UINT64_C(1) << 28)
/* ... and records with a larger payload are not written, and count as damaged. */
#define ARCHIVE_PAYLOAD_MAX (UINT32_C(1) << 26)

enum archive_outcome {
	ARCHIVE_NONE = 1,    /* there is no snapshot of that time */
	ARCHIVE_DAMAGED = 2, /* there is one, and neither it nor one near it can be read */
};

/* Counts since archive_open(). */
struct archive_counts {
	uint64_t snapshots;                   /* archive_add() succeeded */
	uint64_t failures;                    /* archive_add() failed */
	uint64_t records, keys, record_bytes; /* written in all tiers */
	uint64_t bytes;                       /* size of all files now */
	uint64_t removed;                     /* segments */
};

/* A snapshot with marks. */
struct archive_mark {
	uint64_t at_ns;
	uint32_t marks; /* of enum past_mark; not 0 */
};

enum archive_fault_kind {
	ARCHIVE_FAULT_TORN,       /* a segment that is no longer written ends within a record */
	ARCHIVE_FAULT_DAMAGED,    /* a record is damaged */
	ARCHIVE_FAULT_FOREIGN,    /* a file with the name of a segment is none */
	ARCHIVE_FAULT_NEWER,      /* a segment of a later version */
	ARCHIVE_FAULT_UNREADABLE, /* a file cannot be opened or read */
	ARCHIVE_FAULTS
};

/* For a caller that says what was skipped. TEXT has the name of the file, and is clean. */
struct archive_listener {
	void (*call)(
		void *context, enum archive_fault_kind kind, const char *text); /* NULL: none */
	void *context;
};

#endif
