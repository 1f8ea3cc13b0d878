/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parents of processes. The kernel gives the children of a process another parent when the process
 * exits, even if it stays a zombie. This moves no counter of the children, so that a pass may have no
 * other reason to read them.
 */
#include "config.h"

#include "collectors/pass/pass-private.h"

/* Siblings often follow each other: each needs the same process. */
static const struct process *find_parent(struct pass *pass, pid_t pid)
{
	if (pass->parent_pid != pid) {
		pass->parent_pid = pid;
		pass->parent = process_table_find(&pass->table, pid);
	}
	return pass->parent;
}

/*
 * Returns whether PARENT, the process with the pid of P's parent, may still be it. A process without
 * memory is not known: it is a zombie, or a kernel thread. A younger process has the pid of a parent
 * that has exited.
 */
static bool is_parent(const struct process *parent, const struct process *p)
{
	return parent && parent->known &&
	       !(parent->has_stat && p->has_stat && parent->stat.start_ticks > p->stat.start_ticks);
}

pid_t pass_parent_pid(struct pass *pass, struct process *p)
{
	if (!p->stat.parent || is_parent(find_parent(pass, p->stat.parent), p))
		return p->stat.parent;
	return process_read_parent(&pass->reader, p) == 0 ? p->stat.parent : 0;
}
