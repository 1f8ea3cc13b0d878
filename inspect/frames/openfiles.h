/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open Files
 *
 * Lists the files without a name, and the sockets, that a process has open. A descriptor keeps its
 * file in the same way as a mapping.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_OPENFILES_H
#define MEMTALLY_INSPECT_FRAMES_OPENFILES_H

#include <stdbool.h>
#include <stdint.h>

enum openfiles_outcome {
	OPENFILES_MANY = 1, /* *BUDGET is used up: further descriptors were not read */
};

/*
 * Called for each file, and for each socket with MAJOR and MINOR of 0. A result other than 0 ends
 * the reading, and is returned.
 */
typedef int (*openfiles_taker)(uint32_t major, uint32_t minor, uint64_t inode, void *context);

/*
 * Calls TAKE for the files without a name and those of memfd_secret(2), and with WITH_SOCKETS for
 * the sockets, of a process. FD: its open directory /proc/PID/fd, which is consumed. Each
 * descriptor takes 1 from *BUDGET, and some microseconds. Returns 0, also if the process exits
 * during the reading; OPENFILES_MANY; a result of TAKE; -ENOMEM; or a negative errno of reading the
 * directory.
 *
 * No file system is asked for anything. But NFS and 9p ask their server when the kernel follows a
 * descriptor (d_weak_revalidate()): that happens if the name of the file ends in " (deleted)", and
 * may block.
 */
int openfiles_read(
	int fd, bool with_sockets, uint64_t *budget, openfiles_taker take, void *context);

#endif
