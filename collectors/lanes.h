/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes that serve requests for workers.h. One serves whole texts, one serves streams, and another one stands by. Streams
 * have a worker of their own, since its open files are lost with it: a text that blocks must not end walks of other processes.
 *
 * If a worker that serves is blocked, it is parked, and the one that stands by takes over. A parked worker stands by
 * again if its read returns; one that stays blocked for a second is killed and replaced.
 */
#ifndef MEMTALLY_COLLECTORS_LANES_H
#define MEMTALLY_COLLECTORS_LANES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/worker.h"

enum { LANES = 8 };

/* Requests that a worker serves. */
enum lanes_role {
	LANES_TEXTS,
	LANES_STREAMS, /* no worker does until the first stream is opened */
	LANES_ROLES
};

/* How long a worker may sleep in one read before that counts as blocked. All in ns. */
struct lanes_patience {
	uint64_t long_ns;
	uint64_t short_ns; /* while the caller hurries */
	uint64_t share_ns; /* for fetch.c, which hurries then: time waited for one user in a pass */
};

/* Starts and kills the processes. Neither waits for what it asks for. */
struct lanes_control {
	/* Has a worker of LANE started, which calls worker_serve(); worker_exited() if there can be none. A negative errno:
	 * it was not asked for. */
	int (*start)(void *to, unsigned int lane);
	/* Kills the worker of LANE; worker_exited() when it is gone. Called again each second until then. */
	void (*kill)(void *to, unsigned int lane);
	/* Called every few milliseconds while a read is waited for; false: give it up, and all later ones (-ECANCELED). NULL:
	 * nothing is to be done then. */
	bool (*wait)(void *to);
	void *to;
	struct lanes_patience patience;
};

enum lane_use {
	LANE_UNUSED,
	LANE_STANDS_BY,
	LANE_SERVES,
	LANE_PARKED, /* its read is blocked */
	LANE_KILLED,
};

/* The caller's state of one lane. The worker writes none of it. */
struct lane {
	enum lane_use use;
	uint32_t generation; /* grows with each worker */
	uint32_t posted;     /* requests */
	uint32_t streams;    /* bits: those that are in use */
	uint64_t parked_ns;  /* CLOCK_MONOTONIC; LANE_KILLED: of the last order to kill it */
	pid_t blocked_pid;   /* the process that the parked worker reads, */
	pid_t other_pid;     /* or one of the two that it compares; 0: it compares none */
	bool is_walk;        /* it may wait for the lock of the address space alone */
};

struct lanes {
	struct worker_lane *shared; /* LANES of them */
	struct lanes_control control;
	struct lane lane[LANES];
	unsigned int at[LANES_ROLES]; /* the lane that serves; LANES: none does */
	/* Time since lanes_begin_pass() that reads have cost: of those that blocked all of it, of others that in which they
	 * were found asleep. */
	uint64_t waited_ns;
	uint64_t next_ns; /* CLOCK_MONOTONIC of the next attempt to have a worker, if none serves */
	bool is_hurried;  /* set by the caller: the short patience holds */
	uint32_t processor; /* the only one for this thread, see lanes_gather(); WORKER_ANYWHERE */
	bool gathers;       /* lanes_gather() may choose a processor */
	cpu_set_t usual;    /* where this thread may run otherwise */
	uint64_t past_cpu_ns; /* CPU time of workers that are gone */
	uint64_t blocked;     /* reads that blocked */
	uint64_t replaced;    /* workers that were killed or lost */
	bool is_stopped;      /* control.wait() has said so */
	bool sees_workers;    /* /proc shows them by their pids: it is that of this pid namespace */
};

/* Maps the lanes. 0; -ENOMEM. RET can be closed in any case. No worker runs until lanes_start(). */
int lanes_open(struct lanes *ret);

/* Unmaps the lanes. Their workers are the caller's to end. */
void lanes_close(struct lanes *s);

/* Has the first workers started. 0; an error of control->start(). */
int lanes_start(struct lanes *s, const struct lanes_control *control);

/* Call at the beginning of a pass: looks after parked workers. */
void lanes_begin_pass(struct lanes *s);

/*
 * Call at the end of a pass: this thread runs where it may again. Workers follow with their next request.
 *
 * Since Linux 6.2 the kernel takes the processors that sched_setaffinity() names for a wish of the user. So if the cpuset of the
 * cgroup is made larger later, this thread stays on the processors of the smaller one until memtallyd is restarted. To name all
 * processors here would undo what taskset or CPUAffinity= have asked for.
 */
void lanes_end_pass(struct lanes *s);

/*
 * Within a pass, has this thread and the worker of LANE run on one processor, the one that this thread is on. They never run at
 * the same time, and the worker reads what the kernel has just looked up for this thread: on two processors an exact pass takes
 * a fifth more CPU time (docs/performance.md), and by itself the kernel wakes each on another processor if that is idle. The
 * first wait that takes longer than usual, as on a processor that others want, ends this until the next pass.
 */
void lanes_gather(struct lanes *s, struct worker_lane *lane);

/* Whether a worker serves ROLE. If none does, tries to have one, without waiting for it, at most every 100 ms. */
bool lanes_ensure(struct lanes *s, enum lanes_role role);

enum lanes_outcome {
	LANES_BLOCKED =
		1,  /* the request that the worker is at does not return, or has taken 20 s */
	LANES_LOST, /* the worker has exited, or has not started within 10 s */
};

/*
 * Waits until the worker that serves ROLE has done request INDEX, which was posted; there must be such a worker. Does not wake
 * up for each request, which costs more than most reads do, but when all before END are done; END is greater than INDEX. 0; an
 * outcome, then .done of the lane tells which request the worker is at; -ECANCELED.
 */
int lanes_wait(struct lanes *s, enum lanes_role role, uint32_t index, uint32_t end);

/*
 * Has another worker serve ROLE after OUTCOME of lanes_wait(). The new one has done none of the requests that were posted. 0;
 * -ECANCELED; -ECHILD: no worker could be had within 100 ms, and none serves.
 */
int lanes_replace(struct lanes *s, enum lanes_role role, enum lanes_outcome outcome);

/*
 * Whether a parked worker waits for a lock of process PID that a walk (FOR_WALK), or any other read, takes, too. A worker that compares
 * two processes does not count: either of them may hold the lock.
 */
bool lanes_has_parked(const struct lanes *s, pid_t pid, bool for_walk);

/* Whether a parked worker that compares process PID with another one waits for a lock of either. */
bool lanes_has_parked_compare(const struct lanes *s, pid_t pid);

/* Whether Q walks an address space. To open a file for that takes exec_update_lock, too, but only for a moment. */
bool lanes_is_walk(const struct worker_request *q);

/* CPU time that all workers have used up to their last answers. */
uint64_t lanes_total_cpu_ns(const struct lanes *s);

#endif
