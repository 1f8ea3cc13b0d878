/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/faults/injector.h"

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "tests/unit/support/extent.h"

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

struct failure {
	long number;
	const char *name;
	/* negative: the call is made all the same, and then reported as failed */
	int error[INJECTOR_WAYS];
};

/*
 * Errors that the kernel may return to calls as memtally makes them, on any file: shortage of
 * something. Errors of one file (denied, missing) are for other tests. No read or write that would
 * succeed returns EAGAIN: a loop would wait forever.
 */
static const struct failure failures[] = {
#ifdef SYS_open
	{SYS_open, "open", {EMFILE, ENOMEM, ENFILE}},
	{SYS_readlink, "readlink", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_poll, "poll", {EINTR, ENOMEM, EINTR}},
	{SYS_epoll_wait, "epoll_wait", {EINTR, EINTR, EINTR}},
	{SYS_access, "access", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_stat, "stat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_fstat, "fstat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_sendfile, "sendfile", {ENOBUFS, ENOMEM, EPIPE}},
	{SYS_unlink, "unlink", {ENOMEM, EROFS, ENOENT}},
#endif
	{SYS_openat, "openat", {EMFILE, ENOMEM, ENFILE}},
	{SYS_read, "read", {ENOMEM, EINTR, EIO}},
	{SYS_pread64, "pread", {ENOMEM, EINTR, EIO}},
	{SYS_write, "write", {ENOSPC, EINTR, ENOMEM}},
	{SYS_pwrite64, "pwrite", {ENOSPC, EIO, EDQUOT}},
	{SYS_fsync, "fsync", {EIO, ENOSPC, EIO}},
	{SYS_fdatasync, "fdatasync", {EIO, ENOSPC, EIO}},
	{SYS_writev, "writev", {ENOBUFS, ENOMEM, EPIPE}},
	{SYS_close, "close", {-EINTR, -EIO, -EINTR}}, /* the descriptor is closed all the same */
	{SYS_lseek, "lseek", {EINVAL, EOVERFLOW, EINVAL}},
	{SYS_newfstatat, "fstat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_fstatfs, "fstatfs", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_readlinkat, "readlinkat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_faccessat, "faccessat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_faccessat2, "faccessat", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_getdents64, "getdents", {ENOMEM, EINTR, ENOMEM}},
	{SYS_kcmp, "kcmp", {ENOMEM, EPERM, ENOMEM}},
	{SYS_memfd_create, "memfd_create", {EMFILE, ENOMEM, ENFILE}},
	{SYS_inotify_init1, "inotify_init", {EMFILE, ENOMEM, ENFILE}},
	{SYS_inotify_add_watch, "inotify_add_watch", {ENOSPC, ENOMEM, ENOSPC}},
	{SYS_fcntl, "fcntl", {EBUSY, EPERM, ENOMEM}},
	{SYS_ftruncate, "ftruncate", {ENOMEM, ENOSPC, EINTR}},
	{SYS_mmap, "mmap", {ENOMEM, ENFILE, ENOMEM}},
	{SYS_brk, "brk", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_madvise, "madvise", {ENOMEM, EAGAIN, EINVAL}},
	{SYS_mprotect, "mprotect", {ENOMEM, ENOMEM, ENOMEM}},
	{SYS_getrandom, "getrandom", {EAGAIN, EINTR, EAGAIN}},
	{SYS_prlimit64, "prlimit", {EPERM, EPERM, EPERM}},
	{SYS_capget, "capget", {EPERM, EPERM, EPERM}},
	{SYS_sendmsg, "sendmsg", {ENOMEM, ENOBUFS, ETOOMANYREFS}},
	{SYS_sendto, "sendto", {ENOMEM, ENOBUFS, EPIPE}},
	{SYS_recvmsg, "recvmsg", {EINTR, ENOMEM, ECONNRESET}},
	{SYS_recvfrom, "recvfrom", {ENOMEM, EINTR, ECONNRESET}},
	{SYS_accept4, "accept4", {EMFILE, ECONNABORTED, ENOMEM}},
	{SYS_socket, "socket", {EMFILE, ENOBUFS, EACCES}},
	{SYS_connect, "connect", {ECONNREFUSED, EAGAIN, EACCES}},
	{SYS_setsockopt, "setsockopt", {ENOMEM, ENOBUFS, EPERM}},
	{SYS_shutdown, "shutdown", {ENOTCONN, ENOMEM, ENOTCONN}},
	{SYS_ioctl, "ioctl", {EPERM, ENOTTY, EPERM}},
	{SYS_ppoll, "ppoll", {EINTR, ENOMEM, EINTR}},
	{SYS_epoll_pwait, "epoll_pwait", {EINTR, EINTR, EINTR}},
	{SYS_epoll_ctl, "epoll_ctl", {ENOMEM, ENOSPC, ENOMEM}},
	{SYS_unlinkat, "unlinkat", {ENOMEM, EROFS, ENOENT}},
};

/*
 * Shared between the process that arms and reads the injector and its children, in which calls
 * fail.
 */
struct state {
	volatile int kind;
	volatile unsigned int nth, way; /* nth 0: nothing fails */
	volatile unsigned int times;
	volatile unsigned int count;
	volatile bool is_held;
	volatile unsigned int most; /* bytes that one read may return; 0: no limit */
	volatile unsigned int reads;
	/* 1 + index in failures[]; 1 for allocations; 0: nothing failed yet */
	volatile unsigned int struck;
};

static struct state *state;
static pid_t owner; /* the process that the injector acts on; 0: none */

bool injector_open(void)
{
	state = mmap(
		NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (state == MAP_FAILED)
		state = NULL;
	return state;
}

void injector_arm_many(
	enum injector_kind kind, unsigned int nth, unsigned int times, unsigned int way)
{
	state->nth = 0;
	state->kind = (int)kind;
	state->way = way;
	state->times = times;
	state->count = state->struck = 0;
	state->is_held = false;
	__sync_synchronize();
	state->nth = nth;
}

void injector_arm(enum injector_kind kind, unsigned int nth, unsigned int way)
{
	injector_arm_many(kind, nth, 1, way);
}

void injector_shorten(unsigned int most)
{
	state->most = most;
}

bool injector_has_struck(void)
{
	return state->struck;
}

bool injector_end(void)
{
	state->nth = 0;
	return state->struck;
}

void injector_hold(void)
{
	state->is_held = true;
}

void injector_go_on(void)
{
	state->is_held = false;
}

unsigned int injector_count(void)
{
	return state->count;
}

unsigned int injector_run(const struct injector_sweep *s)
{
	bool is_long = extent_is_long(), more = true;
	unsigned int ways = is_long && s->kind == INJECTOR_CALLS ? INJECTOR_WAYS : 1;
	unsigned int step = is_long ? 1 : s->step, nth = 1;

	while (more) {
		for (unsigned int way = 0; way < ways && more; way++)
			more = s->round(s, nth, is_long ? way : nth / 2);
		nth += step;
	}
	printf("%u %s\n", nth - step,
		s->kind == INJECTOR_CALLS   ? "calls"
		: s->kind == INJECTOR_READS ? "reads"
					    : "allocations");
	return nth - step;
}

unsigned int injector_step(unsigned int step)
{
	return extent_is_slow() ? step : 1;
}

static int error_of(const struct failure *f)
{
	if (state->kind == INJECTOR_READS)
		return EIO;
	return abs(f->error[state->way % INJECTOR_WAYS]);
}

const char *injector_text(void)
{
	static char text[128];
	unsigned int struck = state->struck;

	if (!struck)
		snprintf(text, sizeof(text), "nothing has failed in %u", state->count);
	else if (state->kind == INJECTOR_ALLOCATIONS)
		snprintf(text, sizeof(text), "allocation %u failed", state->count);
	else
		snprintf(text, sizeof(text), "call %u, %s: %s", state->count,
			failures[struck - 1].name, strerror(error_of(&failures[struck - 1])));
	return text;
}

/* Whether a call or allocation of KIND counts now: the one that is to fail, or one before it. */
static bool is_counted(enum injector_kind kind)
{
	return state && state->nth && !state->is_held && state->kind == (int)kind &&
	       state->count < state->nth + state->times - 1 && getpid() == owner;
}

/* Counts a call or allocation. Returns whether it is to fail. */
static bool is_to_fail(unsigned int place)
{
	if (++state->count < state->nth)
		return false;
	state->struck = place + 1;
	return true;
}

#if defined(__x86_64__)

#define ARCHITECTURE AUDIT_ARCH_X86_64

static long call(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static void arguments(const ucontext_t *context, long *ret)
{
	static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};

	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		ret[i] = context->uc_mcontext.gregs[registers[i]];
}

static long number(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_RAX];
}

static void set_result(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RAX] = result;
}

