/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/PID/maps: finds which files and shared memory objects a process maps, by device
 * and inode, and how many bytes of each. It keeps no paths and no addresses. The text may have any
 * length: it is parsed in pieces, in constant memory, with a table of MAPS_CANDIDATES objects.
 *
 * If the table is full: its first half has the objects of which most bytes were seen so far. A new
 * object replaces the one in the second half with the fewest bytes, and inherits those as the upper
 * bound of its own unseen bytes (the Space-Saving algorithm of Metwally et al.). An object that
 * grows moves to the first half. So the table keeps each object that is mapped in one piece and is
 * one of the MAPS_CANDIDATES / 2 largest. It also keeps each object with more than 2 /
 * MAPS_CANDIDATES of all bytes that went through the second half, in however many pieces. A dropped
 * object counts as one below MAPS_OBJECT_MIN: bounds do not include its other sharers.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_MAPS_H
#define MEMTALLY_COLLECTORS_PROCFS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAPS_OBJECTS = 8,            /* objects returned: the largest */
	MAPS_OBJECT_MIN = 256 << 10, /* bytes mapped; smaller objects are not returned */
	MAPS_CANDIDATES = 128,       /* objects in the table */
	MAPS_HEAD = 96,              /* bytes of a line, up to the inode; the path is skipped */
};

/* A mapped object: all mappings of one inode together. */
struct maps_object {
	uint64_t device; /* major << 32 | minor; shmem has one that no file system has */
	uint64_t inode;  /* never 0: private memory has inode 0 */
	uint64_t bytes;  /* mapped, not resident */
	/* mapped as shared, and on no block device: most likely what RssShmem counts */
	bool is_shmem;
};

struct maps_parser {
	char head[MAPS_HEAD];
	size_t head_len;
	bool in_line; /* the last piece ended within a line */
	/* .last: index in .item of the object of the last mapping */
	size_t count, last;
	/* upper bound of .bytes in the first half, once that is full */
	uint64_t least_top;
	struct maps_object item[MAPS_CANDIDATES]; /* .bytes lacks .unseen */
	/* upper bound of the bytes of each object that were mapped before it came into the table */
	uint64_t unseen[MAPS_CANDIDATES];
	/* of the first and of the last mapping; 0 before the first */
	uint64_t start, end;
	uint64_t mappings;
	uint64_t largest; /* bytes of the largest mapping that is not "---" */
};

void maps_parser_init(struct maps_parser *p);

/*
 * Parses the next LEN bytes of the text. Returns 0, or -EBADMSG if there is a line that no kernel
 * prints.
 */
int maps_parser_feed(struct maps_parser *p, const char *text, size_t len);

/*
 * Ends the text here, although it goes on: as if it had ended with its last complete line.
 */
void maps_parser_cut(struct maps_parser *p);

/*
 * Writes the objects of at least MAPS_OBJECT_MIN bytes, largest first, to RET, and their number to
 * *RET_COUNT. An empty text has none. Returns 0, or -EBADMSG if the text ends in the middle of a
 * line. If the process exited during the reading, the text is too short without an error: compare
 * .start and .end with the range in smaps_rollup.
 */
int maps_parser_end(const struct maps_parser *p, struct maps_object ret[static MAPS_OBJECTS],
	size_t *ret_count);

#endif
