/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture for tests of the recorder: a recording in a temporary directory, and samples for it. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_RECORDER_TAPED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_RECORDER_TAPED_H

#include "tests/unit/support/unit.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "recorder/recording.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/snapshot/sample.h"

struct taped {
	char dir[40];
	struct archive_limits limits;
	struct recording recording;
};

static inline void taped_begin(struct taped *t)
{
	*t = (struct taped){.limits = archive_default_limits(ARCHIVE_BYTES_MIN)};
	snprintf(t->dir, sizeof(t->dir), "/tmp/memtally-taped-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	assert_int_equal(recording_open(&t->recording, t->dir, &t->limits), 0);
}

static inline void taped_end(struct taped *t)
{
	recording_close(&t->recording);
	assert_int_equal(folder_remove(t->dir), 0);
}

/* The time of sample I: they are ten seconds apart. */
static inline uint64_t taped_ns(uint64_t i)
{
	return SAMPLE_REALTIME_NS + i * SAMPLE_INTERVAL_NS;
}

/* Returns sample I, which the caller unrefs. */
static inline struct view *taped_sample(uint64_t i)
{
	return sample_open(&(struct sample_options){.sequence = i + 1,
		.realtime_ns = taped_ns(i),
		.boottime_ns = SAMPLE_BOOTTIME_NS + i * SAMPLE_INTERVAL_NS,
		.more = 20,
		.growth_kib = 4});
}

/* Records samples FIRST to before END. */
static inline void taped_take(struct taped *t, uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i++) {
		struct view *view = taped_sample(i);

		recording_take(&t->recording, view, clock_now_ns(CLOCK_MONOTONIC));
		view_unref(view);
	}
}

/* Returns how many snapshots the most detailed tier has. */
static inline uint64_t taped_count(struct taped *t)
{
	struct archive_coverage coverage;

	assert_int_equal(archive_reader_coverage(t->recording.reader, &coverage), 0);
	return coverage.tier[0].snapshots;
}

#endif
