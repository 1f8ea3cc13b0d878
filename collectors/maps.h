/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/maps: which files and segments of shared memory a process maps, by device and inode, and how
 * much of each. Nothing else of it is kept: no path, no address. The text comes in pieces of any size
 * and is parsed in memory for one line's beginning. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MAPS_H
#define MEMTALLY_COLLECTORS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAPS_SEGMENTS = 8,            /* as many as are told: the largest */
	MAPS_SEGMENT_MIN = 256 << 10, /* bytes; smaller ones are not worth knowing */
	MAPS_CANDIDATES = 32,         /* as many inodes as are told apart at a time */
	MAPS_HEAD = 96,               /* of a line, as far as the inode: the path is passed over */
};

/* A file or shared memory: all that is mapped of one inode, in however many mappings. */
struct maps_segment {
	uint64_t device; /* major << 32 | minor; shmem has one that no file system has */
	uint64_t inode;  /* never 0: that is private memory */
	uint64_t bytes;  /* mapped, not resident */
	bool is_shmem; /* mapped as shared, of no block device: what RssShmem counts, most likely */
};

struct maps_parser {
	char head[MAPS_HEAD];
	size_t head_len;
	bool in_line; /* the last piece ended within one */
	size_t count;
	struct maps_segment item[MAPS_CANDIDATES];
	uint64_t start, end; /* of the first and the last mapping; 0 before the first */
	uint64_t mappings;
	uint64_t largest; /* bytes of the largest mapping that may be accessed at all */
};

void maps_parser_init(struct maps_parser *p);

/* -EBADMSG: a line that no kernel prints. */
int maps_parser_feed(struct maps_parser *p, const char *text, size_t len);

/*
 * Writes the largest segments of at least MAPS_SEGMENT_MIN, largest first, to RET, and how many to
 * *RET_COUNT. An empty text has none. -EBADMSG: it ends in the middle of a line. That a text ended
 * early because the process did is not to be seen here: .start and .end against the range of rollup tell.
 */
int maps_parser_end(const struct maps_parser *p, struct maps_segment ret[static MAPS_SEGMENTS],
	size_t *ret_count);

#endif
