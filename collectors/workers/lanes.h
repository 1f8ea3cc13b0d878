/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes: the workers that serve requests for workers.h, and what happens if one of them is blocked.
 *
 * One worker serves whole texts, one serves streams, and another one stands by. Streams have a
 * worker of their own, since a worker's open files are lost with it: a text that blocks must not
 * end walks of other processes. If a serving worker is blocked, it is parked, and the one that
 * stands by takes over. A parked worker stands by again if its read returns. If it stays blocked
 * for a second, it is killed and replaced.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_LANES_H
#define MEMTALLY_COLLECTORS_WORKERS_LANES_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/workers/worker.h"

enum { LANES = 8 };

/* The kinds of requests that a worker can serve. */
enum lanes_role {
	LANES_TEXTS,
	LANES_STREAMS, /* no worker has this role until the first stream is opened */
	LANES_ROLES
};

/* How long a worker may sleep in one read before the read counts as blocked. All in ns. */
struct lanes_patience {
	uint64_t long_ns;
	uint64_t short_ns; /* while lanes.is_hurried is set */
	/* for fetch.c: time waited for one user's reads in a pass, after which it hurries */
	uint64_t share_ns;
};

/* Functions of the program that start and kill workers. Neither waits. */
struct lanes_control {
	/*
	 * Asks for a worker of LANE, which then calls worker_serve(). If there can be none, the
	 * program calls worker_exited(). Returns 0, or a negative errno if it could not ask.
	 */
	int (*start)(void *to, unsigned int lane);
	/*
	 * Kills the worker of LANE. The program calls worker_exited() when it has exited. Called
	 * again each second until then.
	 */
	void (*kill)(void *to, unsigned int lane);
	/*
	 * Called every few milliseconds while a read is waited for. Returns false to give up this
	 * read and all later ones (-ECANCELED). May be NULL.
	 */
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
	uint32_t posted;     /* requests posted so far */
	uint32_t streams;    /* bits: the streams in use */
	/*
	 * CLOCK_MONOTONIC: when it was parked; for LANE_KILLED: when it was last ordered to be
	 * killed
	 */
	uint64_t parked_ns;
	struct worker_request blocked; /* of LANE_PARKED and LANE_KILLED: the request that blocks */
};

struct lanes {
	struct worker_lane *shared; /* LANES of them */
	struct lanes_control control;
	struct lane lane[LANES];
	unsigned int at[LANES_ROLES]; /* by role: the serving lane; LANES: none serves */
	/*
	 * Time since lanes_begin_pass() that reads have cost: all the time of blocked reads, and of
	 * other reads the time that they were found asleep.
	 */
	uint64_t waited_ns;
	uint64_t next_ns; /* CLOCK_MONOTONIC: next attempt to get a worker, if none serves */
	bool is_hurried;  /* set by the caller: patience.short_ns applies */
	/* the only CPU on which this thread may run, see lanes_gather(); WORKER_ANYWHERE */
	uint32_t processor;
	bool gathers;         /* lanes_gather() may choose a CPU */
	cpu_set_t usual;      /* the CPUs on which this thread may run otherwise */
	uint64_t past_cpu_ns; /* CPU time of workers that have exited */
	uint64_t blocked;     /* reads that blocked */
	uint64_t replaced;    /* workers that were killed or lost */
	bool is_stopped;      /* control.wait() has returned false */
	/* /proc shows the workers by their pids: it is the one of this pid namespace */
	bool sees_workers;
};

/*
 * Maps the lanes. No worker runs until lanes_start(). Returns 0, or a negative errno of mmap(). RET
 * can be closed in both cases.
 */
int lanes_open(struct lanes *ret);

/* Unmaps the lanes. The caller must end their workers. */
void lanes_close(struct lanes *s);

/* Copies CONTROL and asks for the first workers. Returns 0, or an error of CONTROL->start(). */
int lanes_start(struct lanes *s, const struct lanes_control *control);

/* Call it at the beginning of a pass: looks after parked workers, and resets .waited_ns. */
void lanes_begin_pass(struct lanes *s);

/*
 * Call it at the end of a pass: lets this thread run on its usual CPUs again. Workers follow with
 * their next request.
 *
 * Since Linux 6.2 the kernel treats the CPUs that sched_setaffinity() names as the user's choice.
 * So if the cpuset of the cgroup grows later, this thread stays on the CPUs of the smaller one
 * until memtallyd is restarted. Naming all CPUs here would undo what taskset or CPUAffinity= have
 * asked for.
 */
void lanes_end_pass(struct lanes *s);

/*
 * Within a pass, lets this thread and the worker of LANE run on one CPU, the current one of this
 * thread. They never run at the same time, and the worker reads what the kernel has just looked up
 * for this thread. On two CPUs an exact pass takes a fifth more CPU time
 * (docs/measurements/pass-cost.md), and the kernel by itself wakes each on another CPU if that is
 * idle. The first wait that takes longer than usual, for example on a busy CPU, ends this until the
 * next pass.
 */
void lanes_gather(struct lanes *s, struct worker_lane *lane);

/*
 * Returns whether a worker serves ROLE. If none does, tries to get one, without waiting for it, at
 * most every 100 ms.
 */
bool lanes_ensure(struct lanes *s, enum lanes_role role);

enum lanes_outcome {
	/* the worker's current request does not return, or has taken 20 s */
	LANES_BLOCKED = 1,
	LANES_LOST, /* the worker has exited, or has not started within 10 s */
};

/*
 * Waits until the worker that serves ROLE has done request INDEX, which must have been posted.
 * There must be such a worker. To save CPU time, the thread is not woken for each request, but when
 * all requests before END are done. END must be greater than INDEX.
 *
 * Returns 0; LANES_BLOCKED or LANES_LOST, and then .done of the lane is the index of the worker's
 * current request; or -ECANCELED.
 */
int lanes_wait(struct lanes *s, enum lanes_role role, uint32_t index, uint32_t end);

/*
 * Lets another worker serve ROLE after lanes_wait() has returned OUTCOME. The new worker has done
 * none of the posted requests. Returns 0; -ECANCELED; or -ECHILD if no worker could be had within
 * 100 ms: then none serves.
 */
int lanes_replace(struct lanes *s, enum lanes_role role, enum lanes_outcome outcome);

/*
 * Returns whether a parked worker waits for a lock that Q would take, too. A walk of a process, and
 * the opening of a file for one, may wait for the lock of its address space and for its
 * exec_update_lock; other requests only for the latter. A comparison waits for that of either
 * process, so it makes only comparisons wait.
 */
bool lanes_has_parked(const struct lanes *s, const struct worker_request *q);

/* Returns the CPU time of all workers up to their last answers, in ns. */
uint64_t lanes_total_cpu_ns(const struct lanes *s);

#endif
