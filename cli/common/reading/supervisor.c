/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view's task is a clone() with CLONE_VM but without CLONE_THREAD: a process of its own to
 * SIGKILL, and a thread in all else. It even has the supervisor's thread-local storage, errno
 * included. So while it runs, the supervisor makes only system calls that succeed, and allocates
 * nothing.
 *
 * getcontext() notes where the view would continue; a later task goes on there, on the same stack,
 * with setcontext().
 *
 * When one process blocks, others may as well, each for a second. So while the supervisor waits for
 * the first one, probes (probes.h) read all others.
 */
#include "config.h"

#include "cli/common/reading/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/common/reading/pid-names.h"
#include "cli/common/reading/probes.h"
#include "cli/common/reading/task.h"
#include "inspect/maps/target.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

#define TICK_NS    (20 * NS_PER_MSEC)
#define PROBE_NS   (100 * NS_PER_MSEC)  /* after so much sleep the probes start, */
#define BLOCKED_NS (600 * NS_PER_MSEC)  /* and after so much the read counts as blocked */
#define PROBING_NS (1000 * NS_PER_MSEC) /* the view waits so long for probes at most */
#define UNKNOWN_NS (5 * NS_PER_SEC)     /* if /proc does not tell whether the task sleeps */
#define KILLED_NS  (1 * NS_PER_SEC)     /* for a killed task to end */

enum {
	STACK_SIZE = 8 << 20, /* as a main thread has by default */
	START_STACK_SIZE = 1 << 16,
	BLOCKED_MAX = 4096,
};

struct blocked {
	pid_t pid;
	char file[TASK_FILE_SIZE]; /* empty: not known */
	uint64_t slept_ns;
	bool is_said;
};

struct supervisor {
	const char *procfs;
	int (*work)(void *context);
	void *context;
	int status;         /* of .work, its result */
	int done_fd;        /* readable when .work is done */
	_Atomic bool is_on; /* the view runs in a task */
	_Atomic bool is_done;
	_Atomic bool is_resumed; /* by another task, behind .pid */
	_Atomic pid_t pid;       /* the process that the view is reading; 0: none */
	_Atomic uint32_t tries;  /* supervisor_try() */
	ucontext_t resume;
	char *stack, *start_stack;
	void *fake_stack; /* AddressSanitizer's, of this thread */
	pid_t task;
	clockid_t clock; /* CPU time of the task */
	struct probes probes;
	struct blocked *blocked;
	size_t count; /* of .blocked */
};

/* One for the program, like the log: the view calls supervisor_try() from many places. */
static struct supervisor the;

/* The supervisor's last look at the task. */
struct sight {
	uint32_t tries;
	uint64_t cpu_ns;
	uint64_t since_ns; /* CLOCK_MONOTONIC; the task has slept in one system call since then */
};

static bool supervisor_is_blocked(pid_t pid)
{
	for (size_t i = 0; i < the.count; i++)
		if (the.blocked[i].pid == pid)
			return true;
	return false;
}

int supervisor_try(pid_t pid, int (*work)(void *context), void *context)
{
	int r;

	if (!the.is_on)
		return work(context);
	if (supervisor_is_blocked(pid))
		return TARGET_BLOCKED;
	the.is_resumed = false;
	getcontext(&the.resume);
	if (the.is_resumed)
		return TARGET_BLOCKED;
	the.tries++;
	the.pid = pid;
	r = work(context);
	the.pid = 0;
	return r;
}

void supervisor_say(void)
{
	struct pid_names_blocked names = {0};

	for (size_t i = 0; i < the.count; i++) {
		struct blocked *b = &the.blocked[i];

		if (b->is_said)
			continue;
		b->is_said = true;
		pid_names_add_blocked(&names, b->pid, b->file, b->slept_ns);
	}
	pid_names_say_blocked(&names, "left out");
}

/*
 * AddressSanitizer finds a thread's fake stack (detect_stack_use_after_return) and the bounds of
 * its stack by thread-local storage. Two tasks that have one fake stack get the same frame of it.
 * While a fiber is switched, the sanitizer knows two stacks of a thread and uses no fake stack: so
 * the supervisor begins such a switch before the task starts, and ends it after the task.
 */
#ifdef HAS_ASAN
static void begin_two_stacks(void)
{
	__sanitizer_start_switch_fiber(&the.fake_stack, the.stack, STACK_SIZE);
}

