/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that measuring workers (collectors/workers.h) run in.
 *
 * A process of its own, the parent, forks them. memtallyd forks the parent once, before it has read anything, so that
 * workers are small whatever memtallyd remembers. The parent and its workers keep the one capability that reading other
 * processes takes, and can do little else. They end with memtallyd.
 */
#ifndef MEMTALLY_DAEMON_MEASURERS_H
#define MEMTALLY_DAEMON_MEASURERS_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/workers.h"
#include "confine/account.h"

struct measurers {
	struct workers workers;
	int fd; /* where the parent is told what to do; it is readable when the parent has ended; -1: there is none */
	pid_t pid; /* of the parent; 0: there is none */
	bool (*wait)(void *to);
	void *wait_to;
};

/*
 * Forks the parent, to work as ACCOUNT on the proc file system at PROCFS, and has the first workers started. 0; errors of
 * open, mmap, socketpair and fork. RET can be closed in any case.
 */
int measurers_open(const struct account *account, const char *procfs, struct measurers *ret);

/* From now on WAIT is called with TO while a read is waited for: see struct lanes_control. */
void measurers_on_wait(struct measurers *m, bool (*wait)(void *to), void *to);

/* Kills the parent and its workers. */
void measurers_close(struct measurers *m);
#define AUTO_MEASURERS CLEANUP(measurers_close)

#endif
