/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-process loop
 *
 * For views that look inside processes, one after the other. Logs why a process could not be read,
 * and makes the JSON array "processes". Each has .pid and .complete; .program and
 * .start_time_seconds if it was opened and they are known; .error if it is not complete; and .ended
 * if a filter found it and it has exited since.
 */
#ifndef MEMTALLY_CLI_COMMON_EACH_PROCESS_H
#define MEMTALLY_CLI_COMMON_EACH_PROCESS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/common/pid-selection.h"
#include "cli/common/reading/hint.h"
#include "inspect/maps/target.h"

/* Reads the process of T. Returns 0, an enum target_outcome, or a negative errno of reading. */
typedef int (*each_process_work)(struct target *t, void *context);

/*
 * Opens process P below PROCFS and calls WORK, all under supervision (supervisor_try()). Returns the
 * result of WORK; an enum target_outcome, TARGET_GONE also if another process has the pid of P now;
 * or a negative errno of target_open().
 */
int each_process_try(const struct procfs *procfs, const struct pid_selection_process *p,
	each_process_work work, void *context);

struct each_process {
	const struct procfs *procfs; /* borrowed */
	/* the result counts only if target_end() finds that the process is still the same */
	each_process_work work;
	void *context;
	struct hint hint;
	/*
	 * Takes the result after .work was successful and the process confirmed. Returns 0, or as
	 * .work. NULL: there is nothing to take.
	 */
	int (*keep)(void *context);
	struct buffer processes; /* owned; JSON objects, separated by commas */
	/* a process could not be read, and has not exited after a filter found it */
	bool has_failed;
	/* set by .work: an error that ends the view, such as one of writing */
	int fatal;
};

/* Frees what V owns. */
void each_process_done(struct each_process *v);

/*
 * Runs .work on P, logs if that fails, and adds P to .processes. Returns 0, also if P could not be
 * read; .fatal; or -ENOMEM.
 */
int each_process_visit(struct each_process *v, const struct pid_selection_process *p);

#endif