/* The stack around the frames of a killed task stays poisoned until this is called. */
static void forget_frames(void)
{
	ASAN_UNPOISON_MEMORY_REGION(the.stack, STACK_SIZE);
	ASAN_UNPOISON_MEMORY_REGION(the.start_stack, START_STACK_SIZE);
}

/* Switches to the task's stack, as the sanitizer sees it, and back. */
static void end_two_stacks(void)
{
	const void *bottom;
	void *none;
	size_t size;

	forget_frames();
	__sanitizer_finish_switch_fiber(NULL, &bottom, &size);
	__sanitizer_start_switch_fiber(&none, bottom, size);
	__sanitizer_finish_switch_fiber(the.fake_stack, NULL, NULL);
}

static bool has_lost; /* memory of a killed task */

/* LeakSanitizer calls this at exit. Memory that a killed task owned is lost on purpose. */
int __lsan_is_turned_off(void)
{
	return has_lost;
}

/* Called after a task was killed. */
static void give_up_frames(void)
{
	forget_frames();
	has_lost = true;
}
#else
static void begin_two_stacks(void)
{
}
static void end_two_stacks(void)
{
}
static void give_up_frames(void)
{
}
#endif

/* The task. */

static void begin_task(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int run_work(void *context)
{
	uint64_t one = 1;

	(void)context;
	begin_task();
	the.status = the.work(the.context);
	the.is_done = true;
	return write(the.done_fd, &one, sizeof(one)) < 0;
}

static int resume_work(void *context)
{
	(void)context;
	begin_task();
	the.is_resumed = true;
	setcontext(&the.resume);
	return 1;
}

static bool start_task(int (*run)(void *), char *stack, size_t size)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD;

	the.task = clone(run, stack + size, flags, NULL);
	return the.task > 0 && clock_getcpuclockid(the.task, &the.clock) == 0;
}

/* The supervisor. */

static uint64_t cpu_ns(void)
{
	struct timespec t;

	return clock_gettime(the.clock, &t) == 0
	               ? (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec
	               : 0;
}

/*
 * Returns for how long the task has been asleep in one system call for one process, in ns.
 * *RET_STATE is its state letter, '-' if it has run since the last look, which *S describes.
 */
static uint64_t slept_ns(struct sight *s, char *ret_state)
{
	uint64_t used_ns = cpu_ns(), now_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint32_t tries = the.tries;
	bool is_same = the.pid && s->tries == tries && s->cpu_ns == used_ns;

	s->tries = tries;
	s->cpu_ns = used_ns;
	*ret_state = is_same ? task_state(the.task) : '-';
	if (!is_same || (*ret_state != 'D' && *ret_state != '?'))
		s->since_ns = now_ns;
	return now_ns - s->since_ns;
}

static void list_blocked(pid_t pid, uint64_t ns, const char *file)
{
	struct blocked *b = &the.blocked[the.count];

	if (the.count == BLOCKED_MAX || supervisor_is_blocked(pid))
		return;
	*b = (struct blocked){.pid = pid, .slept_ns = ns};
	snprintf(b->file, sizeof(b->file), "%s", file);
	the.count++;
}

static void list_probed(void)
{
	size_t at = 0;
	uint64_t ns;
	pid_t pid;

	while (probes_next_blocked(&the.probes, &at, &pid, &ns))
		list_blocked(pid, ns, "");
}

/*
 * Kills the task and waits until it has exited: a task that still runs could write to the view's
 * memory. Returns false if it has not exited after 1 s.
 */
static bool kill_task(void)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + KILLED_NS;
	const struct timespec step = {.tv_nsec = NS_PER_MSEC};

	kill(the.task, SIGKILL);
	while (waitpid(the.task, NULL, WNOHANG) == 0) {
		if (clock_now_ns(CLOCK_MONOTONIC) > end_ns)
			return false;
		nanosleep(&step, NULL);
	}
	return true;
}

/*
 * Stops the task if it is still in the sleep that S describes. After SIGSTOP it runs none of the
 * view's code, even if its sleep ends. If it ran since S, it has used CPU time: it may hold a lock
 * or have left supervisor_try(), so it continues. Returns true if the task may be killed.
 */
