/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists name what is allowed, so that calls of later kernels are refused. A condition sees
 * numbers, and never what a pointer points to: Landlock and others have to guard paths and
 * addresses.
 *
 * EPERM instead of killing the process: a refused call comes from an attacker, or from a new
 * version of a library, which the daemon should survive. ENOSYS for calls with an older form that a
 * filter can examine: clone3() and openat2() have their flags in memory.
 *
 * Old forms of calls (open) stand beside new ones (openat) for other architectures and libcs.
 */
#include "config.h"

#include "confine/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef CLONE_DETACHED
#define CLONE_DETACHED 0x400000
#endif
#ifndef SECCOMP_GET_ACTION_AVAIL
#define SECCOMP_GET_ACTION_AVAIL 2
#endif

/* For open(): reads only; does not write, create or truncate. */
#define READ_MASK (O_ACCMODE | O_CREAT | O_TRUNC)

/*
 * kill() only for pids: 0 and negative numbers stand for groups or all processes. Pids have up to
 * 22 bits.
 */
#define PID_BITS    22
#define PID_MASK(n) (UINT64_C(0xffffffff) >> PID_BITS << PID_BITS | UINT64_C(1) << (n))
#define KILL(n)     FILTER_CALL_BOTH("kill", 0, PID_MASK(n), UINT64_C(1) << (n), 1, FILTER_INT, SIGKILL)

#define FORK_MASK   (FILTER_INT & ~(uint64_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
#define THREAD_MASK (FILTER_INT & ~(uint64_t)CLONE_DETACHED) /* musl sets CLONE_DETACHED */
#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
		CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* Short names for the tables. */
#define CALL      FILTER_CALL
#define CALL_IF   FILTER_CALL_IF
#define CALL_IS   FILTER_CALL_IS
#define CALL_BOTH FILTER_CALL_BOTH

static const struct filter_call base_calls[] = {
	/* Files: new descriptors only read; existing ones keep their rights. */
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
	CALL("stat"),
	CALL("stat64"),
	CALL("fstat"),
	CALL("fstat64"),
	CALL("lstat"),
	CALL("lstat64"),
	CALL("newfstatat"),
	CALL("fstatat64"),
	CALL("statx"),
	CALL("access"),
	CALL("faccessat"),
	CALL("readlink"),
	CALL("readlinkat"),
	CALL("getdents"),
	CALL("getdents64"),
	/* No signals (F_SETOWN, F_SETSIG and O_ASYNC could kill any process), and no leases. */
	CALL_IS("fcntl", 1, F_DUPFD),
	CALL_IS("fcntl", 1, F_DUPFD_CLOEXEC),
	CALL_IS("fcntl", 1, F_GETFD),
	CALL_IS("fcntl", 1, F_SETFD),
	CALL_IS("fcntl", 1, F_GETFL),
	CALL_BOTH("fcntl", 1, FILTER_INT, F_SETFL, 2, O_ASYNC, 0),
	CALL_IS("fcntl", 1, F_GET_SEALS),
	CALL_IS("fcntl64", 1, F_DUPFD),
	CALL_IS("fcntl64", 1, F_DUPFD_CLOEXEC),
	CALL_IS("fcntl64", 1, F_GETFD),
	CALL_IS("fcntl64", 1, F_SETFD),
	CALL_IS("fcntl64", 1, F_GETFL),
	CALL_BOTH("fcntl64", 1, FILTER_INT, F_SETFL, 2, O_ASYNC, 0),
	CALL_IS("fcntl64", 1, F_GET_SEALS),
	/* Memory that is never executable. */
	CALL("brk"),
	CALL("munmap"),
	CALL("mremap"),
	CALL("madvise"),
	CALL_IF("mmap", 2, PROT_EXEC, 0),
	CALL_IF("mmap2", 2, PROT_EXEC, 0),
	CALL_IF("mprotect", 2, PROT_EXEC, 0),
	/* Waiting and time. */
	CALL("poll"),
	CALL("ppoll"),
	CALL("ppoll_time64"),
	CALL("epoll_create"),
	CALL("epoll_create1"),
	CALL("epoll_ctl"),
	CALL("epoll_wait"),
	CALL("epoll_pwait"),
	CALL("epoll_pwait2"),
	CALL("nanosleep"),
	CALL("clock_nanosleep"),
	CALL("clock_nanosleep_time64"),
	CALL("clock_gettime"),
	CALL("clock_gettime64"),
	CALL("clock_getres"),
	CALL("clock_getres_time64"),
	CALL("gettimeofday"),
	CALL("time"),
	CALL("restart_syscall"),
	/* Receiving signals. */
	CALL("rt_sigaction"),
	CALL("rt_sigprocmask"),
	CALL("rt_sigreturn"),
	CALL("sigreturn"),
	/* The process's own identity. */
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
	CALL("uname"),
	/* For qsort() of glibc before 2.37, which uses an uninitialized result if it fails. */
	CALL("sysinfo"),
	CALL("getrandom"),
	CALL("getrlimit"),
	CALL("ugetrlimit"),
	CALL_IS("prlimit64", 0, 0),
	CALL("futex"),
	CALL("futex_time64"),
	CALL("exit"),
	CALL("exit_group"),
};
const struct filter_list filter_base = FILTER_LIST(base_calls);

