/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of an archive
 *
 * Finds snapshots by time, in the process that records or in another one that may read the files.
 * Each call sees what has been added to the archive before it.
 *
 * Snapshots are in the order of their times (CLOCK_REALTIME), whatever tier they are in; of several
 * with the same time the last recorded one counts. If the clock was set back, the snapshots from
 * before and after it alternate for the time that came twice, and none is hidden.
 *
 * A damaged file never ends a call: the reader skips what it cannot read, up to the next key record,
 * and says so once for each file.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_READER_H
#define MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "recorder/archive/archive-types.h"
#include "snapshot/past.h"
#include "snapshot/view.h"

struct archive_reader;

/*
 * Opens the archive in DIRECTORY, which stays borrowed. *RET is the caller's. LISTENER: NULL: none.
 * Returns 0, also if the directory has no segments; -ENOMEM; or a negative errno of openat(). After
 * an error REASON is a message with the path.
 */
int archive_reader_open(const char *directory, const struct archive_listener *listener,
	struct archive_reader **ret, char reason[static ARCHIVE_REASON_SIZE]);

/*
 * Opens the archive of FROM for another reader, which does not read again what FROM knows of the segments.
 * FROM's directory stays borrowed. There is no listener. *RET is the caller's. Returns 0, -ENOMEM, or a negative errno of openat().
 */
int archive_reader_copy(const struct archive_reader *from, struct archive_reader **ret);

/* Closes R. Accepts NULL. Returns NULL. */
struct archive_reader *archive_reader_close(struct archive_reader *r);

static inline void cleanup_archive_reader(struct archive_reader **r)
{
	archive_reader_close(*r);
}
#define AUTO_ARCHIVE_READER CLEANUP(cleanup_archive_reader)

struct archive_found {
	/*
	 * Borrowed: valid until the next call with the same reader. To keep or send its image, use
	 * archive_reader_seal().
	 */
	struct view *view;
	uint64_t at_ns;               /* its time: .view->header->realtime_ns */
	uint32_t marks;               /* of enum past_mark */
	unsigned int tier;            /* in which it was found */
	uint64_t before_ns, after_ns; /* of the snapshots beside it; 0: there is none */
	uint64_t oom_ns;              /* PAST_OOM: of the first snapshot after the OOM kill */
};

/*
 * Finds the snapshot of PICK (PAST_AT, PAST_BEFORE, PAST_AFTER or PAST_OOM) at AT_NS. If that one
 * cannot be read, takes the next readable one in the same direction, up to 64 snapshots away.
 *
 * Returns 0; ARCHIVE_NONE; ARCHIVE_DAMAGED; -ENOMEM; or a negative errno if the directory cannot be
 * read. After all but 0 *RET_REASON (static) says why.
 */
int archive_reader_find(struct archive_reader *r, enum past_pick pick, uint64_t at_ns,
	struct archive_found *ret, const char **ret_reason);

/*
 * Gives the snapshot that was recorded last, also if the clock was set back before it: of tier 0; if it
 * cannot be read, the readable one before it. .before_ns, .after_ns and .oom_ns of *RET are 0. Returns as
 * archive_reader_find().
 */
int archive_reader_last(
	struct archive_reader *r, struct archive_found *ret, const char **ret_reason);

/* A loop over snapshots in the order of time. */
struct archive_series {
	uint64_t until_ns, step_ns;
	uint64_t last_ns; /* all up to here are done */
	bool has_last;    /* .last_ns is the time of a snapshot */
};

/*
 * Begins a loop over the snapshots from FROM_NS to UNTIL_NS: the first one of each span of STEP_NS,
 * counted from the epoch; 0: all. For steps of a minute and more it takes those of the tier that has
 * one for each step, and of lower tiers where that one has a hole. Other calls with the same reader may come in between; they make the loop slower.
 *
 *     struct archive_series s = archive_reader_series(from_ns, until_ns, step_ns);
 *     while ((r = archive_reader_next(reader, &s, &found, &reason)) == 0)
 */
static inline struct archive_series archive_reader_series(
	uint64_t from_ns, uint64_t until_ns, uint64_t step_ns)
{
	return (struct archive_series){
		.until_ns = until_ns, .step_ns = step_ns, .last_ns = from_ns ? from_ns - 1 : 0};
}

/*
 * Gives the next snapshot of S; .before_ns, .after_ns and .oom_ns of *RET are 0. Decodes each record
 * once. Returns 0; ARCHIVE_NONE: there is no further one; or an error of archive_reader_find().
 */
int archive_reader_next(struct archive_reader *r, struct archive_series *s,
	struct archive_found *ret, const char **ret_reason);

/*
 * Gives the snapshots from FROM_NS to UNTIL_NS that have marks of MASK (of enum past_mark), in the
 * order of time: the newest MAX of them in TO. Reads no image. *RET_COUNT may be above MAX. Segments are
 * read once: the reader keeps their marks. Returns 0, -ENOMEM, or a negative errno if the directory cannot be read.
 */
int archive_reader_marks(struct archive_reader *r, uint64_t from_ns, uint64_t until_ns,
	uint32_t mask, struct archive_mark *to, size_t max, size_t *ret_count);

/* The times and sizes of an archive. */
struct archive_coverage {
	uint64_t first_ns,
		last_ns;  /* the oldest and the newest snapshot by time; 0: there is none */
	uint64_t bytes;   /* of all segments */
	uint64_t skipped; /* damaged records and files that this reader has met */
	struct {
		uint64_t first_ns, last_ns, bytes;
		uint64_t snapshots; /* a count */
	} tier[ARCHIVE_TIERS];
};

/* Writes *RET. Returns 0, -ENOMEM, or a negative errno if the directory cannot be read. */
int archive_reader_coverage(struct archive_reader *r, struct archive_coverage *ret);

/*
 * Copies the image of VIEW into a sealed memfd *RET_FD, which the caller owns: to be sent, or for
 * view_open() with a view that outlives the next call. Returns 0 or an error of memfd_new_sealed().
 */
int archive_reader_seal(const struct view *view, int *ret_fd);

#endif
