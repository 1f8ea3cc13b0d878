/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without a name that a process has open: a descriptor of one keeps it as a mapping does.
 */
#ifndef MEMTALLY_INSIDE_OPENFILES_H
#define MEMTALLY_INSIDE_OPENFILES_H

#include <stdint.h>

enum openfiles_outcome {
	OPENFILES_MANY = 1, /* there are more than may be looked at: the others were not */
};

/* Called for each. Anything but 0 ends it, and is returned. */
typedef int (*openfiles_taker)(uint32_t major, uint32_t minor, uint64_t inode, void *context);

/*
 * Those of the process whose directory of descriptors, /proc/PID/fd, is FD, which is consumed. No file system is asked for
 * anything; but NFS and 9p ask their server as soon as one comes to a file of theirs (d_weak_revalidate()), which is done where its name ends in
 * " (deleted)". Each descriptor that is looked at takes one from *BUDGET, and some microseconds. 0, also where the process ends meanwhile;
 * OPENFILES_MANY; the taker's; -ENOMEM, or errors of reading the directory.
 */
int openfiles_read(int fd, uint64_t *budget, openfiles_taker take, void *context);

#endif
