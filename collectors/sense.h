/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cheap look at a process: its statm, by a descriptor that is kept from pass to pass. A kept
 * descriptor costs half of an open, survives execve, and never shows another process: when its own has ended
 * it gives ESRCH, even if the pid is in use again.
 *
 * Descriptors of directories come first, since more hangs on them: .statm_max of the reader is what those
 * leave. A statm without one is opened anew below the kept directory; without that, too, below a directory
 * whose start time is compared first.
 */
#ifndef MEMTALLY_COLLECTORS_SENSE_H
#define MEMTALLY_COLLECTORS_SENSE_H

#include <stddef.h>

#include "collectors/process.h"
#include "collectors/statm.h"

enum sense_outcome {
	SENSE_GONE = 1, /* the process has ended, or the thread by which it was read has */
	SENSE_UNKNOWN,  /* there is no statm to be had, or none that a kernel prints */
};

/* COUNT processes are going to be sensed: how many descriptors of statm may be kept besides their directories. */
void sense_begin(struct process_reader *r, size_t count);

/*
 * Reads P's statm. 0; an outcome, then nothing is known and process_look() says more; -EMFILE, -ENFILE,
 * -ENOMEM: our own lack, which says nothing of the process.
 */
int sense_read(struct process_reader *r, struct process *p, struct statm *ret);

/* Gives up P's descriptor of statm. */
void sense_forget(struct process_reader *r, struct process *p);

#endif
