/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marked records of a timeline, which each segment keeps in memory once they were asked for
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_TIMELINE_MARKS_H
#define MEMTALLY_RECORDER_ARCHIVE_TIMELINE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "recorder/archive/archive-types.h"
#include "recorder/archive/timeline.h"

/*
 * Writes the records of T from FROM_NS to UNTIL_NS that have marks of MASK to *RET, which the caller
 * frees, by ascending time, each time once; and their number to *RET_COUNT. Returns 0 or -ENOMEM.
 */
int timeline_marks(struct timeline *t, uint64_t from_ns, uint64_t until_ns, uint32_t mask,
	struct archive_mark **ret, size_t *ret_count);

#endif
