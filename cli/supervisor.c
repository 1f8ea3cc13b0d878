/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view's task is a clone() with CLONE_VM but without CLONE_THREAD: a process of its own to SIGKILL, and a thread in
 * all else. It even has the supervisor's thread-local storage, errno included. So while it runs, the supervisor makes only
 * system calls that succeed, and allocates nothing.
 *
 * getcontext() notes where the view would continue; a later task goes on there, on the same stack, with setcontext().
 *
 * When one process blocks, others may as well, each for a second. So while the supervisor waits for the first one, probes
 * (ordinary child processes) read all others. If one probe blocks, another continues behind it.
 */
#include "config.h"

#include "cli/supervisor.h"

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

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "cli/task.h"
#include "collectors/procfs.h"
#include "inside/target.h"
#include "render/human.h"

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

#define TICK_NS       (20 * NS_PER_MSEC)
#define PROBE_NS      (100 * NS_PER_MSEC)  /* after so much sleep others are probed, */
#define BLOCKED_NS    (600 * NS_PER_MSEC)  /* and after so much the read counts as blocked; */
#define PROBED_NS     (250 * NS_PER_MSEC)  /* that of a probe, after so much, for which */
#define PROBING_NS    (1000 * NS_PER_MSEC) /* the view waits so long at most */
#define UNKNOWN_NS    (5 * NS_PER_SEC)     /* if /proc does not tell whether the task sleeps */
#define KILLED_NS     (1 * NS_PER_SEC)     /* for a killed task to end */
#define PROBE_STEP_NS (10 * NS_PER_MSEC)

enum {
	STACK_SIZE = 8 << 20, /* as a main thread has by default */
	START_STACK_SIZE = 1 << 16,
	PROBES_MAX = 256,
	PROBES_FIRST = 4,
	BLOCKED_MAX = 4096,
	NAMED_MAX = 20, /* in one warning */
};

struct blocked {
	pid_t pid;
	char file[TASK_FILE_SIZE]; /* empty: not known */
	uint64_t slept_ns;
	bool is_said;
};

/* A probe and what it reads. */
struct probe {
	_Atomic pid_t task;        /* its own pid */
	_Atomic pid_t pid;         /* 0: of nothing */
	_Atomic uint64_t since_ns; /* CLOCK_MONOTONIC */
};

/* In memory that the supervisor and all probes share. */
struct probes {
	_Atomic uint32_t next; /* of the pids that all probes list together */
	_Atomic uint32_t count;
	struct probe probe[PROBES_MAX];
};

struct supervisor {
	const char *procfs;
	int (*work)(void *context);
	void *context;
	int status;         /* of .work */
	int done_fd;        /* readable when .work is done */
	_Atomic bool is_on; /* the view runs in a task */
	_Atomic bool is_done;
	_Atomic bool is_resumed; /* by another task, behind .pid */
	_Atomic pid_t pid;       /* the process that is being read; 0: none */
	_Atomic uint32_t tries;  /* supervisor_try() */
	ucontext_t resume;
	char *stack, *start_stack;
	void *fake_stack; /* AddressSanitizer's, of this thread */
	pid_t task;
	clockid_t clock; /* CPU time of the task */
	struct probes *probes;
	pid_t prober;
	struct blocked *blocked;
	size_t count; /* of .blocked */
};

/* One for the program, as there is one log: the view's code is called from everywhere. */
static struct supervisor the;

/* The last look of the supervisor at the task. */
struct sight {
	uint32_t tries;
	uint64_t cpu_ns;
	uint64_t since_ns; /* it sleeps in one system call; 0: it does not */
};

static bool is_blocked(pid_t pid)
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
	if (is_blocked(pid))
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

static void add_blocked(struct buffer *to, const struct blocked *b)
{
	buffer_printf(to, "pid %d", (int)b->pid);
	if (b->file[0])
		buffer_printf(to, " (%s, for ", b->file);
	else
		buffer_add_text(to, " (for ");
	human_add_span(to, b->slept_ns);
	buffer_add_char(to, ')');
}

void supervisor_say(void)
{
	AUTO_BUFFER struct buffer names = {0};
	size_t count = 0;

	for (size_t i = 0; i < the.count; i++) {
		if (the.blocked[i].is_said)
			continue;
		the.blocked[i].is_said = true;
		if (count && count < NAMED_MAX)
			buffer_add_text(&names, ", ");
		if (count++ < NAMED_MAX)
			add_blocked(&names, &the.blocked[i]);
	}
	if (count > NAMED_MAX)
		buffer_printf(&names, " and %zu more", count - NAMED_MAX);
	if (count && !names.error)
		log_warning(
			"%zu process%s left out, because the kernel blocks readers of %s files in "
			"/proc: %.*s",
			count, count == 1 ? " is" : "es are", count == 1 ? "its" : "their",
			(int)names.len, names.data);
}

