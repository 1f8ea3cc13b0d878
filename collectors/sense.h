/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cheap look at a process: its statm, by a descriptor that is kept from pass to pass. A kept
 * descriptor costs half of an open, survives execve, and never shows another process: when its own
 * has ended it gives ESRCH, even if the pid is in use again.
 *
 * Where there are descriptors for both, each process has its directory and its statm kept. Where
 * there are not, statm comes first: it is read in every pass, and tells as well that its process
 * has ended; what is below the directory is read once in many. A statm without a descriptor is
 * opened anew below the kept directory; without that, too, below a directory whose start time is
 * compared first.
 */
#ifndef MEMTALLY_COLLECTORS_SENSE_H
#define MEMTALLY_COLLECTORS_SENSE_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/process.h"
#include "collectors/statm.h"

enum sense_outcome {
	SENSE_GONE = 1, /* the process has ended, or the thread by which it was read has */
	SENSE_UNKNOWN,  /* there is no statm to be had, or none that a kernel prints */
};

/* COUNT processes are going to be sensed: how many descriptors of statm, and of directories, may be kept. */
void sense_begin(struct process_reader *r, size_t count);

/*
 * Reads P's statm. 0; an outcome, then nothing is known and process_look() says more; -EMFILE, -ENFILE,
 * -ENOMEM: our own lack, which says nothing of the process.
 */
int sense_read(struct process_reader *r, struct process *p, struct statm *ret);

/*
 * Whether P, which is known, has another effective uid or gid than it had, which statm does not tell: by the owner of its
 * kept directory, which the kernel looks up each time. False where no directory is kept, or /proc is none.
 */
bool sense_is_anothers(const struct process_reader *r, const struct process *p);

/* Gives up P's descriptor of statm. */
void sense_forget(struct process_reader *r, struct process *p);

#endif
