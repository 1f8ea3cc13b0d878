/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process whose children look names up, one at a time. It is forked while memtallyd still may fork one with other rights
 * than its own: so each child, and not the first alone, has a uid that is not memtallyd's, and system calls by which
 * modules of name services are loaded, which memtallyd's own filter refuses to whoever it would fork later. It asks for no name
 * itself, loads no module, and hears from nobody but memtallyd, which never waits for it or for one of its children.
 *
 * It ends with memtallyd, and its child with it. If it ends before, there is no other until memtallyd is started again.
 */
#ifndef MEMTALLY_DAEMON_NURSERY_H
#define MEMTALLY_DAEMON_NURSERY_H

#include <stdbool.h>
#include <sys/types.h>

#include "confine/account.h"

struct nursery {
	int fd;    /* where it is told what to do; -1: there is none */
	pid_t pid; /* 0: it has ended, and was reaped */
};

/*
 * Forks it, to work as ACCOUNT. MASTER is the uid that we have later: without rights one may end only who allows it to one's
 * own, and that is how the kernel ends it with us. Errors of socketpair and fork; RET can be closed then, too.
 */
int nursery_open(const struct account *account, uid_t master, struct nursery *ret);

/* Ends it, and so its child. One that is all zero but for a descriptor of -1 is left as it is. */
void nursery_close(struct nursery *n);

/*
 * Has it end its child, if there is one, and fork another, which answers at FD (borrowed). Where that can't be done,
 * or a former child still hangs in the kernel, of which there shall not be more, the other end of FD is closed, as when that child had
 * ended. -EBUSY: it has not yet done what it was told before; -EPIPE: it has ended; errors of sendmsg().
 */
int nursery_replace(struct nursery *n, int fd);

/* Has it end its child, if there is one. Errors as above. */
int nursery_end(struct nursery *n);

/*
 * Whether PID, of our own uid, is it or one that it has forked. Who can't be looked at, having ended or being hidden, counts as
 * one. 0, which is nobody of our pid namespace, does not.
 */
bool nursery_has(const struct nursery *n, pid_t pid);

#endif
