/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/sysvipc/shm: the segments of SysV shared memory of the reader's IPC namespace, one a line, whoever owns them. A
 * segment keeps its memory until it is removed, attached or not: whose it is tells who is to be asked.
 */
#ifndef MEMTALLY_COLLECTORS_SYSVIPC_H
#define MEMTALLY_COLLECTORS_SYSVIPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	SYSVIPC_TEXT_MAX = 4 << 20, /* bytes, of some 25,000 segments */
	SYSVIPC_COLUMNS_MAX = 32,
};

/* A segment. */
struct sysvipc_segment {
	uint32_t uid; /* of the owner, which shmctl(IPC_SET) may make another than who created it */
	uint64_t attached;   /* how often */
	uint64_t size_bytes; /* that were asked for */
	uint64_t
		rss_bytes; /* in memory; in hugetlb pages, too, which nothing here tells from others */
	uint64_t swap_bytes;
};

enum sysvipc_column {
	SYSVIPC_UID,
	SYSVIPC_NATTCH,
	SYSVIPC_SIZE,
	SYSVIPC_RSS, /* this and the next: Linux 2.6.36 */
	SYSVIPC_SWAP,
	SYSVIPC_COLUMNS
};

/* Where each column stands, by the names in the first line. */
struct sysvipc {
	unsigned int place[SYSVIPC_COLUMNS];
	const char *at, *end; /* what is left of the text; borrowed */
};

enum sysvipc_outcome {
	SYSVIPC_END = 1, /* no line is left */
};

/* Reads the heads of the columns. -EBADMSG: one is missing, or the text is cut there. Pure, as the next is. */
int sysvipc_begin(struct sysvipc *s, const char *text, size_t len);

/* The next segment. 0, SYSVIPC_END, or -EBADMSG: a line that no kernel prints. */
int sysvipc_next(struct sysvipc *s, struct sysvipc_segment *ret);

/* Reads "sysvipc/shm" below PROCFS_FD into BUFFER, which is cleared first. -ENOENT: without CONFIG_SYSVIPC. */
int sysvipc_read(int procfs_fd, struct buffer *ret);

#endif
