/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of an archive in the order of time
 *
 * Knows a summary of each segment, and the records of one segment of each tier at a time. Finds
 * records by time, and decodes none.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_TIMELINE_H
#define MEMTALLY_RECORDER_ARCHIVE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/archive/archive-types.h"
#include "recorder/archive/segment-index.h"
#include "recorder/archive/segment-list.h"

struct timeline_segment {
	struct segment_file file;
	struct segment_summary summary;
	uint64_t span_ns;
	bool is_known;             /* .summary counts */
	bool is_ended;             /* ... and cannot change any more */
	bool is_skipped;           /* it cannot be used */
	bool is_retried;           /* ... until the next refresh, since the failure may pass */
	bool is_visited;           /* in a search */
	unsigned int said;         /* a mask of enum archive_fault_kind */
	bool has_marks;            /* .mark and .marks count */
	struct archive_mark *mark; /* owned: its records with marks, in the order of the file */
	size_t marks;
};

/* The segment of a tier that is open. */
struct timeline_open {
	int fd; /* owned; -1: none */
	uint64_t number, bytes;
	struct segment_index index;
	bool is_stale; /* read it again at the next refresh */
};

/* Records that cannot be decoded although their chain is whole: .first up to, and without, .end. */
struct timeline_bad {
	unsigned int tier;
	uint64_t number;
	uint32_t first, end;
};

struct timeline {
	const char *directory; /* borrowed */
	int dirfd;             /* owned */
	struct archive_listener listener;
	struct segment_list list;         /* memory of timeline_refresh() */
	struct timeline_segment *segment; /* owned; in the order of struct segment_list */
	size_t count;
	struct timeline_open open[SEGMENT_TIERS_MAX]; /* by tier */
	struct timeline_bad *bad;                     /* owned */
	size_t bads, bad_room;
	uint64_t skipped; /* damaged parts and files */
};

/* A record. */
struct timeline_place {
	unsigned int tier;
	uint64_t number; /* of its segment */
	uint32_t entry;  /* in its index */
	uint64_t at_ns;
	uint32_t marks;
};

/* Opens DIRECTORY, which stays borrowed. Returns 0 or a negative errno of open(). */
int timeline_open(
	struct timeline *t, const char *directory, const struct archive_listener *listener);

/*
 * Opens the directory of FROM, with what FROM knows of its segments, so that none is read for that again.
 * T finds damaged records itself, and says nothing of them. Returns 0, -ENOMEM, or a negative errno of openat(). The caller gives T to
 * timeline_close() also after an error.
 */
int timeline_copy(struct timeline *t, const struct timeline *from);

/* Closes and frees what T owns. */
void timeline_close(struct timeline *t);

/* Looks for what the archive has now. Returns 0, -ENOMEM, or an error of segment_list_read(). */
int timeline_refresh(struct timeline *t);

enum timeline_way {
	TIMELINE_BEFORE, /* the last record at or before a time */
	TIMELINE_AFTER,  /* the first record at or after a time */
};

/* Which records timeline_find() looks for. */
struct timeline_search {
	enum timeline_way way;
	uint64_t at_ns;
	unsigned int tier_min; /* this tier, and those above it */
	uint32_t marks;        /* records with any of these; 0: all records */
};

/*
 * Finds a record that can be decoded, as far as is known. Of several with the same time, gives that of
 * the lowest tier, and in it the last one. Returns 0, ARCHIVE_NONE or -ENOMEM.
 */
int timeline_find(
	struct timeline *t, const struct timeline_search *search, struct timeline_place *ret);

/*
 * Finds the record of TIER that was written last and can be decoded, as far as is known. Returns 0,
 * ARCHIVE_NONE or -ENOMEM.
 */
int timeline_last(struct timeline *t, unsigned int tier, struct timeline_place *ret);

/*
 * Gives the open segment of PLACE, valid until the next call for the same tier. Returns 0; -ENOMEM; or
 * ARCHIVE_NONE if it was removed or cannot be read.
 */
int timeline_records(
	struct timeline *t, const struct timeline_place *place, const struct timeline_open **ret);

enum timeline_loss {
	TIMELINE_LOST_RECORD, /* it is damaged */
	TIMELINE_LOST_CHAIN,  /* ... and so are those that follow in its chain */
	TIMELINE_LOST_FOR_NOW /* as a lost chain, until the next refresh: it could not be read */
};

/*
 * The record at PLACE cannot be decoded: forgets what is lost by LOSS, and says so. Returns 0 or
 * -ENOMEM.
 */
int timeline_give_up(
	struct timeline *t, const struct timeline_place *place, enum timeline_loss loss);

#endif
