/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tier of an archive: a ring of segment files, of which the newest is being written
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_TIER_H
#define MEMTALLY_RECORDER_ARCHIVE_TIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "recorder/archive/archive-types.h"
#include "recorder/archive/segment-index.h"
#include "recorder/archive/segment-list.h"
#include "recorder/archive/syncer.h"
#include "recorder/archive/tier-slot.h"
#include "recorder/codec/codec.h"
#include "snapshot/view.h"

struct tier {
	int dirfd;             /* borrowed */
	struct syncer *syncer; /* borrowed */
	unsigned int tier;
	uint64_t bytes_max; /* of all its files */

	struct segment_list list; /* its segments, the one that is being written included */
	uint64_t bytes;           /* of all of them */
	uint64_t next_number;

	int fd;      /* owned: the segment that is being written; -1: none */
	uint64_t at; /* its size in bytes */
	struct segment_summary summary;
	bool is_dirty; /* it has bytes that the syncer was not told of */

	struct encoder *encoder;         /* owned */
	uint64_t last_check;             /* of the last record, which the next one may follow */
	uint32_t chain;                  /* records since the last key */
	uint64_t key_bytes, chain_bytes; /* of the last key; of the records since */
	struct buffer record;

	struct tier_slot slot; /* of the last record */

	struct archive_counts counts; /* .records, .keys, .record_bytes and .removed count */
	bool has_new_name;            /* the directory is not synchronized */
	const char *what;             /* after an error: what failed (static) */
	uint64_t failed_number;       /* ... and in which segment */
};

/*
 * Initializes T, which has BYTES_MAX bytes for its segments, and SYNCER (borrowed). Removes the oldest ones of LIST beyond
 * that. Returns 0, -ENOMEM, or a negative errno. The caller gives T to tier_done() also after an
 * error.
 */
int tier_init(struct tier *t, int dirfd, unsigned int tier, uint64_t span_ns, uint64_t bytes_max,
	const struct segment_list *list, struct syncer *syncer);

/* Ends the segment that is being written, and frees what T owns. */
void tier_done(struct tier *t);

/* Appends VIEW with MARKS. Returns 0 or an error of archive_add(). */
int tier_add(struct tier *t, const struct view *view, uint32_t marks);

/* Has the syncer synchronize the segment that is being written. */
void tier_sync(struct tier *t);

#endif
