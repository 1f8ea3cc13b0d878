/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmapped pages of one file (memfiles.h): how many are in no page table, and whether the file is freed with the processes
 * that map it. The file is opened below map_files of one of these processes, which takes CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSIDE_REMNANT_H
#define MEMTALLY_INSIDE_REMNANT_H

#include <stdbool.h>

#include "inside/memfiles.h"

enum remnant_outcome {
	REMNANT_GONE = 1, /* the process no longer maps it there, or the kernel refuses it */
};

/*
 * Sets .is_kept and .unmapped_bytes of FILE, which is mapped, and is shared memory or on a disk, by the proc file system
 * PROCFS_FD. The file is kept if it has a name, or is a SysV segment that is not marked to be removed with its last mapping,
 * as far as can be seen from here. .unmapped_bytes of a file on a disk is 0: its pages in the page cache are not counted.
 * IS_SWAPPING: the host has memory in swap, so pages of the file in swap are left out. Returns 0; REMNANT_GONE; -ENOMEM,
 * -EMFILE or -ENFILE. Asks no file system that may not answer.
 */
int remnant_read(int procfs_fd, struct memfile *file, bool is_swapping);

#endif
