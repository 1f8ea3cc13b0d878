/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/workers/lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "collectors/procfs/procfs.h"
#include "collectors/workers/lanes-private.h"

#define NAP_NS (1 * NS_PER_MSEC) /* between two checks whether a killed worker has exited */
#define REPLACE_MAX_NS                                                                             \
	(100 * NS_PER_MSEC) /* longest wait for a worker; also the pause between two later attempts */
#define PARKED_MAX_NS (1 * NS_PER_SEC)

int lanes_open(struct lanes *ret)
{
	size_t size = LANES * sizeof(struct worker_lane);
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*ret = (struct lanes){.processor = WORKER_ANYWHERE};
	if (shared == MAP_FAILED)
		return -errno;
	ret->shared = shared;
	return 0;
}

void lanes_close(struct lanes *s)
{
	if (s->shared) {
		lanes_end_pass(s);
		munmap(s->shared, LANES * sizeof(struct worker_lane));
	}
	s->shared = NULL;
}

/* Asks for a worker of the unused LANE. */
static int lanes_start_lane(struct lanes *s, unsigned int lane)
{
	struct worker_lane *shared = &s->shared[lane];
	int e;

	s->lane[lane] = (struct lane){.generation = s->lane[lane].generation + 1};
	s->past_cpu_ns += atomic_exchange(&shared->cpu_ns, 0);
	atomic_store(&shared->posted, 0);
	atomic_store(&shared->done, 0);
	atomic_store(&shared->sleeps, 0);
	atomic_store(&shared->awaited, 0);
	atomic_store(&shared->processor, WORKER_ANYWHERE);
	atomic_store(&shared->state, WORKER_STARTING);
	e = s->control.start(s->control.to, lane);
	if (e < 0) {
		atomic_store(&shared->state, WORKER_NONE);
		return e;
	}
	s->lane[lane].use = LANE_STANDS_BY;
	return 0;
}

static bool has_exited(const struct lanes *s, unsigned int lane)
{
	return atomic_load(&s->shared[lane].state) == WORKER_EXITED;
}

static bool is_idle(const struct lanes *s, unsigned int lane)
{
	return atomic_load(&s->shared[lane].done) == s->lane[lane].posted;
}

static void kill_worker(struct lanes *s, unsigned int lane)
{
	if (s->lane[lane].use != LANE_KILLED)
		s->replaced++;
	s->lane[lane].use = LANE_KILLED;
	s->control.kill(s->control.to, lane);
}

/* Makes lanes available again if their worker has exited or its blocked read has returned. */
static void look_after_parked(struct lanes *s, uint64_t now_ns)
{
	for (unsigned int i = 0; i < LANES; i++) {
		struct lane *l = &s->lane[i];

		if (l->use == LANE_UNUSED || l->use == LANE_SERVES)
			continue;
		if (has_exited(s, i)) {
			s->replaced += l->use != LANE_KILLED;
			l->use = LANE_UNUSED;
		} else if (l->use == LANE_PARKED && is_idle(s, i)) {
			l->use = LANE_STANDS_BY;
			/* the users of its streams have been told that these are gone */
			l->streams = 0;
			l->generation++;
		} else if (now_ns - l->parked_ns >= PARKED_MAX_NS && l->use != LANE_STANDS_BY) {
			/* also if it was killed before: the order may have been lost */
			kill_worker(s, i);
			l->parked_ns = now_ns;
		}
	}
}

/* Returns the first lane in USE, LANES if there is none. */
static unsigned int find_lane(const struct lanes *s, enum lane_use use)
{
	unsigned int i = 0;

	while (i < LANES && s->lane[i].use != use)
		i++;
	return i;
}

/* Returns the lane that has been parked longest, LANES if none is parked. */
static unsigned int find_oldest_parked(const struct lanes *s)
{
	unsigned int found = LANES;

	for (unsigned int i = 0; i < LANES; i++)
		if (s->lane[i].use == LANE_PARKED &&
			(found == LANES || s->lane[i].parked_ns < s->lane[found].parked_ns))
			found = i;
	return found;
}

/* Keeps a worker standing by, if a lane is or soon will be free for it. */
static void keep_standing_by(struct lanes *s)
{
	unsigned int lane;

	look_after_parked(s, clock_now_ns(CLOCK_MONOTONIC));
	if (find_lane(s, LANE_STANDS_BY) < LANES)
		return;
	lane = find_lane(s, LANE_UNUSED);
	if (lane < LANES) {
		/* after an error it is tried again when the next worker is needed */
		(void)lanes_start_lane(s, lane);
		return;
	}
	lane = find_oldest_parked(s);
	if (lane < LANES)
		kill_worker(s, lane);
}

