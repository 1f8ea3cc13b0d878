/* SPDX-License-Identifier: Apache-2.0 */
/* Whole small texts of /proc/PID, read with as few read() calls as their form allows. */
#ifndef MEMTALLY_COLLECTORS_PROCFS_PROCTEXT_H
#define MEMTALLY_COLLECTORS_PROCFS_PROCTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/procfs/keyvalue.h"

/*
 * How complete texts of these files end on this kernel; learned from the first text. Zeroed: not
 * known yet.
 */
struct proctext_ends {
	struct keyvalue_end_key status, rollup;
};

/*
 * Reads the file PATH below DIRFD to its end into BUF of SIZE bytes. Sets *RET_LEN to its length,
 * and *RET_TOOK_NS to the time of the read() calls without the open, in ns. Learns in ENDS. Returns
 * 0; -EFBIG if the file has SIZE bytes or more; or a negative errno of openat() or read(). May
 * block if the kernel keeps readers of the file waiting: see worker.h.
 */
int proctext_read(struct proctext_ends *ends, int dirfd, const char *path, char *buf, size_t size,
	size_t *ret_len, uint64_t *ret_took_ns);

/*
 * Reads FD, an open status of a process, from its beginning, whether or not it was read before.
 * Parameters and errors are those of proctext_read().
 */
int proctext_reread_status(
	struct proctext_ends *ends, int fd, char *buf, size_t size, size_t *ret_len);

#endif
