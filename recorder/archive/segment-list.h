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
};

/*
 * Reads the directory DIRFD into *RET, which is emptied first. Other files are left out. Returns 0,
 * -ENOMEM, or a negative errno of openat() or readdir().
 */
int segment_list_read(int dirfd, struct segment_list *ret);

/* Frees what L owns. */
void segment_list_done(struct segment_list *l);
#define AUTO_SEGMENT_LIST CLEANUP(segment_list_done)

#endif