int lanes_start(struct lanes *s, const struct lanes_control *control)
{
	AUTO_CLOSE int proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int e;

	s->control = *control;
	s->sees_workers = proc_fd >= 0 && procfs_is_ours(proc_fd);
	e = lanes_start_lane(s, 0);
	if (e < 0)
		return e;
	s->lane[0].use = LANE_SERVES;
	s->at[LANES_TEXTS] = 0;
	s->at[LANES_STREAMS] = LANES;
	keep_standing_by(s);
	return 0;
}

/*
 * Lets the worker that stands by serve ROLE, and asks for another one to stand by. Returns false if
 * there is none yet.
 */
static bool change_worker(struct lanes *s, enum lanes_role role)
{
	unsigned int lane = find_lane(s, LANE_STANDS_BY);

	if (lane == LANES)
		return false;
	s->at[role] = lane;
	s->lane[lane].use = LANE_SERVES;
	keep_standing_by(s);
	return true;
}

static bool must_stop(struct lanes *s)
{
	if (!s->is_stopped && s->control.wait)
		s->is_stopped = !s->control.wait(s->control.to);
	return s->is_stopped;
}

bool lanes_ensure(struct lanes *s, enum lanes_role role)
{
	uint64_t now_ns;

	if (s->at[role] < LANES)
		return true;
	if (change_worker(s, role))
		return true;
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (now_ns < s->next_ns)
		return false;
	s->next_ns = now_ns + REPLACE_MAX_NS;
	keep_standing_by(s);
	return change_worker(s, role);
}

void lanes_end_pass(struct lanes *s)
{
	s->gathers = false;
	if (s->processor == WORKER_ANYWHERE)
		return;
	(void)sched_setaffinity(0, sizeof(s->usual), &s->usual);
	s->processor = WORKER_ANYWHERE;
}

static void lanes_gather_here(struct lanes *s)
{
	int processor = sched_getcpu();
	cpu_set_t one;

	if (processor < 0 || processor >= CPU_SETSIZE ||
		sched_getaffinity(0, sizeof(s->usual), &s->usual) < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0)
		s->processor = (uint32_t)processor;
}

void lanes_gather(struct lanes *s, struct worker_lane *lane)
{
	if (s->processor == WORKER_ANYWHERE && s->gathers)
		lanes_gather_here(s);
	atomic_store_explicit(&lane->processor, s->processor, memory_order_relaxed);
}

void lanes_begin_pass(struct lanes *s)
{
	s->gathers = true;
	s->waited_ns = 0;
	(void)lanes_ensure(s, LANES_TEXTS);
	keep_standing_by(s);
}

/* Lets another worker serve ROLE, and starts one if necessary. Returns 0, -ECHILD or -ECANCELED. */
static int lanes_replace_role(struct lanes *s, enum lanes_role role)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);

	while (!change_worker(s, role)) {
		if (must_stop(s))
			return -ECANCELED;
		keep_standing_by(s);
		if (find_lane(s, LANE_STANDS_BY) < LANES)
			continue;
		if (clock_now_ns(CLOCK_MONOTONIC) - begin_ns >= REPLACE_MAX_NS) {
			s->next_ns = begin_ns + 2 * REPLACE_MAX_NS;
			return -ECHILD;
		}
		/* A killed worker needs a moment to exit. */
		(void)clock_nanosleep(
			CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = NAP_NS}, NULL);
	}
	return 0;
}

/*
 * Whether Q walks an address space. Opening a file for a walk takes exec_update_lock, too, but only
 * for a moment.
 */
static bool lanes_is_walk(const struct worker_request *q)
{
	return q->op == WORKER_SLICE || q->op == WORKER_PROBE ||
	       (q->op == WORKER_READ && (strstr(q->path, "smaps") || strstr(q->path, "cmdline")));
}

/*
 * Gives up the worker of LANE: it has exited by itself, for example killed by the OOM killer, or
 * has not started in time.
 */
static void lanes_bury(struct lanes *s, unsigned int lane)
{
	if (atomic_load(&s->shared[lane].state) == WORKER_STARTING) {
		/* it may start later: the lane is not free before it has exited */
		kill_worker(s, lane);
		s->lane[lane].parked_ns = clock_now_ns(CLOCK_MONOTONIC);
		return;
	}
	s->lane[lane].use = LANE_UNUSED;
	s->replaced++;
}

