/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Target Process
 *
 * A process that a view reads, with the rights of the user that runs memtally: its name, and its
 * files in /proc. The results tell whether all readings were of one image. All reads may block, see
 * cli/common/reading/supervisor.h.
 */
#ifndef MEMTALLY_INSPECT_MAPS_TARGET_H
#define MEMTALLY_INSPECT_MAPS_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/process/process.h"
#include "inspect/maps/mapping.h"

/* Why a process cannot be read. */
enum target_outcome {
	TARGET_KERNEL_THREAD = 1, /* it has no memory of its own */
	TARGET_ENDED,             /* a zombie, or exiting: it has no memory any more */
	TARGET_GONE,              /* there is no such process, or it has exited */
	TARGET_DENIED,            /* the kernel does not allow reading it */
	TARGET_CHANGED, /* it has executed another program, or executes programs all the time */
	TARGET_BLOCKED, /* the kernel keeps the readers of its files in /proc waiting */
	TARGET_OUTCOMES
};

struct target {
	struct process_reader reader;
	struct process process;
	struct sample sample;  /* its counters when it was opened */
	struct buffer program; /* name of its program, terminated */
};

/*
 * Opens process PID of PROCFS, which stays borrowed, in *RET. Returns 0; an enum target_outcome;
 * -EBADMSG: the kernel's text cannot be parsed; or another negative errno, such as -ENOMEM, -EMFILE
 * or -ENFILE. *RET owns nothing after a result other than 0.
 */
int target_open(const struct procfs *procfs, pid_t pid, struct target *ret);
/* Closes T, and frees what it owns. */
void target_done(struct target *t);
#define AUTO_TARGET CLEANUP(target_done)

/* Returns the clean name of its program, valid until target_done(). */
const char *target_program(const struct target *t);

/*
 * Opens FILE (such as "smaps") in its directory in /proc, or in that of a live thread if its leader
 * is dead. The caller owns *RET_FD. Returns 0; an enum target_outcome; or a negative errno of
 * open().
 */
int target_file(struct target *t, const char *file, int *ret_fd);

/*
 * Confirms that T still runs the image that it ran when it was opened. Then all that was read since
 * is of one image and complete: the kernel ends the files of an image that is gone without an
 * error. Returns 0; an enum target_outcome; or a negative errno of reading.
 */
int target_confirm(struct target *t);

/*
 * Calls TAKE for each mapping of its smaps. Returns 0; an enum target_outcome; a result of TAKE;
 * -EBADMSG for a text that no kernel prints; -ENOMEM; or a negative errno of read(). The text may
 * end early without an error: see target_confirm().
 */
int target_mappings(struct target *t, mapping_taker take, void *context);

/*
 * Calls TAKE for each mapping of its maps: no field of .q is set, and the kernel walks no page
 * tables. Results as of target_mappings().
 */
int target_places(struct target *t, mapping_taker take, void *context);

/*
 * Returns the final result of a reading of T that returned R. Confirms the image first, because a
 * reading of an image that is gone ends without an error, or with a different one. Returns R; an
 * enum target_outcome if the image is gone; TARGET_CHANGED if only the thread is gone by which T
 * was read; or, if R is 0, a negative errno of target_confirm(). -ENOMEM is returned unchecked.
 */
int target_end(struct target *t, int r);

/*
 * Calls target_mappings() and then target_end(). Mappings that were passed to TAKE before an
 * outcome or error are not taken back.
 */
int target_walk(struct target *t, mapping_taker take, void *context);

/*
 * Returns the end of a sentence for OUTCOME, such as "is a kernel thread, which has no memory of
 * its own".
 */
const char *target_text(enum target_outcome outcome);

#endif
