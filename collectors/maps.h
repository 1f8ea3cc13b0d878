/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/maps
 *
 * Which files and shared memory objects a process maps, by device and inode, and how many bytes of each. Paths and addresses
 * are not kept. The text may have any length: it is parsed piece by piece in constant memory, with a table of MAPS_CANDIDATES
 * objects.
 *
 * Rule for a full table: its first half has the objects of which most bytes were seen so far. In the second half a new object
 * takes the place of the one with the fewest bytes, and inherits these as the upper bound of what was not seen of itself (the
 * Space-Saving algorithm of Metwally et al.); one that grows moves to the first half. So no object is lost that is mapped in one
 * piece and is one of the MAPS_CANDIDATES / 2 largest; nor one with more than 2 / MAPS_CANDIDATES of all the bytes that went
 * through the second half, in however many pieces it is mapped. An object that was dropped counts as one below
 * MAPS_SEGMENT_MIN: bounds do not follow its other sharers.
 */
#ifndef MEMTALLY_COLLECTORS_MAPS_H
#define MEMTALLY_COLLECTORS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/stream.h"

enum {
	MAPS_SEGMENTS = 8,            /* as many as are told: the largest */
	MAPS_SEGMENT_MIN = 256 << 10, /* bytes; smaller ones are not worth knowing */
	MAPS_CANDIDATES = 128,        /* objects in the table */
	MAPS_TEXT_MAX = 32 << 20,     /* bytes that maps_read() reads of any text, and */
	MAPS_LINE_MAX = 256, /* for each mapping that a process may have (vm.max_map_count) */
	MAPS_HEAD = 96,      /* of a line, as far as the inode: the path is passed over */
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
	bool in_line;       /* the last piece ended within one */
	size_t count, last; /* .last: the item that the last mapping was of */
	uint64_t least_top; /* at most the bytes of any item of the first half, once that is full */
	struct maps_segment item[MAPS_CANDIDATES]; /* .bytes without .unseen */
	uint64_t unseen[MAPS_CANDIDATES]; /* at most mapped of each before it came into the table */
	uint64_t start, end; /* of the first and the last mapping; 0 before the first */
	uint64_t mappings;
	uint64_t largest; /* bytes of the largest mapping that may be accessed at all */
};

void maps_parser_init(struct maps_parser *p);

/* -EBADMSG: a line that no kernel prints. */
int maps_parser_feed(struct maps_parser *p, const char *text, size_t len);

enum maps_outcome {
	MAPS_CUT = 1, /* the text is longer than maps_read() reads */
};

/*
 * Reads S, a stream of maps, to its end, by pieces of SIZE bytes in TEXT, into P. The limit is MAPS_TEXT_MAX, or MAPS_LINE_MAX
 * times vm.max_map_count below PROCFS_FD if that is more. A longer text has names of hundreds of bytes, or no end: the kernel goes on at
 * the next higher address, so a process can map more there while it is read. Returns 0; MAPS_CUT if it stopped at the limit, with P as
 * if the text had ended with the last complete line; -EBADMSG; or a negative errno of stream_read().
 */
int maps_read(struct stream *s, char *text, size_t size, int procfs_fd, struct maps_parser *p);

/*
 * Writes the largest segments of at least MAPS_SEGMENT_MIN, largest first, to RET, and how many to
 * *RET_COUNT. An empty text has none. -EBADMSG: it ends in the middle of a line. That a text ended
 * early because the process did is not to be seen here: .start and .end against the range of rollup tell.
 */
int maps_parser_end(const struct maps_parser *p, struct maps_segment ret[static MAPS_SEGMENTS],
	size_t *ret_count);

#endif
