/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork server of resolvers
 *
 * A process that forks the children that look up names, one at a time. memtallyd forks it before it
 * gives up its rights. So each child, and not the first alone, has a uid other than memtallyd's,
 * and the system calls that load modules of name services, which memtallyd's own filter refuses.
 * The fork server itself looks up no name, loads no module, and takes orders from memtallyd alone,
 * which never waits for it or for its children.
 *
 * It ends with memtallyd, and its child with it. If it ends before, there is no other until
 * memtallyd is started again.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_FORK_SERVER_H
#define MEMTALLY_DAEMON_CHILDREN_FORK_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "confine/account.h"

struct fork_server {
	int fd;    /* orders to the fork server; -1: there is none */
	pid_t pid; /* of the fork server; 0: it has exited and was reaped */
};

/*
 * Forks the fork server, which becomes ACCOUNT and gives up all other rights. MASTER is the uid
 * that memtallyd will have: the fork server keeps it as saved uid, so that the kernel may kill the
 * fork server when memtallyd exits. Returns 0, or a negative errno of socketpair() or fork(). Pass
 * RET to fork_server_close() in any case.
 */
int fork_server_open(const struct account *account, uid_t master, struct fork_server *ret);

/*
 * Kills the fork server, and so its child. Does not wait for their end. Accepts one that is all
 * zero but for a descriptor of -1.
 */
void fork_server_close(struct fork_server *s);

/*
 * Orders the fork server to kill its child, if there is one, and to fork another, which answers at
 * FD (borrowed; it is sent to the fork server). If the fork server cannot fork, or an earlier child
 * that was killed still hangs in the kernel, it closes FD: the other end of FD then reads as
 * closed, as when a child exits.
 *
 * Returns 0; -EBUSY if the fork server has not read the last order yet; -EPIPE if it has exited; or
 * a negative errno of sendmsg().
 */
int fork_server_replace(struct fork_server *s, int fd);

/*
 * Orders the fork server to kill its child, if there is one. Returns 0 or an error as
 * fork_server_replace().
 */
int fork_server_end(struct fork_server *s);

/*
 * Returns whether PID is the fork server or one of its children. PID must be a process of
 * memtallyd's own uid. Returns true if the parent of PID cannot be read, because PID has exited or
 * is hidden. Returns false for 0, a process of another pid namespace, and if there is no fork
 * server.
 */
bool fork_server_has(const struct fork_server *s, pid_t pid);

#endif