/*
 * No MSG_FASTOPEN: it would connect, and Landlock checks only connect() (until Linux 6.18, at
 * least).
 */
static const struct filter_call unix_calls[] = {
	CALL_IS("socket", 0, AF_UNIX),
	CALL("connect"),
	CALL("shutdown"),
	CALL("getsockname"),
	CALL("getpeername"),
	CALL("getsockopt"),
	CALL("setsockopt"),
	CALL_IF("send", 3, MSG_FASTOPEN, 0),
	CALL_IF("sendto", 3, MSG_FASTOPEN, 0),
	CALL_IF("sendmsg", 2, MSG_FASTOPEN, 0),
	CALL("recv"),
	CALL("recvfrom"),
	CALL("recvmsg"),
};
const struct filter_list filter_unix = FILTER_LIST(unix_calls);

static const struct filter_call server_calls[] = {
	CALL("accept"),
	CALL("accept4"),
	CALL("signalfd"),
	CALL("signalfd4"),
	CALL_IS("ioctl", 1, SIOCOUTQ),
	CALL_IS("ioctl", 1, FIONBIO),
};
const struct filter_list filter_server = FILTER_LIST(server_calls);

static const struct filter_call unlink_calls[] = {
	CALL("unlink"),
	CALL_IS("unlinkat", 2, 0),
};
const struct filter_list filter_unlink = FILTER_LIST(unlink_calls);

/* No O_TRUNC: it would destroy data that was never checked. */
static const struct filter_call keep_calls[] = {
	CALL_IF("open", 1, O_TRUNC, 0),
	CALL_IF("openat", 2, O_TRUNC, 0),
	CALL("pwrite64"),
	CALL("fsync"),
	CALL("fdatasync"),
	CALL("ftruncate"),
	CALL("ftruncate64"),
	CALL("fchmod"),
	CALL("rename"),
	CALL_IF("renameat2", 4, FILTER_INT, 0),
	CALL("renameat"),
	CALL("unlink"),
	CALL_IS("unlinkat", 2, 0),
	CALL_IS("fcntl", 1, F_GETLK),
	CALL_IS("fcntl", 1, F_SETLK),
	CALL_IS("fcntl64", 1, F_GETLK),
	CALL_IS("fcntl64", 1, F_SETLK),
};
const struct filter_list filter_keep = FILTER_LIST(keep_calls);

static const struct filter_call threads_calls[] = {
	CALL_IF("clone", FILTER_CLONE_FLAGS, THREAD_MASK, THREAD_FLAGS),
	CALL("set_robust_list"),
	CALL("rseq"),
	CALL("eventfd"),
	CALL("eventfd2"),
};
const struct filter_list filter_threads = FILTER_LIST(threads_calls);

static const struct filter_call children_calls[] = {
	CALL_IF("clone", FILTER_CLONE_FLAGS, FORK_MASK, SIGCHLD),
	CALL("fork"),
	CALL("set_robust_list"),
	CALL("wait4"),
	CALL("waitid"),
	CALL("waitpid"),
	KILL(0),
	KILL(1),
	KILL(2),
	KILL(3),
	KILL(4),
	KILL(5),
	KILL(6),
	KILL(7),
	KILL(8),
	KILL(9),
	KILL(10),
	KILL(11),
	KILL(12),
	KILL(13),
	KILL(14),
	KILL(15),
	KILL(16),
	KILL(17),
	KILL(18),
	KILL(19),
	KILL(20),
	KILL(21),
	CALL("close_range"),
	CALL_IS("prctl", 0, PR_SET_NAME),
	CALL_IS("prctl", 0, PR_SET_PDEATHSIG),
};
const struct filter_list filter_children = FILTER_LIST(children_calls);

/*
 * For tools: the leak checker attaches to its own process, sanitizers execute a program to
 * symbolize errors and write reports to files, and valgrind generates code and uses many calls.
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
	CALL("fcntl"),
	CALL("fcntl64"),
	CALL("getcwd"),
	CALL("dup"),
	CALL("dup2"),
	CALL("pipe"),
	CALL("pipe2"),
	CALL("close_range"),
	CALL("unlink"),
	CALL("msync"),
	CALL("mincore"),
	CALL("sched_yield"),
	CALL("sched_getaffinity"),
	CALL("sigaltstack"),
	CALL("rt_sigpending"),
	CALL("rt_sigtimedwait"),
	CALL("getresuid"),
	CALL("getresgid"),
	CALL("getpgrp"),
	CALL("getpgid"),
	CALL("getrusage"),
	CALL("times"),
	CALL("capget"),
	CALL("setrlimit"),
	CALL("set_robust_list"),
	CALL("get_robust_list"),
	CALL("set_tid_address"),
	CALL("rseq"),
	CALL("membarrier"),
	CALL("getcpu"),
	CALL("arch_prctl"),
};
static const struct filter_list filter_tools = FILTER_LIST(tool_calls);

/* Calls that fail with ENOSYS, so that libc uses an older form. */
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

