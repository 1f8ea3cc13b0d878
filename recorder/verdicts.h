/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on growth
 *
 * Counts the verdicts on the 1,000 largest owners and processes of the recording, by the rules of
 * `memtally growth` (growth/growth-rows.h). A round reads the last 36 hours of the archive, one
 * snapshot in five minutes, and judges. It is made in steps; its memory is freed at its end. A round
 * needs a current snapshot: one of the last 15 minutes, and since the start of the host.
 */
#ifndef MEMTALLY_RECORDER_VERDICTS_H
#define MEMTALLY_RECORDER_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/archive/archive-reader.h"
#include "snapshot/past.h"

enum {
	VERDICTS_ROWS_MAX = 1000, /* the largest rows are judged; each takes 8 KiB in a round */
	/* The pause after a round is at least this many times its CPU time: 0.05 % of a core. */
	VERDICTS_PAUSE_FACTOR = 2000,
};

/* The pause has these limits. */
#define VERDICTS_PAUSE_LEAST_NS (1800 * NS_PER_SEC)
#define VERDICTS_PAUSE_MOST_NS  (6 * 3600 * NS_PER_SEC)

struct verdicts_round;

/* Times are of CLOCK_MONOTONIC. */
struct verdicts {
	const struct archive_reader *archive; /* borrowed */
	struct verdicts_round *round;         /* owned; NULL: a pause */
	uint64_t due_ns;                      /* the next step */
	uint64_t until_ns;                    /* .growth counts until then; 0: it is not known */
	struct past_growth growth[PAST_GROWTH_SCOPES];
};

/* A moment, by the clocks of the same names. */
struct verdicts_now {
	uint64_t monotonic_ns, realtime_ns, boottime_ns;
};

/* Begins V. Each round copies the reader ARCHIVE (borrowed). The first round is due at once. */
void verdicts_init(struct verdicts *v, const struct archive_reader *archive);

/* Frees what V owns. Accepts a zeroed V. */
void verdicts_done(struct verdicts *v);

/*
 * Makes a step if one is due at NOW. A step ends after 4 ms, but not within a snapshot or a row. The
 * first snapshot that is read, and the newest one, with which a round begins, take longest: up to 127
 * records before them are decoded. If a round fails, the next one is tried after a pause. If there is
 * no current snapshot, the counts are no longer known, and a round is tried again after a minute.
 */
void verdicts_run(struct verdicts *v, const struct verdicts_now *now);

/* Returns when verdicts_run() is due. */
uint64_t verdicts_due_ns(const struct verdicts *v);

/*
 * Gives the counts of the last complete round in RET. Returns false if they are not known at NOW_NS:
 * there was no round yet, or none in twice the time of a pause.
 */
bool verdicts_count(const struct verdicts *v, uint64_t now_ns,
	struct past_growth ret[static PAST_GROWTH_SCOPES]);

#endif