/*
 * AddressSanitizer finds a thread's fake stack (detect_stack_use_after_return) and the bounds of its stack by thread-local
 * storage. Two tasks that have one fake stack get the same frame of it. While a fiber is switched, the sanitizer knows two
 * stacks of a thread and uses no fake stack: so the supervisor begins such a switch before the task starts, and ends it after
 * the task.
 */
#ifdef HAS_ASAN
static void begin_two_stacks(void)
{
	__sanitizer_start_switch_fiber(&the.fake_stack, the.stack, STACK_SIZE);
}

/* Around the frames that a killed task has left the stack stays poisoned. */
static void forget_frames(void)
{
	ASAN_UNPOISON_MEMORY_REGION(the.stack, STACK_SIZE);
	ASAN_UNPOISON_MEMORY_REGION(the.start_stack, START_STACK_SIZE);
}

/* To the task's stack, as the sanitizer sees it, and back. */
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

/* LeakSanitizer asks for it at the end: memory that a killed task owned is lost on purpose. */
int __lsan_is_turned_off(void)
{
	return has_lost;
}

/* A task was killed. */
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

/* Probes. They are forked, so their memory is their own, but for .probes. */

static void touch(int procfs_fd, pid_t pid, const char *file)
{
	char path[64], byte;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", (int)pid, file);
	fd = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!read(fd, &byte, sizeof(byte));
	close(fd);
}

static void probe(const struct procfs *procfs, const pid_t *pids, struct probe *self)
{
	struct probes *all = the.probes;
	uint32_t i;

	while ((i = all->next++) < all->count) {
		if (is_blocked(pids[i]))
			continue;
		self->since_ns = clock_now_ns(CLOCK_MONOTONIC);
		self->pid = pids[i];
		touch(procfs->fd, pids[i], "stat");
		touch(procfs->fd, pids[i], "smaps");
		self->pid = 0;
	}
}

static bool is_probing(const struct probe *p, uint64_t now_ns)
{
	return p->pid && now_ns > p->since_ns && now_ns - p->since_ns >= PROBE_STEP_NS;
}

/* Twice as many as there are, as soon as all of them seem to be blocked. */
static void run_probes(const struct procfs *procfs, const pid_t *pids)
{
	const struct timespec step = {.tv_nsec = PROBE_STEP_NS / 2};
	size_t started = 0, wanted = PROBES_FIRST;

	while (the.probes->next < the.probes->count) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		bool all = true;

		for (; started < wanted; started++) {
			pid_t pid = fork();

			if (pid < 0)
				break;
			if (pid == 0) {
				begin_task();
				the.probes->probe[started].task = getpid();
				probe(procfs, pids, &the.probes->probe[started]);
				_exit(0);
			}
		}
		nanosleep(&step, NULL);
		now_ns = clock_now_ns(CLOCK_MONOTONIC);
		for (size_t i = 0; i < started; i++)
			all = all && is_probing(&the.probes->probe[i], now_ns);
		if (all && wanted < PROBES_MAX)
			wanted *= 2;
	}
	for (;;)
		pause(); /* the probes end with this process */
}

static void run_prober(void)
{
	struct procfs procfs = {.fd = -1};
	pid_t *pids = NULL;
	size_t capacity = 0;
	ssize_t count;

	begin_task();
	if (procfs_open(the.procfs, &procfs) < 0 ||
		(count = procfs_list(&procfs, &pids, &capacity)) < 0)
		_exit(1);
	the.probes->count = (uint32_t)count;
	run_probes(&procfs, pids);
}

static void start_probes(void)
{
	memset(the.probes, 0, sizeof(*the.probes));
	the.prober = fork();
	if (the.prober == 0)
		run_prober();
}

static void end_probes(void)
{
	if (the.prober > 0) {
		kill(the.prober, SIGKILL);
		waitpid(the.prober, NULL, 0);
	}
	the.prober = 0;
}

/* The supervisor. */

/*
 * Whether task PID is in a system call, as far as /proc tells. A page fault is none: it may be long, and come in the middle of
 * malloc().
 */
