/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording: adds snapshots to the archive with their marks, and synchronizes it. If the disk is
 * full, read-only or failing, the next snapshot is tried again, and what is recorded can still be
 * asked for. Each kind of failure is logged once, and counted.
 */
#ifndef MEMTALLY_RECORDER_RECORDING_H
#define MEMTALLY_RECORDER_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/archive/archive-reader.h"
#include "recorder/archive/archive.h"
#include "recorder/marks.h"

struct recording {
	const char *directory; /* borrowed */
	struct archive_limits limits;
	struct archive *archive;       /* NULL: it cannot be written at present */
	struct archive_reader *reader; /* for single snapshots */
	struct marks marks;            /* of the last recorded snapshot */
	bool is_failing;               /* the last snapshot was not recorded */
	bool is_unsynchronized;        /* no synchronization has succeeded since one failed */
	bool is_thinning_badly; /* the last snapshot is in tier 0, and missing in another one */
	uint64_t rest_ns; /* CLOCK_MONOTONIC of the next look at a synchronization that has begun */
	uint64_t retry_ns; /* CLOCK_MONOTONIC of the next try to open the archive; 0: it is open */
	uint64_t lost;     /* a count: snapshots of memtallyd that are missing between others */
	uint64_t said_ns;  /* CLOCK_MONOTONIC of the last message about them; 0: none yet */
	uint64_t failures; /* a count: snapshots that were not recorded */
};

/*
 * Opens the recording in DIRECTORY (borrowed). If the files can be read and not written, returns 0,
 * logs it, and tries again later. Otherwise returns a negative errno, which is logged: -EWOULDBLOCK
 * if another process records there, -EINVAL if LIMITS are invalid. The caller gives R to
 * recording_close() in any case.
 */
int recording_open(struct recording *r, const char *directory, const struct archive_limits *limits);

/* Synchronizes and closes the files. */
void recording_close(struct recording *r);

/* Returns whether the last snapshot was not recorded, or the files cannot be synchronized. */
bool recording_is_failing(const struct recording *r);

/*
 * Records VIEW (borrowed) at NOW_NS (CLOCK_MONOTONIC), unless it is recorded already. If it shows an
 * OOM kill or memory pressure, recording_run() is due at once, or after the pause. Logs failures.
 */
void recording_take(struct recording *r, const struct view *view, uint64_t now_ns);

/*
 * Has the files synchronized in the background, or tries to open them, if that is due at NOW_NS
 * (CLOCK_MONOTONIC). From one synchronization to the next there are at least three seconds. Logs
 * failures, and their end.
 */
void recording_run(struct recording *r, uint64_t now_ns);

/* Returns the CLOCK_MONOTONIC time at which recording_run() is due; UINT64_MAX: never. */
uint64_t recording_due_ns(const struct recording *r);

#endif
