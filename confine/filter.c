/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allowed is what is named, so that what a kernel adds later is refused. A condition sees numbers alone and never what a
 * pointer points to: paths and addresses are for others to guard.
 *
 * EPERM and not the process's end: an attempt is an attacker's or a library's new idea, and of the latter the daemon is to
 * outlive as many as it can. ENOSYS for calls of which libc knows an older form that can be looked at: clone3() and
 * openat2() have their flags in memory.
 *
 * Old forms stand beside new ones (open, openat) for the sake of other architectures and libcs.
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

/* Reading only: of files, none is written, made or emptied. */
#define READ_MASK (O_ACCMODE | O_CREAT | O_TRUNC)

/* Not with numbers that are no pid's: 0 and negative ones are whole groups, or all. Kernels have pids of up to 22 bits. */
#define PID_BITS    22
#define PID_MASK(n) (UINT64_C(0xffffffff) >> PID_BITS << PID_BITS | UINT64_C(1) << (n))
#define KILL(n)     FILTER_CALL_BOTH("kill", 0, PID_MASK(n), UINT64_C(1) << (n), 1, FILTER_INT, SIGKILL)

#define FORK_MASK   (FILTER_INT & ~(uint64_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
#define THREAD_MASK (FILTER_INT & ~(uint64_t)CLONE_DETACHED) /* musl has it */
#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
		CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* Short, for the tables. */
#define CALL      FILTER_CALL
#define CALL_IF   FILTER_CALL_IF
#define CALL_IS   FILTER_CALL_IS
#define CALL_BOTH FILTER_CALL_BOTH

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
	/* Neither signals (F_SETOWN, F_SETSIG, O_ASYNC: anybody's end) nor leases. */
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
	/* Memory, of which nothing becomes code. */
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
	/* Signals that come. */
	CALL("rt_sigaction"),
	CALL("rt_sigprocmask"),
	CALL("rt_sigreturn"),
	CALL("sigreturn"),
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
	CALL("uname"),
	CALL("sysinfo"), /* by qsort() of glibc before 2.37, which goes by what is not there where it fails */
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

/* With MSG_FASTOPEN what sends would connect, and Landlock's rules are about connect() (until Linux 6.18, at least). */
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

/* None is emptied by being opened: that loses what nobody has looked at. */
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
 * Besides, where tools watch over the program: the leak checker attaches to its own process, errors are named by a program
 * that is executed, reports are written to files, and valgrind makes code and has its own ways to do everything.
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

/* Of these the kernel of old takes the arguments in a structure, where no filter sees them. */
static bool has_hidden_mmap(uint32_t arch)
{
	return arch == SCMP_ARCH_S390 || arch == SCMP_ARCH_S390X || arch == SCMP_ARCH_X86;
}

/* The kernel of s390 takes the stack first. */
static unsigned int argument_on(uint32_t arch, unsigned int argument)
{
	if (argument != FILTER_CLONE_FLAGS)
		return argument;
	return arch == SCMP_ARCH_S390 || arch == SCMP_ARCH_S390X ? 1 : 0;
}

/* What an earlier rule allows already is refused with EEXIST. */
static int add(scmp_filter_ctx ctx, uint32_t arch, uint32_t action, const struct filter_call *c)
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
		int r = add(ctx, arch, SCMP_ACT_ALLOW, &list->call[i]);

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
 * libseccomp allows each call for sockets in its old form, too, socketcall() with the call's number, and what follows in
 * memory nobody looks at: any family of sockets. So that one is refused, last.
 */
static int build(
	uint32_t arch, const struct filter_list *const *lists, size_t count, scmp_filter_ctx ctx)
{
	/* A child adds another filter, and need not give up its rights for it: no_new_privs is set, by us. */
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_API_SYSRAWRC, 1);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(unimplemented); i++)
		r = add(ctx, arch, SCMP_ACT_ERRNO(ENOSYS),
			&(struct filter_call){.name = unimplemented[i]});
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_all(ctx, arch, lists[i]);
	if (r == 0 && filter_is_wide())
		r = add_all(ctx, arch, &filter_tools);
	if (r == 0)
		r = add(ctx, arch, SCMP_ACT_ERRNO(ENOSYS),
			&(struct filter_call){.name = "socketcall"});
	return r;
}

/* Linux 4.14 says so; one before it has filters, or has not, and fails to load them with the same error. */
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
	int r = ctx ? build(seccomp_arch_native(), lists, count, ctx) : -ENOMEM;

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
		r = build(arch, lists, count, ctx);
	return r == 0 ? seccomp_export_pfc(ctx, fd) : r;
}