#elif defined(__aarch64__)

#define ARCHITECTURE AUDIT_ARCH_AARCH64

static long call(long number, const long *a)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1];
	register long x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4];
	register long x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static void arguments(const ucontext_t *context, long *ret)
{
	for (size_t i = 0; i < 6; i++)
		ret[i] = (long)context->uc_mcontext.regs[i];
}

static long number(const ucontext_t *context)
{
	return (long)context->uc_mcontext.regs[8];
}

static void set_result(ucontext_t *context, long result)
{
	context->uc_mcontext.regs[0] = (unsigned long long)result;
}

#endif

#ifdef ARCHITECTURE

static long fail(const struct failure *f, const long *a)
{
	static const long none[6] = {0};

	if (f->number == SYS_brk) /* a failed brk() returns the current break */
		return call(SYS_brk, none);
	if (f->error[0] < 0)
		(void)call(f->number, a);
	return -error_of(f);
}

/*
 * Reads of timerfd, eventfd and signalfd cannot fail so, and epoll_ctl() only where it allocates
 * memory.
 */
static bool may_fail(const struct failure *f, const long *a)
{
	struct stat st = {0};
	const long fstat[6] = {a[0], (long)&st};

	if (f->number == SYS_epoll_ctl)
		return a[1] == EPOLL_CTL_ADD;
	return f->number != SYS_read || call(SYS_fstat, fstat) < 0 || st.st_mode & S_IFMT;
}

