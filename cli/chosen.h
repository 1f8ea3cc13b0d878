/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes are to be looked into: those whose pids are given, and those that filters ask for.
 */
#ifndef MEMTALLY_CLI_CHOSEN_H
#define MEMTALLY_CLI_CHOSEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "cli/selection.h"
#include "collectors/procfs.h"
#include "config/settings.h"

struct chosen_process {
	pid_t pid;
	bool is_found; /* by a filter: nobody has named it, and it may have ended since */
	uint64_t
		start_ns; /* of one that was found: when it was started, as PROCESS_START_TIME has it; 0: not known */
};

struct chosen {
	struct chosen_process
		*process; /* owned; in the order in which they were given, then rising */
	size_t count;
	struct selection selection; /* where .has_filters: of processes */
	bool has_filters;
};

void chosen_done(struct chosen *c);
#define AUTO_CHOSEN CLEANUP(chosen_done)

enum { CHOSEN_ERROR_SIZE = QUERY_ERROR_SIZE };

/*
 * The operands behind the first, and --pid and other filters. Pure. -EINVAL with a sentence for the user in ERROR: one is no
 * pid, or there is nothing at all; -ENOMEM.
 */
int chosen_parse(
	const struct settings *settings, struct chosen *ret, char error[static CHOSEN_ERROR_SIZE]);

/* The same, where nothing means every process. */
int chosen_parse_or_all(
	const struct settings *settings, struct chosen *ret, char error[static CHOSEN_ERROR_SIZE]);

/* Whether C says which processes. */
static inline bool chosen_is_some(const struct chosen *c)
{
	return c->count || c->has_filters;
}

/* Makes C, which says nothing, the processes that PROCFS has. -ENOMEM; errors of reading it. */
int chosen_take_all(const struct procfs *procfs, struct chosen *c);

/*
 * Adds the processes with memory that the filters ask for, by memtallyd's snapshot or a pass now; which, SAID has.
 * Errors of the pass.
 */
int chosen_find(const struct settings *settings, struct chosen *c, struct buffer *said);

/*
 * Whether who has P's pid now, and was started at START_NS, is it: pids are used again, and a snapshot's may be those of another
 * pid namespace. 0 is not known.
 */
bool chosen_is(const struct chosen_process *p, uint64_t start_ns);

/*
 * Says on the log that P can't be looked into: OUTCOME is a target_outcome or a negative errno, and *ret_why what it comes
 * to. False: it was found by a filter and has ended since, so it is none that was asked for.
 */
bool chosen_say(const struct chosen_process *p, int outcome, const char **ret_why);

/*
 * What a view begins with: opens the settings' procfs and finds what filters ask for; says on the log where that comes
 * from, what is wrong, and that nothing matches. 0; 1: there is nothing to look into.
 */
int chosen_open(const struct settings *settings, struct chosen *c, struct procfs *ret);

#endif
