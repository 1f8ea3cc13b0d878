/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of measuring workers
 *
 * The processes that measuring workers (collectors/workers/workers.h) run in. A process of its own,
 * the parent, forks them. memtallyd forks the parent once, before it has read anything, so that
 * workers are small however much memtallyd remembers. The parent and its workers keep the one
 * capability that reading other processes takes, and can do little else. They end with memtallyd.
 */
#ifndef MEMTALLY_DAEMON_CHILDREN_MEASURERS_H
#define MEMTALLY_DAEMON_CHILDREN_MEASURERS_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/workers/workers.h"
#include "confine/account.h"

struct measurers {
	struct workers workers;
	int fd; /* orders to the parent; readable when the parent has exited; -1: there is none */
	pid_t pid;              /* of the parent; 0: there is none */
	bool (*wait)(void *to); /* see measurers_on_wait(); NULL: none */
	void *wait_to;
};

/*
 * Forks the parent, which runs as ACCOUNT and reads the proc file system at PROCFS (a path), and
 * asks it to start the first workers. Does not wait for them. Returns 0, or a negative errno of
 * open(), mmap(), socketpair(), fork() or send(). Pass RET to measurers_close() in any case; it
 * must not be moved.
 */
int measurers_open(const struct account *account, const char *procfs, struct measurers *ret);

/*
 * Has WAIT called with TO every few milliseconds while a read is waited for. If WAIT returns false,
 * that read and all later ones fail with -ECANCELED.
 */
void measurers_on_wait(struct measurers *m, bool (*wait)(void *to), void *to);

/* Kills the parent, and so its workers, and frees M. Does not wait for their end. */
void measurers_close(struct measurers *m);
#define AUTO_MEASURERS CLEANUP(measurers_close)

#endif
