/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The segments in a directory
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_SEGMENT_LIST_H
#define MEMTALLY_RECORDER_ARCHIVE_SEGMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct segment_file {
	unsigned int tier;
	uint64_t number;
	uint64_t bytes;
};

/* By ascending tier and number. Zeroed: empty. */
struct segment_list {
	struct segment_file *file; /* owned */
	size_t count, room;
	uint64_t
		changed_ns; /* when the directory had changed; 0: it may have changed since, unseen */
};

/*
 * Reads the directory DIRFD into *RET, which is emptied first. Other files are left out. Returns 0,
 * -ENOMEM, or a negative errno of openat() or readdir().
 */
int segment_list_read(int dirfd, struct segment_list *ret);

/*
 * Updates L, which segment_list_read() has made for DIRFD. If the directory has not changed since, only
 * the size of the newest segment of each tier is read: no other one grows. Returns as segment_list_read().
 */
int segment_list_update(int dirfd, struct segment_list *l);

/* Makes L, which is zeroed, a copy of FROM. Returns 0 or -ENOMEM. */
int segment_list_copy(struct segment_list *l, const struct segment_list *from);

/* Frees what L owns. */
void segment_list_done(struct segment_list *l);
#define AUTO_SEGMENT_LIST CLEANUP(segment_list_done)

#endif
