/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archive: the snapshots that memtally-recorder keeps on disk
 *
 * A directory of segment files. Each tier has its own ring of segments with a share of the total
 * size: tier 0 takes each snapshot, a higher tier the first one of each span of time and the first
 * marked one. If a tier is full, its oldest segment is removed. docs/recorder-format.md describes
 * the files, recorder/archive/archive-reader.h reads them.
 *
 * A record is in the file when archive_add() returns, so SIGKILL loses no record. Power loss loses
 * what the disk does not have: a thread synchronizes the files (recorder/archive/syncer.h), so that
 * archive_add() does not wait for that. Only fdatasync() and fsync() are in the thread: pwrite() may
 * wait, if the kernel has too many unwritten pages of the disk, and so may all that makes, writes or
 * removes a file, for the file system's journal. Records keep the order in which they were added; if the
 * clock is set back, they keep the times that they have.
 *
 * System calls: openat, newfstatat, fstat, fcntl, getdents64, flock, pread64, pwrite64, ftruncate,
 * fdatasync, fsync (of the directory), unlinkat, close, clone (of the thread), futex.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_H
#define MEMTALLY_RECORDER_ARCHIVE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "recorder/archive/archive-types.h"
#include "snapshot/view.h"

/* The smallest archive_limits.bytes. */
#define ARCHIVE_BYTES_MIN (UINT64_C(4) << 20)

struct archive_tier_limits {
	/*
	 * The tier takes the first snapshot of each span of this length, counted from the epoch, and
	 * the first one in it with a mark; 0: all snapshots.
	 */
	uint64_t span_ns;
	uint32_t percent; /* the tier's share of .bytes */
};

struct archive_limits {
	uint64_t bytes; /* total size of all files, never exceeded */
	struct archive_tier_limits tier[ARCHIVE_TIERS]; /* .percent: 100 together, at most */
	uint64_t sync_ns; /* how long a record may wait for archive_sync() */
};

/* Returns the default limits with the total size BYTES. */
struct archive_limits archive_default_limits(uint64_t bytes);

struct archive;

/*
 * Opens DIRECTORY (which must exist) for recording. Removes the oldest segments if there are more
 * than LIMITS allows. Never appends to an existing segment. Files get the mode 0640. *RET is the
 * caller's.
 *
 * Returns 0; -EINVAL if LIMITS are invalid; -EWOULDBLOCK if another process records there; -ENOMEM,
 * also if no thread can be started; or a negative errno of a system call. After an error REASON is a
 * message with the path, for an administrator.
 */
int archive_open(const char *directory, const struct archive_limits *limits, struct archive **ret,
	char reason[static ARCHIVE_REASON_SIZE]);

/* Closes A and its files; waits only for what is being synchronized. Accepts NULL. Returns NULL. */
struct archive *archive_close(struct archive *a);

static inline void cleanup_archive(struct archive **a)
{
	archive_close(*a);
}
#define AUTO_ARCHIVE CLEANUP(cleanup_archive)

/*
 * Appends the whole image of VIEW with MARKS (of enum past_mark) at NOW_NS (CLOCK_MONOTONIC). The
 * caller has set the marks by comparing VIEW with the view that it added before.
 *
 * Returns 0; -ENOMEM; -EFBIG if the image or its record is too large; or a negative errno of a
 * system call such as -ENOSPC, -EROFS and -EIO. After an error the record is missing in at least one
 * tier, archive_reason() says where and why, and no other record is damaged. The next call tries
 * again.
 */
int archive_add(struct archive *a, const struct view *view, uint32_t marks, uint64_t now_ns);

/* Returns why the last call failed, with the name of the file, for an administrator. */
const char *archive_reason(const struct archive *a);

/*
 * Returns the CLOCK_MONOTONIC time at which archive_sync() is due: at most .sync_ns after the first
 * record that it would synchronize, and at once after a record with PAST_MARK_OOM or
 * PAST_MARK_PRESSURE. UINT64_MAX: there is no such record.
 */
uint64_t archive_due_ns(const struct archive *a);

/* What archive_sync() has begun has completed, and nothing of it has failed. */
enum { ARCHIVE_SYNCED = 1 };

/*
 * Begins to synchronize the files (fdatasync()) if that is due at NOW_NS (CLOCK_MONOTONIC) and not going
 * on already, and does not wait for it. Returns ARCHIVE_SYNCED, once for each synchronization, or 0.
 * Returns a negative errno if files could not be synchronized since the last call: then
 * archive_reason() says why, the records stay as they are, and the next record begins a new segment. If
 * only the names of new files could not be synchronized, it is due again .sync_ns later.
 */
int archive_sync(struct archive *a, uint64_t now_ns);

/* Returns whether archive_sync() has begun, and must be called again for the outcome. */
bool archive_is_syncing(const struct archive *a);

/* Waits until the disk has all records, due or not. Returns 0, or a negative errno as archive_sync(). */
int archive_finish(struct archive *a, uint64_t now_ns);

/* Returns counts of A. */
struct archive_counts archive_counts(const struct archive *a);

#endif