static bool stop_task(const struct sight *s)
{
	char state;

	kill(the.task, SIGSTOP);
	state = task_state(the.task);
	if (the.pid && !the.is_done && the.tries == s->tries && cpu_ns() == s->cpu_ns &&
		(state == 'D' || state == '?') && task_is_in_call(the.task))
		return true;
	kill(the.task, SIGCONT);
	return false;
}

/* Ends this process after an error that has been logged. */
static _Noreturn void supervisor_fail(void)
{
	log_release();
	_exit(EXIT_FAILURE);
}

/*
 * Kills the task, and starts one that continues behind the process that blocks. Does nothing if the
 * task has run since S.
 */
static void take_over(const struct sight *s, uint64_t ns)
{
	char file[TASK_FILE_SIZE] = "";
	struct task_call call;

	if (!stop_task(s))
		return;
	if (task_call(the.task, &call) == 0)
		task_name_file(&call, file);
	if (!kill_task()) {
		log_error("pid %d: a read of %s blocks and cannot be ended", (int)the.pid,
			file[0] ? file : "its files");
		supervisor_fail();
	}
	list_blocked(the.pid, ns, file);
	list_probed();
	probes_end(&the.probes);
	the.pid = 0;
	give_up_frames();
	if (!start_task(resume_work, the.start_stack, START_STACK_SIZE)) {
		log_error("cannot continue behind a process that blocks: %s", strerror(errno));
		supervisor_fail();
	}
}

/* Ends this process in the same way as the task ended. */
static void end_likewise(int status)
{
	log_release();
	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

static void watch_over(void)
{
	struct pollfd done = {.fd = the.done_fd, .events = POLLIN};
	struct sight sight = {.since_ns = clock_now_ns(CLOCK_MONOTONIC)};
	int status = 0;

	while (!the.is_done) {
		uint64_t ns;
		char state;

		if (poll(&done, 1, TICK_NS / NS_PER_MSEC) > 0 || the.is_done)
			break;
		if (waitpid(the.task, &status, WNOHANG) != 0 && !the.is_done)
			end_likewise(status);
		ns = slept_ns(&sight, &state);
		if (ns < PROBE_NS && the.probes.prober)
			probes_end(&the.probes);
		if (ns >= PROBE_NS && !the.probes.prober)
			probes_start(&the.probes);
		if (ns >= (state == 'D' ? BLOCKED_NS : UNKNOWN_NS) &&
			(ns >= PROBING_NS || probes_are_done(&the.probes))) {
			take_over(&sight, ns);
			sight.since_ns = clock_now_ns(CLOCK_MONOTONIC);
		}
	}
	waitpid(the.task, NULL, 0);
	probes_end(&the.probes);
}

static void *map_memory(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool supervisor_prepare(void)
{
	the.done_fd = eventfd(0, EFD_CLOEXEC);
	the.stack = map_memory(STACK_SIZE, MAP_PRIVATE | MAP_NORESERVE | MAP_STACK);
	the.start_stack = map_memory(START_STACK_SIZE, MAP_PRIVATE | MAP_STACK);
	the.blocked = calloc(BLOCKED_MAX, sizeof(*the.blocked));
	return probes_open(the.procfs, supervisor_is_blocked, &the.probes) && the.done_fd >= 0 &&
	       the.stack && the.start_stack && the.blocked &&
	       mprotect(the.stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) == 0;
}

static void clean_up(void)
{
	if (the.stack)
		munmap(the.stack, STACK_SIZE);
	if (the.start_stack)
		munmap(the.start_stack, START_STACK_SIZE);
	probes_close(&the.probes);
	free(the.blocked);
	fd_close(the.done_fd);
	the = (struct supervisor){0};
}

static bool start_view(void)
{
	begin_two_stacks();
	if (start_task(run_work, the.stack, STACK_SIZE))
		return true;
	end_two_stacks();
	return false;
}

int supervisor_run(const char *procfs, int (*work)(void *context), void *context)
{
	int status;

	the = (struct supervisor){.procfs = procfs, .work = work, .context = context};
	the.is_on =
		supervisor_prepare(); /* set before the task starts, because the task reads it */
	if (the.is_on && !start_view())
		the.is_on = false;
	if (the.is_on) {
		watch_over();
		end_two_stacks();
		status = the.status;
	} else {
		status = work(context);
	}
	clean_up();
	return status;
}
