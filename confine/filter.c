/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allowed is what is named, so that what a kernel adds later is refused. A condition sees numbers alone and never what a
 * pointer points to: paths and addresses are for others to guard.
 *
 * EPERM and not the process's end: an attempt is an attacker's or a library's new idea, and of the latter the daemon is to
 * outlive as many as it can. ENOSYS for calls of which libc knows an older form that can be looked at: clone3() and
 * openat2() have their flags in memory.
 *
 * Old forms stand beside new ones (open, openat) for the sake of other architectures, libcs and of valgrind.
 */
#include "config.h"

#include "confine/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41 /* Linux 5.17; what malloc() calls its arenas since glibc 2.39 */
#endif

#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
		CLONE_NEWPID | CLONE_NEWNET)

/* Reading only: of files, none is written, made or emptied. */
#define READ_MASK (O_ACCMODE | O_CREAT | O_TRUNC)

/* The kernel of s390 takes the stack first. */
#ifdef __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif

/* Short, for the tables. */
#define CALL    FILTER_CALL
#define CALL_IF FILTER_CALL_IF
#define CALL_IS FILTER_CALL_IS

static const struct filter_call base_calls[] = {
	/* Files. What is opened is read; descriptors that were there before keep what they may. */
	CALL_IF("open", 1, READ_MASK, O_RDONLY),
	CALL_IF("openat", 2, READ_MASK, O_RDONLY),
	CALL("read"),
	CALL("pread64"),
	CALL("readv"),
	CALL("write"),
	CALL("writev"),
	CALL("lseek"),
	CALL("_llseek"),
	CALL("close"),
	CALL("close_range"),
	CALL("dup"),
	CALL("dup2"),
	CALL("dup3"),
	CALL("fcntl"),
	CALL("fcntl64"),
	CALL("stat"),
	CALL("stat64"),
	CALL("fstat"),
	CALL("fstat64"),
	CALL("lstat"),
	CALL("lstat64"),
	CALL("newfstatat"),
	CALL("fstatat64"),
	CALL("statx"),
	CALL("statfs"),
	CALL("fstatfs"),
	CALL("statfs64"),
	CALL("fstatfs64"),
	CALL("access"),
	CALL("faccessat"),
	CALL("readlink"),
	CALL("readlinkat"),
	CALL("getdents"),
	CALL("getdents64"),
	CALL("getcwd"),
	CALL("fadvise64"),
	CALL_IS("ioctl", 1, SIOCOUTQ),
	CALL_IS("ioctl", 1, FIONREAD),
	CALL_IS("ioctl", 1, FIONBIO),
	CALL_IS("ioctl", 1, TCGETS),
	/* A socket file that is one's own is taken away at the end. */
	CALL("unlink"),
	CALL_IS("unlinkat", 2, 0),
	/* Memory: never writable and executable at once; libraries are loaded (NSS), code is not made. */
	CALL("brk"),
	CALL("munmap"),
	CALL("mremap"),
	CALL("madvise"),
	CALL("msync"),
	CALL("mincore"),
	CALL_IF("mmap", 2, PROT_EXEC, 0),
	CALL_IF("mmap", 2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	CALL_IF("mmap2", 2, PROT_EXEC, 0),
	CALL_IF("mmap2", 2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
	CALL_IF("mprotect", 2, PROT_EXEC, 0),
	/* Waiting and time. */
	CALL("poll"),
	CALL("ppoll"),
	CALL("ppoll_time64"),
	CALL("select"),
	CALL("_newselect"),
	CALL("pselect6"),
	CALL("pselect6_time64"),
	CALL("epoll_create"),
	CALL("epoll_create1"),
	CALL("epoll_ctl"),
	CALL("epoll_wait"),
	CALL("epoll_pwait"),
	CALL("epoll_pwait2"),
	CALL("eventfd"),
	CALL("eventfd2"),
	CALL("signalfd"),
	CALL("signalfd4"),
	CALL("timerfd_create"),
	CALL("timerfd_settime"),
	CALL("timerfd_settime64"),
	CALL("timerfd_gettime"),
	CALL("timerfd_gettime64"),
	CALL("pipe"),
	CALL("pipe2"),
	CALL("nanosleep"),
	CALL("clock_nanosleep"),
	CALL("clock_nanosleep_time64"),
	CALL("clock_gettime"),
	CALL("clock_gettime64"),
	CALL("clock_getres"),
	CALL("clock_getres_time64"),
	CALL("gettimeofday"),
	CALL("time"),
	CALL("times"),
	CALL("alarm"),
	CALL("setitimer"),
	/* Signals that come. */
	CALL("rt_sigaction"),
	CALL("rt_sigprocmask"),
	CALL("rt_sigreturn"),
	CALL("sigreturn"),
	CALL("rt_sigpending"),
	CALL("rt_sigtimedwait"),
	CALL("rt_sigtimedwait_time64"),
	CALL("sigaltstack"),
	CALL("restart_syscall"),
	/* Who one is. */
	CALL("getpid"),
	CALL("getppid"),
	CALL("gettid"),
	CALL("getuid"),
	CALL("getuid32"),
	CALL("geteuid"),
	CALL("geteuid32"),
	CALL("getgid"),
	CALL("getgid32"),
	CALL("getegid"),
	CALL("getegid32"),
	CALL("getresuid"),
	CALL("getresuid32"),
	CALL("getresgid"),
	CALL("getresgid32"),
	CALL("getgroups"),
	CALL("getgroups32"),
	CALL("getpgrp"),
	CALL("getpgid"),
	CALL("getsid"),
	CALL("getpriority"),
	CALL("getrusage"),
	CALL("uname"),
	CALL("sysinfo"),
	CALL("getrandom"),
	CALL("capget"),
	CALL("getrlimit"),
	CALL("ugetrlimit"),
	CALL("setrlimit"),
	CALL_IS("prlimit64", 0, 0),
	CALL("umask"),
	/* Threads of one's own; no namespaces. */
	CALL("futex"),
	CALL("futex_time64"),
	CALL("set_robust_list"),
	CALL("get_robust_list"),
	CALL("set_tid_address"),
	CALL("rseq"),
	CALL("membarrier"),
	CALL("sched_yield"),
	CALL("sched_getaffinity"),
	CALL("getcpu"),
	CALL("arch_prctl"),
	CALL("set_thread_area"),
	CALL("exit"),
	CALL("exit_group"),
	CALL_IF("clone", CLONE_FLAGS, CLONE_THREAD | NAMESPACES, CLONE_THREAD),
	CALL_IS("prctl", 0, PR_SET_NAME),
	CALL_IS("prctl", 0, PR_GET_NAME),
	CALL_IS("prctl", 0, PR_SET_PDEATHSIG),
	CALL_IS("prctl", 0, PR_GET_DUMPABLE),
	CALL_IS("prctl", 0, PR_SET_VMA),
};
const struct filter_list filter_base = FILTER_LIST(base_calls);

static const struct filter_call unix_calls[] = {
	CALL_IS("socket", 0, AF_UNIX),
	CALL_IS("socketpair", 0, AF_UNIX),
	CALL("connect"),
	CALL("accept"),
	CALL("accept4"),
	CALL("shutdown"),
	CALL("getsockname"),
	CALL("getpeername"),
	CALL("getsockopt"),
	CALL("setsockopt"),
	CALL("send"),
	CALL("sendto"),
	CALL("sendmsg"),
	CALL("sendmmsg"),
	CALL("recv"),
	CALL("recvfrom"),
	CALL("recvmsg"),
};
const struct filter_list filter_unix = FILTER_LIST(unix_calls);

static const struct filter_call children_calls[] = {
	CALL_IF("clone", CLONE_FLAGS, CLONE_VM | CLONE_THREAD | NAMESPACES, 0),
	CALL("fork"),
	CALL("wait4"),
	CALL("waitpid"),
	CALL_IS("kill", 1, SIGKILL),
	CALL("capset"),
	CALL("seccomp"),
	CALL_IS("prctl", 0, PR_SET_NO_NEW_PRIVS),
	CALL_IS("prctl", 0, PR_CAP_AMBIENT),
	CALL_IS("prctl", 0, PR_SET_SECCOMP),
	CALL_IS("prctl", 0, PR_SET_DUMPABLE),
	CALL_IS("prctl", 0, PR_GET_SECCOMP),
};
const struct filter_list filter_children = FILTER_LIST(children_calls);

/*
 * Besides, where tools watch over the program: the leak checker attaches to its own process, errors are named by a program
 * that is executed, reports are written to files, and valgrind makes code.
 */
static const struct filter_call tool_calls[] = {
	CALL("open"),
	CALL("openat"),
	CALL("clone"),
	CALL("mmap"),
	CALL("mprotect"),
	CALL("ptrace"),
	CALL("execve"),
	CALL("wait4"),
	CALL("prctl"),
	CALL("kill"),
	CALL("tgkill"),
	CALL("tkill"),
	CALL("personality"),
	CALL("socketpair"),
	CALL("ioctl"),
	CALL("process_vm_readv"),
};
static const struct filter_list filter_tools = FILTER_LIST(tool_calls);

static const char *const unimplemented[] = {
	"clone3",
	"faccessat2",
	"openat2",
	"futex_waitv",
	"preadv2",
	"pwritev2",
	"mseal",
};

static void cleanup_release(scmp_filter_ctx *ctx)
{
	if (*ctx)
		seccomp_release(*ctx);
}

/* What an earlier rule allows already is refused with EEXIST. */
static int add(scmp_filter_ctx ctx, uint32_t action, const struct filter_call *c)
{
	int number = seccomp_syscall_resolve_name(c->name), r;
	struct scmp_arg_cmp condition = {
		.arg = c->argument,
		.op = SCMP_CMP_MASKED_EQ,
		.datum_a = c->mask,
		.datum_b = c->value,
	};

	if (number < 0)
		return 0;
	r = seccomp_rule_add_array(ctx, action, number, c->has_condition ? 1 : 0, &condition);
	return r == -EEXIST ? 0 : r;
}

static int add_all(scmp_filter_ctx ctx, const struct filter_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		int r = add(ctx, SCMP_ACT_ALLOW, &list->call[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Valgrind runs ordinary builds, and tells by what it has the loader add. Who sets our environment starts us. */
bool filter_is_wide(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return SANITIZED || (preloaded && strstr(preloaded, "/vgpreload_"));
}

int filter_load(const struct filter_list *const *lists, size_t count)
{
	CLEANUP(cleanup_release) scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = ctx ? 0 : -ENOMEM;

	/* A child adds another filter, and need not give up its rights for it: no_new_privs is set, by us. */
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);
	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_API_SYSRAWRC, 1);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(unimplemented); i++)
		r = add(ctx, SCMP_ACT_ERRNO(ENOSYS),
			&(struct filter_call){.name = unimplemented[i]});
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_all(ctx, lists[i]);
	if (r == 0 && filter_is_wide())
		r = add_all(ctx, &filter_tools);
	if (r == 0)
		r = seccomp_load(ctx);
	return r == -EINVAL || r == -ENOSYS ? FILTER_UNSUPPORTED : r;
}
