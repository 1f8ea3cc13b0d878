/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read is blocked if its worker sleeps in the kernel (state D) and has slept for as long as
 * struct lanes_patience says, or for SLEEPS times as long in pieces. Pieces count because a walk
 * releases the address-space lock at each mapping: a process that takes that lock again and again
 * could delay the walk for seconds.
 *
 * A worker that runs or waits for a CPU is only slow: walks of large processes take seconds, and on
 * a busy host all reads take longer. So is a worker that waits for memory of its own: for a page of
 * its code, or because its cgroup has to free memory. A read that takes 20 s is blocked in any
 * case. If /proc does not show the worker, its read is blocked when it has used no CPU time for
 * SLEEPS times as long.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "collectors/procfs/status.h"
#include "collectors/workers/lanes-private.h"

#define STOPPED_NS (1 * NS_PER_SEC) /* asleep elsewhere, stopped or frozen */
#define SLOW_MAX_NS                                                                                \
	(20 * NS_PER_SEC) /* a read that takes longer is blocked, even if its worker runs */
#define START_MAX_NS (10 * NS_PER_SEC) /* for a worker to start, on a busy host */
#define GONE_MAX_NS  (1 * NS_PER_SEC)  /* from a worker's exit until WORKER_EXITED */

enum {
	SLEEPS = 4,
	TEXT_SIZE = 4096, /* of status */
};

uint64_t lanes_patience_ns(const struct lanes *s)
{
	const struct lanes_patience *p = &s->control.patience;

	return s->is_hurried ? p->short_ns : p->long_ns;
}

/*
 * Reads the file NAME of the worker PID, which never blocks (worker.h). Returns its length, or -1.
 */
static ssize_t read_own(pid_t pid, const char *name, char text[static TEXT_SIZE])
{
	char path[40];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return file_read(AT_FDCWD, path, text, TEXT_SIZE, &len) < 0 ? -1 : (ssize_t)len;
}

/* Returns the state letter of process PID, 0 if it cannot be read. */
static char lanes_state_of(pid_t pid)
{
	char text[TEXT_SIZE];
	struct status status;
	ssize_t len = read_own(pid, "status", text);

	return len > 0 && status_parse(text, (size_t)len, &status) == 0 ? status.state : 0;
}

/*
 * Whether process PID sleeps because it has no memory or waits for a page of its own, as far as
 * this code knows the kernel's functions for that. No process that is read can cause this: for the
 * locks that block reads, wchan shows the reading function itself (do_task_stat,
 * call_proc_get_link, mm_access, m_start).
 *
 * /proc/PID/syscall cannot be used: it belongs to root, since workers are not dumpable. wchan is
 * "0" without CAP_SYS_PTRACE and on kernels without symbol names. Reading it takes at most the
 * worker's exec_update_lock, and a worker never calls exec.
 */
static bool waits_for_memory(pid_t pid)
{
	static const char *const waits[] = {"folio_wait_", "__folio_lock", "reclaim_throttle",
		"mem_cgroup_handle_over_high", "__mem_cgroup_handle_over_high",
		"throttle_direct_reclaim", "shrink_",
		/* before Linux 5.16 */
		"wait_on_page_bit", "__lock_page", "congestion_wait", "wait_iff_congested"};
	char text[TEXT_SIZE];
	ssize_t len = read_own(pid, "wchan", text);

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		size_t size = strlen(waits[i]);

		if (len >= (ssize_t)size && memcmp(text, waits[i], size) == 0)
			return true;
	}
	return false;
}

/*
 * Returns for how long process PID has waited for a CPU, up to the last time that it ran; 0 on
 * kernels without schedstat.
 */
static uint64_t queued_ns_of(pid_t pid)
{
	char text[TEXT_SIZE];
	ssize_t len = read_own(pid, "schedstat", text);
	const char *space = len > 0 ? memchr(text, ' ', (size_t)len) : NULL;
	uint64_t ns;

	/* "RUN QUEUED TIMES" */
	return space && number_scan_u64(space + 1, (size_t)(text + len - space - 1), &ns) > 0 ? ns
	                                                                                      : 0;
}

/* Updates W from the worker PID at NOW_NS. Returns false if the worker has exited. */
static bool lanes_look_at(const struct lanes *s, struct lanes_watch *w, pid_t pid, uint64_t now_ns)
{
	clockid_t clock;
	uint64_t cpu_ns, queued_ns, awake_ns;

	if (clock_getcpuclockid(pid, &clock) != 0)
		return false;
	cpu_ns = clock_now_ns(clock);
	queued_ns = s->sees_workers ? queued_ns_of(pid) : 0;
	if (!w->first_ns) {
		w->first_ns = w->asleep_ns = now_ns;
		w->cpu_ns = w->last_cpu_ns = cpu_ns;
		w->queued_ns = queued_ns;
		return true;
	}
	if (cpu_ns != w->last_cpu_ns)
		w->asleep_ns = now_ns;
	w->last_cpu_ns = cpu_ns;
	awake_ns = cpu_ns - w->cpu_ns + queued_ns - w->queued_ns;
	w->slept_ns = now_ns - w->first_ns > awake_ns ? now_ns - w->first_ns - awake_ns : 0;
	return true;
}

int lanes_judge(
	const struct lanes *s, struct worker_lane *lane, struct lanes_watch *w, uint64_t now_ns)
{
	pid_t pid = atomic_load(&lane->pid);
	char state;

	if (atomic_load(&lane->state) != WORKER_SERVING)
		return now_ns - w->request_ns >= START_MAX_NS ? LANES_LOST : 0;
	/*
	 * The process that reaps it notes the exit in the lane at once, unless that process has
	 * exited, too.
	 */
	if (!lanes_look_at(s, w, pid, now_ns))
		return now_ns - w->request_ns >= GONE_MAX_NS ? LANES_LOST : 0;
	if (now_ns - w->request_ns >= SLOW_MAX_NS)
		return LANES_BLOCKED;
	if (now_ns - w->asleep_ns < lanes_patience_ns(s) &&
		w->slept_ns < SLEEPS * lanes_patience_ns(s))
		return 0;
	state = s->sees_workers ? lanes_state_of(pid) : 0;
	if (!state) /* the worker may just as well wait for a CPU */
		return w->slept_ns >= SLEEPS * lanes_patience_ns(s) ? LANES_BLOCKED : 0;
	if (state == 'R' || (state == 'D' && waits_for_memory(pid)))
		return 0;
	return state == 'D' || w->slept_ns >= STOPPED_NS ? LANES_BLOCKED : 0;
}