static bool is_file_read(const struct failure *f, const long *a)
{
	struct stat st = {0};
	const long fstat[6] = {a[0], (long)&st};

	return (f->number == SYS_read || f->number == SYS_pread64) && call(SYS_fstat, fstat) == 0 &&
	       S_ISREG(st.st_mode);
}

static void shorten(const struct failure *f, long *a)
{
	if (!state->most || state->is_held || getpid() != owner || !is_file_read(f, a))
		return;
	if ((unsigned long)a[2] > 1 + state->reads % state->most)
		a[2] = 1 + state->reads % state->most;
	state->reads++;
}

/* Whether F fails this time. Looks at the file only if F may count. */
static bool is_struck(const struct failure *f, const long *a)
{
	unsigned int place = (unsigned int)(f - failures);

	if (is_counted(INJECTOR_CALLS))
		return may_fail(f, a) && is_to_fail(place);
	return is_counted(INJECTOR_READS) && is_file_read(f, a) && is_to_fail(place);
}

/* Uses CONTEXT alone: cmocka restores handlers without SA_SIGINFO. */
static void on_call(int signal, siginfo_t *info, void *context)
{
	const struct failure *f = failures;
	long a[6];

	(void)signal, (void)info;
	arguments(context, a);
	while (f->number != number(context))
		f++;
	shorten(f, a);
	set_result(context, is_struck(f, a) ? fail(f, a) : call(f->number, a));
}

struct range {
	uintptr_t begin, end;
};

/* Finds the executable segment that contains the address at .begin: that of the C library. */
static int find_code(struct dl_phdr_info *info, size_t size, void *to)
{
	struct range *r = to;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || r->begin < begin ||
			r->begin >= begin + h->p_memsz)
			continue;
		*r = (struct range){begin, begin + h->p_memsz};
		return 1;
	}
	return 0;
}

