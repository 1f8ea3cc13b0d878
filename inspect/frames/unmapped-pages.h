/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unmapped Shared Memory of One File
 *
 * Finds how many pages of a file (inspect/frames/shmem-files.h) are in no page table, and whether
 * the file is freed with the processes that map it. The file is opened below /proc/PID/map_files of
 * one of these processes, which takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_UNMAPPED_PAGES_H
#define MEMTALLY_INSPECT_FRAMES_UNMAPPED_PAGES_H

#include <stdbool.h>

#include "inspect/frames/shmem-files.h"

enum unmapped_pages_outcome {
	/* The process no longer maps the file there, or the kernel refuses to open it. */
	UNMAPPED_PAGES_GONE = 1,
};

/*
 * Sets .is_kept, .unmapped_bytes and .is_known of FILE below the proc file system PROCFS_FD. FILE
 * must be mapped, and be shared memory or on a disk. IS_SWAPPING: the host has memory in swap, so
 * pages of the file in swap are subtracted.
 *
 * The file is kept if it has a name, or is a SysV segment that is not marked to be removed with its
 * last mapping; a segment of another IPC namespace counts as kept. .unmapped_bytes of a file on a
 * disk is 0: its pages in the page cache are not counted.
 *
 * Returns 0; UNMAPPED_PAGES_GONE: nothing is set; -ENOMEM, -EMFILE or -ENFILE. Asks no file system
 * that may not answer.
 */
int unmapped_pages_read(int procfs_fd, struct shmem_file *file, bool is_swapping);

#endif
