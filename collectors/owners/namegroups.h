/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Name groups
 *
 * Assigns processes to the groups that the rules of naming.process_exporter name (naming/rules.h).
 * The rules run once on each image of a process. A process that no rule matches joins the group of
 * its nearest ancestor with one, as in process-exporter. It keeps that group when the ancestor
 * exits, and over an exec of its own unless a rule matches the new image.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_NAMEGROUPS_H
#define MEMTALLY_COLLECTORS_OWNERS_NAMEGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/owners/owner-names.h"
#include "collectors/owners/owner-sums.h"
#include "collectors/process/process-table.h"
#include "naming/rules.h"

/* The parts of a pass's work, in their order. */
enum namegroups_stage {
	NAMEGROUPS_MATCH,   /* runs the rules on new images */
	NAMEGROUPS_REMATCH, /* runs them again where the name of a user has arrived */
	NAMEGROUPS_INHERIT, /* finds the ancestors of processes that no rule matches */
};

/* The group that processes without a rule have from an ancestor. */
struct namegroups_inherited {
	uint32_t slot;
	bool is_none;
	bool is_final; /* no later pass can find another group for them */
};

/* A search for the group of a process and of its unmatched ancestors. */
struct namegroups_search {
	struct process *first; /* the process; NULL: there is no search */
	struct process *at;    /* the next one: looked at, or if .is_found given the group */
	bool is_found;
	struct namegroups_inherited found;
};

struct namegroups {
	/* borrowed */
	struct owner_sums *sums;
	struct process_reader *reader;
	const struct process_table *table;

	struct naming_rules *rules; /* owned; NULL: there are none, and no process has a group */
	struct naming_rules *next;  /* owned: the rules from the next pass on, if .has_next */
	bool has_next;
	bool are_new; /* .rules have not run yet */
	bool is_used; /* there are rules, or there were some */

	/*
	 * Users whose names rules wait for and that are no owners, since users are counted by
	 * another uid. .sums of a user counts how often its name was asked for in the pass.
	 */
	struct owner_table users;
	uint32_t name_cursor;

	struct buffer cmdline, cgroup, name; /* of one process at a time */
	/*
	 * Processes take the most steps (naming/rules.h) only from pid .costly_from on, and while
	 * .steps of them all are below .steps_max. .next_costly is the first process to which none were
	 * left, so that each process has its turn; 0: there is none. Others take the usual steps while
	 * .usual_steps are below .usual_max, and then the least ones. If these do not suffice, a
	 * process waits for its turn (NAMING_COSTLY, NAMING_BY_NUMBER_COSTLY), and is not read before.
	 */
	pid_t costly_from, next_costly;
	uint64_t steps, steps_max; /* of the pass, beyond the least ones */
	uint64_t usual_steps, usual_max;

	uint64_t failures; /* images on which a rule failed, or that had a file that is too long */

	/* Of the pass: */
	struct process *const *member; /* borrowed */
	size_t count;
	enum namegroups_stage stage;
	size_t at;                       /* the next process of the stage */
	size_t announced;                /* processes with reads that were announced to workers */
	struct namegroups_search search; /* of .stage NAMEGROUPS_INHERIT */
	bool awaits_names;
};

/* Initialises N, without rules. Borrows the other arguments. */
void namegroups_init(struct namegroups *n, struct owner_sums *sums, struct process_reader *reader,
	const struct process_table *table);
void namegroups_done(struct namegroups *n);

/*
 * Sets the rules from the next pass on. Consumes RULES; NULL: none. If they are other ones, all
 * processes are assigned anew; else they keep the groups of ancestors that have exited.
 */
void namegroups_set(struct namegroups *n, struct naming_rules *rules);

/*
 * Begins a pass: takes the rules of namegroups_set(), and forgets the users whose names no process
 * has waited for in the last pass. Call it when the table has the processes of the pass.
 */
void namegroups_list(struct namegroups *n);

/* Returns whether a pass has work for namegroups_step(): there are rules, or there were some. */
static inline bool namegroups_are_used(const struct namegroups *n)
{
	return n->is_used;
}

/*
 * Begins the work of a pass when all processes have been sampled. MEMBER, borrowed until it is
 * done, has the COUNT members of the pass; each has a membership. Processes may take about twice
 * CPU_NS of CPU time beyond the least steps (naming/rules.h): once for the most steps of a process, and
 * once for its usual ones. If the rules are new, the former is at least 50 million steps: 1 to 3 s.
 */
void namegroups_begin(
	struct namegroups *n, struct process *const *member, size_t count, uint64_t cpu_ns);

enum namegroups_outcome {
	NAMEGROUPS_MORE = 1,
	/* As NAMEGROUPS_MORE; names of users that arrive before the next call are used. */
	NAMEGROUPS_NAMES,
};

/*
 * Continues with at most one process that is not settled, or with at most 256 of its ancestors: it
 * may have been forked tens of thousands of times in succession. A read that blocks takes longer
 * (workers.h). A process that cannot be read is tried again in the next pass. Until then it keeps
 * a group that it has inherited, or is in "(none)". So is one that takes more steps than are left in
 * the pass. A process with a user whose name is not known yet is tried
 * again, too: until then its group has the number. Returns 0 if each member has its group;
 * NAMEGROUPS_MORE or NAMEGROUPS_NAMES (once in a pass) if not; or -ENOMEM: the next pass goes on.
 */
int namegroups_step(struct namegroups *n);

/*
 * Finds the next uid that is no owner and for the name of which rules wait, and marks it as asked.
 * Use owner_names_set() and owner_names_fail() with N->users for answers. Returns false if there
 * is none.
 */
static inline bool namegroups_next_unnamed(struct namegroups *n, uint32_t *ret)
{
	return owner_names_next(&n->users, &n->name_cursor, ret);
}

#endif
