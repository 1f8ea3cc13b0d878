/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pid selection: the processes that a view reads, given by pid or found by filters.
 */
#ifndef MEMTALLY_CLI_COMMON_PID_SELECTION_H
#define MEMTALLY_CLI_COMMON_PID_SELECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "cli/common/cli-option.h"
#include "cli/common/selection.h"
#include "collectors/procfs/procfs.h"
#include "config/settings.h"

struct pid_selection_process {
	pid_t pid;
	bool is_found; /* found by a filter, not given by pid: it may exit without an error */
	/*
	 * of a found one: its start time as in PROCESS_START_TIME, in ns since 1970; 0: not known
	 */
	uint64_t start_ns;
};

struct pid_selection {
	/* owned; each pid once: given pids in their order, then found ones by pid */
	struct pid_selection_process *process;
	size_t count, room;
	struct selection selection; /* if .has_filters: the filters */
	bool has_filters;
};

/* Frees what C owns. */
void pid_selection_done(struct pid_selection *c);
#define AUTO_PID_SELECTION CLEANUP(pid_selection_done)

/*
 * Start times are computed from the time since boot, in ticks, anew at each reading, so they differ
 * a little.
 */
#define PID_SELECTION_NOISE_NS (2 * NS_PER_SEC)

/*
 * Reads the pids and filters from SETTINGS into *RET, which the caller frees with
 * pid_selection_done(). Pids are the operands after the first and the values of --pid. Returns 0;
 * -EINVAL with a sentence for the user in ERROR if an operand is no pid, or if there is neither a
 * pid nor a filter; -ENOMEM. *RET is unchanged on failure. Pure.
 */
int pid_selection_parse(const struct settings *settings, struct pid_selection *ret,
	char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Does the same as pid_selection_parse(), but accepts settings without a pid or filter. *RET is
 * then empty, which means every process.
 */
int pid_selection_parse_or_all(const struct settings *settings, struct pid_selection *ret,
	char error[static CLI_OPTION_ERROR_SIZE]);

/* Returns true if C has pids or filters. */
static inline bool pid_selection_is_some(const struct pid_selection *c)
{
	return c->count || c->has_filters;
}

/*
 * Returns true if the process that now has P's pid and started at START_NS (ns, as .start_ns; 0:
 * not known) is P, or if a start time is not known. Pids are used again, and those of a snapshot
 * may be of another pid namespace.
 */
static inline bool pid_selection_is(const struct pid_selection_process *p, uint64_t start_ns)
{
	return !p->start_ns || !start_ns ||
	       saturate_distance(p->start_ns, start_ns) < PID_SELECTION_NOISE_NS;
}

/*
 * Logs that P could not be read, because of OUTCOME: an enum target_outcome or a negative errno.
 * *RET_WHY is its text (static). Returns false if P was found by a filter and has exited since,
 * which is no error.
 */
bool pid_selection_say(const struct pid_selection_process *p, int outcome, const char **ret_why);

enum pid_selection_outcome {
	PID_SELECTION_FAILED = 1,
	PID_SELECTION_NONE, /* no process matches */
};

/*
 * Begins a view: opens the proc file system of SETTINGS in *RET, which the caller closes with
 * procfs_close(), and adds to C the processes with memory that match its filters: from memtallyd's
 * snapshot, or from a pass of memtally's own if there is none (which blocks while it runs). Without
 * pids and filters adds all processes. Logs their source, errors, and if no process matches. Returns
 * 0 or an enum pid_selection_outcome.
 */
int pid_selection_open(
	const struct settings *settings, struct pid_selection *c, struct procfs *ret);

#endif
