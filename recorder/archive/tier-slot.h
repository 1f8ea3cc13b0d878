/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which snapshots a tier takes: the first one of each span of time, and the first one in it with a mark
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_TIER_SLOT_H
#define MEMTALLY_RECORDER_ARCHIVE_TIER_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/archive/segment-list.h"

struct tier_slot {
	uint64_t span_ns; /* 0: the tier takes all snapshots */
	uint64_t slot;    /* the span of the last record, if .has_slot */
	bool has_slot;
	uint32_t marks; /* of records in that span */
};

/* Returns whether the tier takes a snapshot of the time REALTIME_NS with MARKS. */
bool tier_slot_wants(const struct tier_slot *s, uint64_t realtime_ns, uint32_t marks);

/* Notes that the tier has a snapshot of the time REALTIME_NS with MARKS. */
void tier_slot_take(struct tier_slot *s, uint64_t realtime_ns, uint32_t marks);

/*
 * Notes the snapshots of the newest segment in LIST, the segments of one tier in the directory DIRFD,
 * that has any and can be read: so a start writes no span twice. Returns 0 or -ENOMEM.
 */
int tier_slot_recall(struct tier_slot *s, int dirfd, const struct segment_list *list);

#endif
