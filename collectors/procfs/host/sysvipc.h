/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/sysvipc/shm: all SysV shared memory segments of the reader's IPC namespace, one a
 * line. A segment keeps its memory until it is removed, attached or not. Its uid tells which user
 * to ask about it.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_SYSVIPC_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_SYSVIPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/scan.h"

enum {
	SYSVIPC_TEXT_MAX = 4 << 20, /* bytes, of some 25,000 segments */
	SYSVIPC_COLUMNS_MAX = 32,
};

/* A segment of SysV shared memory. */
struct sysvipc_segment {
	/* of the owner; shmctl(IPC_SET) can make it another user than the creator */
	uint32_t uid;
	uint64_t attached;   /* how often it is attached */
	uint64_t size_bytes; /* as requested */
	/* resident bytes, in hugetlb pages, too, which cannot be told from others here */
	uint64_t rss_bytes;
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

/* Parser state: the position of each column, by the names in the first line. */
struct sysvipc {
	unsigned int place[SYSVIPC_COLUMNS];
	struct scan rest; /* of the text, which is borrowed */
};

enum sysvipc_outcome {
	SYSVIPC_END = 1, /* no line is left */
};

/*
 * Parses the names of the columns in TEXT (LEN bytes), which stays borrowed. Returns 0, or -EBADMSG
 * if a column is missing or the line is cut off. Pure, and so is sysvipc_next().
 */
int sysvipc_begin(struct sysvipc *s, const char *text, size_t len);

/*
 * Parses the next line into RET. Returns 0, SYSVIPC_END, or -EBADMSG for a line that no kernel
 * prints.
 */
int sysvipc_next(struct sysvipc *s, struct sysvipc_segment *ret);

/*
 * Reads "sysvipc/shm" below PROCFS_FD into RET, which is cleared first. Returns 0; -ENOENT without
 * CONFIG_SYSVIPC; -EFBIG above SYSVIPC_TEXT_MAX; or another negative errno of open() or read().
 */
int sysvipc_read(int procfs_fd, struct buffer *ret);

#endif