/* On these architectures mmap() takes its arguments in memory, where no filter sees them. */
static bool has_hidden_mmap(uint32_t arch)
{
	return arch == SCMP_ARCH_S390 || arch == SCMP_ARCH_S390X || arch == SCMP_ARCH_X86;
}

/* On s390 the stack is the first argument of clone(). */
static unsigned int argument_on(uint32_t arch, unsigned int argument)
{
	if (argument != FILTER_CLONE_FLAGS)
		return argument;
	return arch == SCMP_ARCH_S390 || arch == SCMP_ARCH_S390X ? 1 : 0;
}

/* Adds a rule for C. libseccomp returns -EEXIST if an earlier rule covers it. */
static int filter_add(
	scmp_filter_ctx ctx, uint32_t arch, uint32_t action, const struct filter_call *c)
{
	struct scmp_arg_cmp conditions[FILTER_CONDITIONS_MAX];
	unsigned int count = c->conditions;
	int r;

	if (seccomp_syscall_resolve_name_rewrite(arch, c->name) < 0)
		return 0;
	if (strcmp(c->name, "mmap") == 0 && has_hidden_mmap(arch))
		count = 0;
	for (unsigned int i = 0; i < count; i++)
		conditions[i] = (struct scmp_arg_cmp){
			.arg = argument_on(arch, c->condition[i].argument),
			.op = SCMP_CMP_MASKED_EQ,
			.datum_a = c->condition[i].mask,
			.datum_b = c->condition[i].value,
		};
	r = seccomp_rule_add_array(
		ctx, action, seccomp_syscall_resolve_name(c->name), count, conditions);
	return r == -EEXIST ? 0 : r;
}

static int add_all(scmp_filter_ctx ctx, uint32_t arch, const struct filter_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		int r = filter_add(ctx, arch, SCMP_ACT_ALLOW, &list->call[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

bool filter_is_wide(void)
{
	return SANITIZED || FOR_VALGRIND;
}

/*
 * Adds all rules to CTX. For each socket call libseccomp also allows the old form, socketcall(), by
 * the number of the call. Its arguments are in memory, where no filter sees them: that would allow
 * any family of sockets. So socketcall() is refused last.
 */
static int filter_build(
	uint32_t arch, const struct filter_list *const *lists, size_t count, scmp_filter_ctx ctx)
{
	/*
	 * no_new_privs is set by us: a child adds another filter, and need not give up its rights
	 * for that.
	 */
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_API_SYSRAWRC, 1);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(unimplemented); i++)
		r = filter_add(ctx, arch, SCMP_ACT_ERRNO(ENOSYS),
			&(struct filter_call){.name = unimplemented[i]});
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_all(ctx, arch, lists[i]);
	if (r == 0 && filter_is_wide())
		r = add_all(ctx, arch, &filter_tools);
	if (r == 0)
		r = filter_add(ctx, arch, SCMP_ACT_ERRNO(ENOSYS),
			&(struct filter_call){.name = "socketcall"});
	return r;
}

/*
 * Returns whether ERROR means that the kernel has no filters. Linux 4.14 tells; before that,
 * kernels with and without filters fail with the same error.
 */
static bool is_unsupported(int error)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	return (error == -EINVAL || error == -ENOSYS) &&
	       syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0 &&
	       (errno == EINVAL || errno == ENOSYS);
}

int filter_load(const struct filter_list *const *lists, size_t count)
{
	CLEANUP(cleanup_release) scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = ctx ? filter_build(seccomp_arch_native(), lists, count, ctx) : -ENOMEM;

	if (r < 0)
		return r;
	r = seccomp_load(ctx);
	return is_unsupported(r) ? FILTER_UNSUPPORTED : r;
}

int filter_export(uint32_t arch, const struct filter_list *const *lists, size_t count, int fd)
{
	CLEANUP(cleanup_release) scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = ctx ? 0 : -ENOMEM;

	if (r == 0 && arch != seccomp_arch_native()) {
		r = seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE);
		if (r == 0)
			r = seccomp_arch_add(ctx, arch);
	}
	if (r == 0)
		r = filter_build(arch, lists, count, ctx);
	return r == 0 ? seccomp_export_pfc(ctx, fd) : r;
}
