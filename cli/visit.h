/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into one process after the other: of each it is said on the log if that could not be done, and why, and it is a row of
 * "processes" in JSON: .complete, or else with its .error, and .ended where it was found by a filter and is none that was
 * asked for any more.
 */
#ifndef MEMTALLY_CLI_VISIT_H
#define MEMTALLY_CLI_VISIT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/chosen.h"
#include "cli/hint.h"
#include "inside/target.h"

/*
 * What is done with a process, which is what it was before when this returns 0 and target_confirm() agrees. 0, a target_outcome, or
 * an error of reading it.
 */
typedef int (*visit_work)(struct target *t, pid_t pid, void *context);

struct visit {
	const struct procfs *procfs; /* borrowed */
	visit_work work;
	void *context;
	struct hint hint;
	/* The process that .work has looked into was whole, and counts. 0, or as .work. NULL: nothing is to be done then. */
	int (*keep)(void *context);
	struct buffer processes; /* objects, with commas in between */
	bool has_failed;         /* one of them could not be looked into */
	int fatal;               /* set by .work: an error that ends all, as one of printing */
};

void visit_done(struct visit *v);

/* 0, also where it could not be looked into; .fatal; or -ENOMEM. */
int visit_process(struct visit *v, const struct chosen_process *p);

#endif