#define INSTRUCTION offsetof(struct seccomp_data, instruction_pointer)

static struct sock_filter load(size_t offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static struct sock_filter jump(int how, uint64_t value, size_t yes, size_t no)
{
	return (struct sock_filter)BPF_JUMP(
		BPF_JMP | how | BPF_K, (uint32_t)value, (uint8_t)yes, (uint8_t)no);
}

static struct sock_filter answer(uint32_t value)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value);
}

/*
 * Works on little-endian machines only. Returns false if the code of the C library crosses a
 * boundary of 4 GiB.
 */
static bool install(const struct range *libc)
{
	struct sock_filter code[ARRAY_SIZE(failures) + 16];
	struct sock_fprog program = {.filter = code};
	size_t n = 0;

	if (libc->begin >> 32 != libc->end >> 32)
		return false;
	code[n++] = load(offsetof(struct seccomp_data, arch));
	code[n++] = jump(BPF_JEQ, ARCHITECTURE, 1, 0);
	code[n++] = answer(SECCOMP_RET_ALLOW);
	code[n++] = load(INSTRUCTION + 4);
	code[n++] = jump(BPF_JEQ, libc->begin >> 32, 1, 0);
	code[n++] = answer(SECCOMP_RET_ALLOW);
	code[n++] = load(INSTRUCTION);
	code[n++] = jump(BPF_JGE, (uint32_t)libc->begin, 0, 1);
	code[n++] = jump(BPF_JGE, (uint32_t)libc->end, 0, 1);
	code[n++] = answer(SECCOMP_RET_ALLOW);
	code[n++] = load(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		code[n++] = jump(
			BPF_JEQ, (uint64_t)failures[i].number, ARRAY_SIZE(failures) - i, 0);
	code[n++] = answer(SECCOMP_RET_ALLOW);
	code[n++] = answer(SECCOMP_RET_TRAP);
	program.len = (unsigned short)n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool injector_enter(void)
{
	/* The handler makes no call through the C library. */
	struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct range libc = {.begin = (uintptr_t)getpid};
	struct state armed;
	unsigned int count;

	if (!state || sigaction(SIGSYS, &action, NULL) < 0)
		return false;
	if (owner == getpid())
		return true;
	if (!dl_iterate_phdr(find_code, &libc) || !install(&libc))
		return false;
	armed = *state;
	injector_arm(INJECTOR_CALLS, UINT32_MAX, 0);
	owner = getpid();
	(void)lseek(-1, 0, SEEK_CUR);
	count = injector_count();
	*state = armed;
	return count == 1; /* under valgrind the calls come from another address */
}

#else

bool injector_enter(void)
{
	return false;
}

#endif

bool injector_works(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(injector_enter() ? EXIT_SUCCESS : EXIT_FAILURE);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		puts("SKIP: no system call can be made to fail here");
	return status == 0;
}

/*
 * Replaces the allocator of the C library, or that of the sanitizer, for libraries as well, because
 * symbols of the program come first. Memory is from the same heap, so free() and the others need no
 * replacement.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATOR(name) __interceptor_##name
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ALLOCATOR(name) __interceptor_##name
#endif
#endif
#ifndef ALLOCATOR
#define ALLOCATOR(name) __libc_##name
#endif

void *ALLOCATOR(malloc)(size_t size);
void *ALLOCATOR(calloc)(size_t n, size_t size);
void *ALLOCATOR(realloc)(void *data, size_t size);

static bool is_refused(void)
{
	if (!is_counted(INJECTOR_ALLOCATIONS) || !is_to_fail(0))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return is_refused() ? NULL : ALLOCATOR(malloc)(size);
}

void *calloc(size_t nmemb, size_t size)
{
	return is_refused() ? NULL : ALLOCATOR(calloc)(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
	return is_refused() ? NULL : ALLOCATOR(realloc)(ptr, size);
}