static bool is_in_call(pid_t pid)
{
	struct task_call call;

	return task_call(pid, &call) < 0 || call.number != TASK_NO_CALL;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	return clock_gettime(the.clock, &t) == 0
	               ? (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec
	               : 0;
}

/* How long the task has been asleep in one system call for a process, in ns. */
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

	if (the.count == BLOCKED_MAX || is_blocked(pid))
		return;
	*b = (struct blocked){.pid = pid, .slept_ns = ns};
	snprintf(b->file, sizeof(b->file), "%s", file);
	the.count++;
}

/* Whether the probes have come to every process, and have been blocked for long enough where they are. */
static bool have_probed_all(void)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (the.prober <= 0)
		return true;
	if (!the.probes->count || the.probes->next < the.probes->count)
		return false;
	for (size_t i = 0; i < PROBES_MAX; i++) {
		const struct probe *p = &the.probes->probe[i];

		if (p->pid && now_ns < p->since_ns + PROBED_NS)
			return false;
	}
	return true;
}

static void list_probed(void)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; the.prober > 0 && i < PROBES_MAX; i++) {
		const struct probe *p = &the.probes->probe[i];
		uint64_t ns = p->pid && now_ns > p->since_ns ? now_ns - p->since_ns : 0;

		if (ns >= PROBED_NS && task_state(p->task) == 'D' && is_in_call(p->task))
			list_blocked(p->pid, ns, "");
	}
}

/* Until the task has ended: a task that can't be killed could still write to the view's memory. */
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
 * Stops the task if it is still asleep as it was at S. From SIGSTOP on it runs none of the view's code, even if its sleep ends.
 * If it had gone on before, it has used CPU time: then it may hold a lock, or have left supervisor_try(), and goes on.
 * Returns true if the task may be killed.
 */
static bool stop_task(const struct sight *s)
{
	char state;

	kill(the.task, SIGSTOP);
	state = task_state(the.task);
	if (the.pid && !the.is_done && the.tries == s->tries && cpu_ns() == s->cpu_ns &&
		(state == 'D' || state == '?') && is_in_call(the.task))
		return true;
	kill(the.task, SIGCONT);
	return false;
}

/* Continues behind the process that blocks, unless the task, which was last seen at S, goes on by itself. */
static void take_over(const struct sight *s, uint64_t ns)
{
	char file[TASK_FILE_SIZE] = "";
	struct task_call call;

	if (!stop_task(s))
		return;
	if (task_call(the.task, &call) == 0)
		task_name_file(&call, file);
	if (!kill_task()) {
		log_error("pid %d: a read of %s blocks and can't be ended", (int)the.pid,
			file[0] ? file : "its files");
		_exit(EXIT_FAILURE);
	}
	list_blocked(the.pid, ns, file);
	list_probed();
	end_probes();
	the.pid = 0;
	give_up_frames();
	if (!start_task(resume_work, the.start_stack, START_STACK_SIZE)) {
		log_error("can't continue behind a process that blocks: %s", strerror(errno));
		_exit(EXIT_FAILURE);
	}
}

/* As the task was ended. */
static void end_likewise(int status)
{
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
		if (ns < PROBE_NS && the.prober > 0)
			end_probes();
		if (ns >= PROBE_NS && !the.prober)
			start_probes();
		if (ns >= (state == 'D' ? BLOCKED_NS : UNKNOWN_NS) &&
			(ns >= PROBING_NS || have_probed_all())) {
			take_over(&sight, ns);
			sight.since_ns = clock_now_ns(CLOCK_MONOTONIC);
		}
	}
	waitpid(the.task, NULL, 0);
	end_probes();
}

static void *map_memory(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool prepare(void)
{
	the.done_fd = eventfd(0, EFD_CLOEXEC);
	the.stack = map_memory(STACK_SIZE, MAP_PRIVATE | MAP_NORESERVE | MAP_STACK);
	the.start_stack = map_memory(START_STACK_SIZE, MAP_PRIVATE | MAP_STACK);
	the.probes = map_memory(sizeof(*the.probes), MAP_SHARED);
	the.blocked = calloc(BLOCKED_MAX, sizeof(*the.blocked));
	return the.done_fd >= 0 && the.stack && the.start_stack && the.probes && the.blocked &&
	       mprotect(the.stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) == 0;
}

static void clean_up(void)
{
	if (the.stack)
		munmap(the.stack, STACK_SIZE);
	if (the.start_stack)
		munmap(the.start_stack, START_STACK_SIZE);
	if (the.probes)
		munmap(the.probes, sizeof(*the.probes));
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
	the.is_on = prepare(); /* which the task asks as soon as it starts */
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
