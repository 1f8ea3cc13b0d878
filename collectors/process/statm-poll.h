/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Poll: reads the statm of a process by a descriptor that is kept from pass to pass. A kept
 * descriptor costs half of an open and survives execve. It never shows another process: after its
 * own has been reaped, reads return ESRCH, even if the pid is in use again.
 *
 * If there are enough descriptors, each process has its directory and its statm kept. If not, statm
 * comes first: every pass reads it, and it also shows that its process has exited, while files
 * below the directory are read once in many passes. A statm without a kept descriptor is opened
 * anew: below the kept directory or, without one, below a new directory, after its start time was
 * compared.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATM_POLL_H
#define MEMTALLY_COLLECTORS_PROCESS_STATM_POLL_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/process/process.h"
#include "collectors/procfs/statm.h"

enum statm_poll_outcome {
	STATM_POLL_GONE = 1, /* the process has exited, or the thread by which it was read has */
	STATM_POLL_UNKNOWN, /* there is no statm that can be read, or not one that a kernel prints */
};

/*
 * Begins a pass that polls COUNT processes: sets how many descriptors of statm and of directories
 * may be kept.
 */
void statm_poll_begin(struct process_reader *r, size_t count);

/*
 * Reads P's statm into *RET. Returns 0; an enum statm_poll_outcome: then nothing is known, and
 * process_look() says more; or -EMFILE, -ENFILE or -ENOMEM, which say nothing about the process.
 */
int statm_poll_read(struct process_reader *r, struct process *p, struct statm *ret);

/*
 * Returns whether P, which must be known, has another effective UID or GID than before. statm does
 * not show that, but the owner of the kept directory does, which the kernel looks up each time.
 * Returns false if no directory is kept, or if /proc is not that of this pid namespace.
 */
bool statm_poll_is_anothers(const struct process_reader *r, const struct process *p);

#endif