/*
 * Sleeps until the requests before END are done, at most for TIMEOUT_NS. Does not sleep if request
 * INDEX is done already.
 */
static void wait_once(struct worker_lane *lane, uint32_t index, uint32_t end, uint64_t timeout_ns)
{
	uint32_t done;

	atomic_store(&lane->wanted, end);
	atomic_store(&lane->awaited, 1);
	done = atomic_load(&lane->done);
	if ((int32_t)(done - index) <= 0 && atomic_load(&lane->state) != WORKER_EXITED)
		(void)worker_wait(&lane->done, done, timeout_ns);
	atomic_store(&lane->awaited, 0);
}

int lanes_wait(struct lanes *s, enum lanes_role role, uint32_t index, uint32_t end)
{
	struct worker_lane *lane = &s->shared[s->at[role]];
	struct lanes_watch watched = {.request_ns = clock_now_ns(CLOCK_MONOTONIC)};
	uint32_t done = atomic_load(&lane->done), before;

	while ((int32_t)(done - index) <= 0) {
		uint64_t now_ns;
		int outcome;

		if (atomic_load(&lane->state) == WORKER_EXITED)
			return LANES_LOST;
		wait_once(lane, index, end, lanes_patience_ns(s) / 4);
		before = done;
		done = atomic_load(&lane->done);
		if ((int32_t)(done - index) > 0)
			break;
		if (must_stop(s))
			return -ECANCELED;
		now_ns = clock_now_ns(CLOCK_MONOTONIC);
		lanes_end_pass(s);
		if (done != before) {
			s->waited_ns += watched.slept_ns;
			watched = (struct lanes_watch){.request_ns = now_ns};
			continue;
		}
		outcome = lanes_judge(s, lane, &watched, now_ns);
		if (outcome && atomic_load(&lane->done) == done) {
			s->waited_ns += now_ns - watched.request_ns;
			return outcome;
		}
	}
	s->waited_ns += watched.slept_ns;
	return 0;
}

int lanes_replace(struct lanes *s, enum lanes_role role, enum lanes_outcome outcome)
{
	unsigned int at = s->at[role];
	const struct worker_lane *lane = &s->shared[at];
	struct lane *l = &s->lane[at];

	s->at[role] = LANES;
	if (outcome == LANES_LOST) {
		lanes_bury(s, at);
	} else {
		l->use = LANE_PARKED;
		l->parked_ns = clock_now_ns(CLOCK_MONOTONIC);
		l->blocked = lane->slot[atomic_load(&lane->done) % WORKER_SLOTS].request;
		l->blocked.path[WORKER_PATH - 1] = 0; /* the worker may have written to it */
		s->blocked++;
	}
	return lanes_replace_role(s, role);
}

static bool lanes_is_blocked(const struct lanes *s, unsigned int lane)
{
	enum lane_use use = s->lane[lane].use;

	return (use == LANE_PARKED || use == LANE_KILLED) && !is_idle(s, lane);
}

/* Whether Q, which compares two processes, compares PID. */
static bool lanes_compares(const struct worker_request *q, pid_t pid)
{
	return q->pid == pid || q->other == pid;
}

/*
 * Whether Q takes a lock for which the worker of BLOCKED waits. A comparison waits for a lock of
 * either of its processes, so it tells nothing about reads of one of them.
 */
static bool waits_for_same(const struct worker_request *blocked, const struct worker_request *q)
{
	if (blocked->op == WORKER_COMPARE)
		return q->op == WORKER_COMPARE &&
		       (lanes_compares(blocked, q->pid) || lanes_compares(blocked, q->other));
	if (q->op == WORKER_COMPARE)
		return !lanes_is_walk(blocked) && lanes_compares(q, blocked->pid);
	return blocked->pid == q->pid &&
	       (!lanes_is_walk(blocked) || lanes_is_walk(q) || q->op == WORKER_OPEN);
}

bool lanes_has_parked(const struct lanes *s, const struct worker_request *q)
{
	for (unsigned int i = 0; i < LANES; i++)
		if (lanes_is_blocked(s, i) && waits_for_same(&s->lane[i].blocked, q))
			return true;
	return false;
}

uint64_t lanes_total_cpu_ns(const struct lanes *s)
{
	uint64_t total_ns = s->past_cpu_ns;

	for (unsigned int i = 0; s->shared && i < LANES; i++)
		total_ns += atomic_load(&s->shared[i].cpu_ns);
	return total_ns;
}
