/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A series of snapshots for tests of recordings, in the working directory
 *
 * Snapshot I is always the same, so a test compares what it reads with recorded_view(). It is taken at
 * recorded_at(I), each 10 s; processes are born and exit, and some grow.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_RECORDER_RECORDED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_RECORDER_RECORDED_H

#include <stdint.h>

#include "recorder/archive/archive-reader.h"
#include "recorder/archive/archive.h"
#include "snapshot/view.h"

#define RECORDED_STEP_NS UINT64_C(10000000000)
/* The beginning of an hour */
#define RECORDED_BEGIN_NS UINT64_C(1700002800000000000)
#define RECORDED_LIMIT    (UINT64_C(64) << 20)

enum { RECORDED_FOLDER_SIZE = 32 };

static inline uint64_t recorded_at(uint64_t i)
{
	return RECORDED_BEGIN_NS + i * RECORDED_STEP_NS;
}

/* Returns snapshot I; the caller unrefs it. */
struct view *recorded_view(uint64_t i);

/* Returns snapshot I, taken at AT_NS. */
struct view *recorded_view_at(uint64_t i, uint64_t at_ns);

/* Returns snapshot I with random quantities of processes, which take about 60 KiB in a record. */
struct view *recorded_noise(uint64_t i);

/* Returns snapshot I of 300 processes that were measured at intervals of about 450 us. */
struct view *recorded_measured(uint64_t i);

/* Returns the image of VIEW as a later minor version would make it: longer rows, another section. */
struct view *recorded_newer(const struct view *view);

/* Returns the image of VIEW with a gap between two sections. */
struct view *recorded_unusual(const struct view *view);

/* Returns a copy of VIEW, taken at AT_NS; the caller unrefs it. */
struct view *recorded_copy_at(const struct view *view, uint64_t at_ns);

/* Makes a new folder below the working directory, and writes its name to FOLDER. */
void recorded_folder(char folder[static RECORDED_FOLDER_SIZE]);

/* Opens FOLDER for recording with LIMIT bytes. */
struct archive *recorded_open(const char *folder, uint64_t limit);

/* Records the snapshots from FROM up to, and without, TO in A. */
void recorded_add(struct archive *a, uint64_t from, uint64_t to);

/* Has A synchronized if that is due at NOW_NS, and returns the outcome of archive_sync(). */
int recorded_sync(struct archive *a, uint64_t now_ns);

/* Opens FOLDER for reading. */
struct archive_reader *recorded_reader(const char *folder);

/* Asserts that R finds snapshot I for PICK at AT_NS. */
void recorded_expect(struct archive_reader *r, enum past_pick pick, uint64_t at_ns, uint64_t i);

/* Asserts that the images of A and B are the same. */
void recorded_assert_same(const struct view *a, const struct view *b);

/* Returns the bytes of all files in FOLDER. */
uint64_t recorded_bytes(const char *folder);

#endif
