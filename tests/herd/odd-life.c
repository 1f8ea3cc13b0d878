/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/odd.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/herd/self.h"

void odd_zombie(struct odd *odd)
{
	pid_t self = getpid();

	self_settle(odd->uid, odd->parent);
	_exit(write(odd->ready, &self, sizeof(self)) == (ssize_t)sizeof(self) ? 0 : 1);
}

/* Children that live for 20 ms, each with a different hostile name. The kernel reaps them. */
void odd_forking(struct odd *odd)
{
	enum { LIFE_US = 20000 };
	uint64_t pause_ns = UINT64_C(1000000000) / odd->number, done = 0;
	struct timespec next;
	pid_t self = getpid();
	char name[ODD_NAME_SIZE];

	self_unblock_signals();
	self_settle(odd->uid, odd->parent);
	signal(SIGCHLD, SIG_IGN);
	if (write(odd->ready, &self, sizeof(self)) != (ssize_t)sizeof(self))
		_exit(1);
	self_close_all_but(odd->ready);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;; done++) {
		if (fork() == 0) {
			odd_hostile_name(done, name);
			prctl(PR_SET_NAME, name);
			usleep(LIFE_US);
			_exit(0);
		}
		next.tv_nsec += (long)pause_ns;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

void odd_execute_again(const char *pause_us)
{
	execl("/proc/self/exe", "execer", ODD_AGAIN, pause_us, (char *)NULL);
	_exit(1);
}

void odd_executing(struct odd *odd)
{
	pid_t self = getpid();

	self_unblock_signals();
	self_settle(odd->uid, odd->parent);
	if (write(odd->ready, &self, sizeof(self)) != (ssize_t)sizeof(self))
		_exit(1);
	self_close_all_but(odd->ready);
	odd_execute_again(odd->argument);
}

/* Takes UID and keeps root's capabilities: one of them is needed to choose a pid. */
static void settle_with_rights(uid_t uid, pid_t parent)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (prctl(PR_SET_KEEPCAPS, 1) < 0)
		self_fail("PR_SET_KEEPCAPS");
	self_settle(uid, parent);
	if (syscall(SYS_capget, &header, caps) < 0)
		self_fail("capget");
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		caps[i].effective = caps[i].permitted;
	if (syscall(SYS_capset, &header, caps) < 0)
		self_fail("capset");
}

/* Runs a child with pid PID, which exits after PAUSE_US. Returns when the child is reaped. */
static void run_child_as(pid_t pid, uint64_t pause_us)
{
	enum { ATTEMPTS = 100, BUSY_US = 1000 };
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};
	long child = -1;

	for (int i = 0; child < 0; i++) {
		child = syscall(SYS_clone3, &args, sizeof(args));
		if (child < 0 && (errno != EEXIST || i == ATTEMPTS))
			self_fail("clone3 with set_tid");
		if (child < 0)
			usleep(BUSY_US);
	}
	if (child == 0) {
		usleep((useconds_t)pause_us);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) < 0)
		self_fail("waitpid");
}

/* Returns a pid that was just in use. The kernel will not give it to another process soon. */
static pid_t choose_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		self_fail("fork");
	return pid;
}

__attribute__((noreturn)) static void take_turns(
	const struct odd *odd, pid_t pid, int from, int to, bool is_first)
{
	char token = 0;

	for (;; is_first = false) {
		if (!is_first && read(from, &token, 1) != 1)
			_exit(0);
		run_child_as(pid, odd->number);
		if (write(to, &token, 1) != 1)
			_exit(0);
	}
}

/*
 * Two processes, parent and child, take turns in having a child with the same pid. Each child has
 * its parent's user, name and memory from its first moment to its last.
 */
void odd_reusing(struct odd *odd)
{
	static const struct turn {
		const char *name;
		uint64_t kib;
	} turns[2] = {{"reuse-small", 512}, {"reuse-large", 8192}};
	int there[2], back[2];
	pid_t first = getpid(), pid, other;
	bool is_first;

	self_unblock_signals();
	if (dup2(odd->ready, 0) < 0 || close_range(1, ~0U, 0) < 0 || pipe(there) < 0 ||
		pipe(back) < 0)
		self_fail("descriptors");
	pid = choose_pid();
	other = fork();
	if (other < 0)
		self_fail("fork");
	is_first = other > 0;
	prctl(PR_SET_NAME, turns[!is_first].name);
	self_map(ODD_PAYLOAD_AT, odd_pages_of_kib(turns[!is_first].kib), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1);
	self_touch(ODD_PAYLOAD_AT, odd_pages_of_kib(turns[!is_first].kib), false);
	settle_with_rights(odd->uid + !is_first, is_first ? odd->parent : first);
	if (is_first) {
		run_child_as(pid, 0);
		if (write(0, &first, sizeof(first)) < 0 || write(0, &pid, sizeof(pid)) < 0)
			self_fail("write");
	}
	take_turns(
		odd, pid, is_first ? back[0] : there[0], is_first ? there[1] : back[1], is_first);
}
