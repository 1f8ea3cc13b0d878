/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common parts of memtallyd's child processes
 *
 * They end with memtallyd, and not by signals that are meant for it.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_CHILD_H
#define MEMTALLY_DAEMON_CHILDREN_CHILD_H

#include <sys/types.h>

/*
 * Ignores SIGHUP, SIGINT and SIGTERM: Ctrl-C goes to the whole process group, systemd's SIGTERM to
 * the cgroup, and a reload by name may reach a child with a similar name.
 */
void child_ignore_signals(void);

/*
 * Has the kernel kill the calling process when its parent, PARENT, exits. A change of the uid
 * undoes that: call it again afterwards. Returns 0; -ESRCH if PARENT has exited already; or a
 * negative errno of prctl().
 */
int child_end_with(pid_t parent);

#endif
