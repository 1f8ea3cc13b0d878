/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oddities - processes that do what few do, of known memory where that can be.
 *
 * Each argument makes one; "READY {...}" names their pids when all are what they are to be. SIGTERM or
 * SIGINT ends them. Where "kib" is given, the process holds so much, privately and in one address
 * space, and /proc must say so of it (or of one of those that share it).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "tests/herd/self.h"
#include "tests/herd/tape.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

enum {
	EXIT_USAGE = 2,
	EXIT_SKIP = 77,
	NAME_SIZE = 16,
	PIDS_MAX = 64,
	NAMES_MAX = 8,
	DEFAULT_KIB = 256,
};

/* Above what the sanitizers use for themselves, below programs and stack. */
#define TAPE_AT    UINT64_C(0x200000000000)
#define CELLS_AT   (TAPE_AT + (UINT64_C(1) << 21))
#define PAYLOAD_AT (TAPE_AT + (UINT64_C(1) << 22))
#define SPECIAL_AT (TAPE_AT + (UINT64_C(1) << 30)) /* memory of an odd kind */
#define PARTS_END  (TAPE_AT + (UINT64_C(1) << 40))

static const char again[] = "--again";

/* What an oddity is made from, in the process that becomes it. */
struct odd {
	const char *argument;
	uint64_t number; /* the argument as one, or 0 */
	uid_t uid;
	pid_t parent;
	int ready;
	char *argv;
	size_t argv_size;
	struct tape tape;
};

/* Two cells on a page of their own hold the pids that the tape reports. */
static pid_t *const own_cell = (pid_t *)CELLS_AT;
static pid_t *const child_cell = (pid_t *)CELLS_AT + 1;

static void fail(const char *what)
{
	fprintf(stderr, "oddities: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static uint64_t pages_of_kib(uint64_t kib)
{
	return kib * 1024 / TAPE_PAGE_SIZE;
}

static void report(struct odd *odd, enum tape_when when, const pid_t *cell)
{
	tape_add(&odd->tape, when, SYS_write, 0, (uintptr_t)cell, sizeof(*cell), 0, 0);
}

/* Everything up to the point where the oddities differ. */
static void begin(struct odd *odd, const char *name, uint64_t kib)
{
	uintptr_t argv_end = (uintptr_t)odd->argv + odd->argv_size;
	struct tape_keep keep = {
		.begin = {TAPE_AT, (uintptr_t)odd->argv & ~(TAPE_PAGE_SIZE - 1)},
		.end = {PARTS_END, (argv_end + TAPE_PAGE_SIZE - 1) & ~(TAPE_PAGE_SIZE - 1)},
	};
	const uint64_t pages = pages_of_kib(kib);

	self_unblock_signals();
	if (tape_init(&odd->tape, TAPE_AT) < 0)
		self_fail("mmap of the tape");
	self_map(CELLS_AT, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (pages) {
		self_map(
			PAYLOAD_AT, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		self_touch(PAYLOAD_AT, pages, false);
	}
	self_show_name(odd->argv, odd->argv_size, "oddity");
	prctl(PR_SET_NAME, name);
	self_settle(odd->uid, odd->parent);
	self_close_all_but(odd->ready);
	*own_cell = getpid();
	tape_add_unmap(&odd->tape, &keep);
}

static void play(struct odd *odd)
{
	tape_play(&odd->tape);
}

/* A clone that goes on with the tape, and dies with its parent as every oddity does. */
static void add_clone(struct odd *odd, uint64_t flags)
{
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_clone, flags | CLONE_PARENT_SETTID, 0,
		(uintptr_t)child_cell, 0, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* "6162,ff" as names of at most 15 bytes. Returns how many there are; 0: the text is no such list. */
static size_t parse_names(const char *text, char names[static NAMES_MAX][NAME_SIZE])
{
	size_t count = 0, len = 0;

	memset(names, 0, (size_t)NAMES_MAX * NAME_SIZE);
	while (*text && count < NAMES_MAX) {
		uint64_t byte;

		if (*text == ',') {
			count++;
			len = 0;
			text++;
			continue;
		}
		if (!text[1] || number_scan_hex(text, 2, &byte) != 2 || len == NAME_SIZE - 1)
			return 0;
		names[count][len++] = (char)byte;
		text += 2;
	}
	return *text ? 0 : count + 1;
}

static void become_named(struct odd *odd)
{
	char names[NAMES_MAX][NAME_SIZE];

	parse_names(odd->argument, names);
	begin(odd, names[0], DEFAULT_KIB);
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

/* Waits for SIGUSR1, which stays blocked, so that no handler need be mapped. */
static void add_wait(struct odd *odd)
{
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_rt_sigtimedwait,
		tape_put(&odd->tape, &usr1, sizeof(uint64_t)), 0, 0, sizeof(uint64_t), 0);
}

static void become_renaming(struct odd *odd)
{
	char names[NAMES_MAX][NAME_SIZE];
	size_t count = parse_names(odd->argument, names);

	begin(odd, names[0], DEFAULT_KIB);
	add_wait(odd); /* blocks the signal before the report; the wait itself is taken back */
	odd->tape.calls--;
	report(odd, TAPE_ALWAYS, own_cell);
	tape_mark_loop(&odd->tape);
	for (size_t i = 1; i <= count; i++) {
		add_wait(odd);
		tape_add(&odd->tape, TAPE_ALWAYS, SYS_prctl, PR_SET_NAME,
			tape_put(&odd->tape, names[i % count], NAME_SIZE), 0, 0, 0);
	}
	play(odd);
}

static void become_growing(struct odd *odd)
{
	begin(odd, "grower", DEFAULT_KIB);
	add_wait(odd);
	odd->tape.calls--;
	report(odd, TAPE_ALWAYS, own_cell);
	tape_mark_loop(&odd->tape);
	add_wait(odd);
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_mmap, 0, pages_of_kib(odd->number) * TAPE_PAGE_SIZE,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, (uint64_t)-1);
	play(odd);
}

static void become_dead_leader(struct odd *odd)
{
	begin(odd, "deadleader", odd->number);
	report(odd, TAPE_ALWAYS, own_cell);
	add_clone(odd,
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM);
	report(odd, TAPE_CHILD, child_cell);
	tape_add(&odd->tape, TAPE_PARENT, SYS_exit, 0, 0, 0, 0, 0);
	play(odd);
}

static void become_sharing(struct odd *odd)
{
	begin(odd, "sharer", odd->number);
	report(odd, TAPE_ALWAYS, own_cell);
	add_clone(odd, CLONE_VM | SIGCHLD);
	report(odd, TAPE_PARENT, child_cell);
	play(odd);
}

static void become_vforking(struct odd *odd)
{
	begin(odd, "vforker", odd->number);
	report(odd, TAPE_ALWAYS, own_cell);
	add_clone(odd, CLONE_VM | CLONE_VFORK | SIGCHLD);
	report(odd, TAPE_CHILD, child_cell);
	play(odd);
}

static void become_sibling(struct odd *odd)
{
	begin(odd, "sibling", DEFAULT_KIB);
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

static void become_mapping(struct odd *odd)
{
	begin(odd, "mapper", 0);
	for (uint64_t i = 0; i < odd->number; i++)
		self_map(PAYLOAD_AT + 2 * i * TAPE_PAGE_SIZE, 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

/* What FILE of this process says in the line that begins with KEY. */
static uint64_t own_kib(const char *file, const char *key)
{
	char text[8192];
	const char *at;
	uint64_t kib;
	size_t len;

	if (file_read(AT_FDCWD, file, text, sizeof(text), &len) < 0)
		self_fail(file);
	at = memmem(text, len, key, strlen(key));
	if (!at)
		self_fail(key);
	at += strlen(key);
	at += strspn(at, "\t ");
	return number_scan_u64(at, (size_t)(text + len - at), &kib) > 0 ? kib : 0;
}

/* The same 64 MiB again and again: each mapping has page tables of its own, 16384 entries. */
static void become_repeating(struct odd *odd)
{
	enum { SIZE = 64 << 20 };
	uintptr_t at = SPECIAL_AT;
	int fd;

	begin(odd, "repeater", DEFAULT_KIB);
	fd = memfd_create("repeated", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, SIZE) < 0)
		self_fail("memfd");
	for (uint64_t i = 0; i < odd->number; i++, at += SIZE)
		if (mmap((void *)at, SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE | MAP_FIXED_NOREPLACE, fd, 0) == MAP_FAILED)
			self_fail("mmap of memfd");
	close(fd);
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

/* VmSwap of this process. mincore() would not do: to it, the swap cache is memory. */
static uint64_t swapped_kib(void)
{
	return own_kib("/proc/self/status", "\nVmSwap:");
}

static void become_swapped(struct odd *odd)
{
	enum { ATTEMPTS = 50, PAUSE_US = 20000 };
	uint64_t pages = pages_of_kib(odd->number);

	begin(odd, "swapped", odd->number);
	for (int i = 0; swapped_kib() < pages * TAPE_PAGE_SIZE / 1024; i++) {
		if (i == ATTEMPTS)
			self_fail("MADV_PAGEOUT");
		madvise((void *)PAYLOAD_AT, pages * TAPE_PAGE_SIZE, MADV_PAGEOUT);
		usleep(PAUSE_US);
	}
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

/* Anonymous memory at SPECIAL_AT, not touched yet. Its size, in bytes. */
static size_t map_special(const struct odd *odd, int flags, int advice)
{
	size_t size = pages_of_kib(odd->number) * TAPE_PAGE_SIZE;

	if (mmap((void *)SPECIAL_AT, size, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		self_fail("mmap of special memory");
	if (advice && madvise((void *)SPECIAL_AT, size, advice) < 0)
		self_fail("madvise of special memory");
	return size;
}

/* A child by fork: all that both have is copied on write, but for the cells, to which the parent wrote. */
static void add_fork(struct odd *odd)
{
	add_clone(odd, SIGCHLD);
	report(odd, TAPE_PARENT, child_cell);
}

static void become_huge(struct odd *odd)
{
	begin(odd, "hugetlb", DEFAULT_KIB);
	map_special(odd, MAP_PRIVATE | MAP_HUGETLB, 0);
	self_touch(SPECIAL_AT, pages_of_kib(odd->number), false);
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

/* fork() copies no page tables of shared memory, so the child asks for its own before it is reported. */
static void become_sharing_huge(struct odd *odd)
{
	size_t size;

	begin(odd, "hugesharer", DEFAULT_KIB);
	size = map_special(odd, MAP_SHARED | MAP_HUGETLB, 0);
	self_touch(SPECIAL_AT, pages_of_kib(odd->number), false);
	report(odd, TAPE_ALWAYS, own_cell);
	add_clone(odd, SIGCHLD);
	tape_add(&odd->tape, TAPE_CHILD, SYS_madvise, SPECIAL_AT, size, MADV_POPULATE_READ, 0, 0);
	report(odd, TAPE_PARENT, child_cell);
	play(odd);
}

/* Transparent huge pages, all of which must have been had. */
static void begin_transparent(struct odd *odd, const char *name)
{
	begin(odd, name, DEFAULT_KIB);
	map_special(odd, MAP_PRIVATE, MADV_HUGEPAGE);
	self_touch(SPECIAL_AT, pages_of_kib(odd->number), false);
	if (own_kib("/proc/self/smaps_rollup", "\nAnonHugePages:") != odd->number)
		self_fail("transparent huge pages");
	report(odd, TAPE_ALWAYS, own_cell);
}

static void become_transparent(struct odd *odd)
{
	begin_transparent(odd, "thp");
	add_fork(odd);
	play(odd);
}

/* The child has the kernel write to the first page, which takes its mapping of that huge page apart. */
static void become_splitting(struct odd *odd)
{
	begin_transparent(odd, "thpsplitter");
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_clone, SIGCHLD | CLONE_CHILD_SETTID, 0, 0,
		(uintptr_t)child_cell, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_rt_sigprocmask, SIG_BLOCK, 0, SPECIAL_AT,
		sizeof(uint64_t), 0);
	report(odd, TAPE_CHILD, child_cell);
	play(odd);
}

/* Pages that differ among themselves and equal those of every other such process. */
static void become_mergeable(struct odd *odd)
{
	volatile uint64_t *at = (void *)SPECIAL_AT;

	begin(odd, "mergeable", 0);
	map_special(odd, MAP_PRIVATE, MADV_NOHUGEPAGE);
	if (madvise((void *)SPECIAL_AT, pages_of_kib(odd->number) * TAPE_PAGE_SIZE,
		    MADV_MERGEABLE) < 0)
		self_fail("MADV_MERGEABLE");
	for (uint64_t i = 0; i < pages_of_kib(odd->number); i++)
		at[i * TAPE_PAGE_SIZE / sizeof(*at)] = UINT64_C(0x6d656d74616c6c79) ^ (i + 1) << 8;
	report(odd, TAPE_ALWAYS, own_cell);
	play(odd);
}

static void become_zombie(struct odd *odd)
{
	pid_t self = getpid();

	self_settle(odd->uid, odd->parent);
	_exit(write(odd->ready, &self, sizeof(self)) == (ssize_t)sizeof(self) ? 0 : 1);
}

/* Children of 20 ms that nobody has to reap, each with a name of its own. */
static void become_forking(struct odd *odd)
{
	enum { LIFE_US = 20000 };
	uint64_t pause_ns = UINT64_C(1000000000) / odd->number, done = 0;
	struct timespec next;
	pid_t self = getpid();
	char name[NAME_SIZE];

	self_unblock_signals();
	self_settle(odd->uid, odd->parent);
	signal(SIGCHLD, SIG_IGN);
	if (write(odd->ready, &self, sizeof(self)) != (ssize_t)sizeof(self))
		_exit(1);
	self_close_all_but(odd->ready);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;; done++) {
		if (fork() == 0) {
			snprintf(name, sizeof(name), "child%" PRIu64, done);
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

static void execute_again(const char *pause_us)
{
	execl("/proc/self/exe", "execer", again, pause_us, (char *)NULL);
	_exit(1);
}

static void become_executing(struct odd *odd)
{
	pid_t self = getpid();

	self_unblock_signals();
	self_settle(odd->uid, odd->parent);
	if (write(odd->ready, &self, sizeof(self)) != (ssize_t)sizeof(self))
		_exit(1);
	self_close_all_but(odd->ready);
	execute_again(odd->argument);
}

/* Becomes UID, but keeps the capabilities of root: without one of them no pid can be chosen. */
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

/* A child of pid PID, which ends after PAUSE_US; returns when it has been reaped. */
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

/* A pid that was in use just now, and so will not soon be given to anybody. */
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
 * Two processes, one of them the child of the other, that take turns in having a child of one and the same
 * pid. Each child is what its parent is (user, name, memory) from its first moment to its last.
 */
static void become_reusing(struct odd *odd)
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
	self_map(PAYLOAD_AT, pages_of_kib(turns[!is_first].kib), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1);
	self_touch(PAYLOAD_AT, pages_of_kib(turns[!is_first].kib), false);
	settle_with_rights(odd->uid + !is_first, is_first ? odd->parent : first);
	if (is_first) {
		run_child_as(pid, 0);
		if (write(0, &first, sizeof(first)) < 0 || write(0, &pid, sizeof(pid)) < 0)
			self_fail("write");
	}
	take_turns(
		odd, pid, is_first ? back[0] : there[0], is_first ? there[1] : back[1], is_first);
}

static const struct kind {
	const char *name;
	void (*become)(struct odd *odd);
	int pids;              /* how many are reported by each process that is forked */
	bool is_exact;         /* all its memory is known */
	bool payload_is_known; /* and is the argument, in KiB; else DEFAULT_KIB */
	bool takes_names;
	uint64_t min, max; /* of the argument, where it is a number; 0: there is none */
	const char *skip;  /* why it can't be made, if it can't; NULL: it must be possible */
	const char *help;
} kinds[] = {
	{"name", become_named, 1, true, false, true, 0, 0, NULL,
		"=HEX: a process with these bytes as its name"},
	{"rename", become_renaming, 1, true, false, true, 0, 0, NULL,
		"=HEX,HEX...: goes on to the next name at each SIGUSR1"},
	{"grow", become_growing, 1, true, false, false, 4, 1 << 24, NULL,
		"=KIB: grows by so much at each SIGUSR1"},
	{"dead-leader", become_dead_leader, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: a process whose leader has exited, and its live thread"},
	{"clone-vm", become_sharing, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: two processes with one address space"},
	{"vfork", become_vforking, 2, true, true, false, 4, 1 << 24, NULL,
		"=KIB: a process that waits for its vfork child, and the child"},
	{"siblings", become_sibling, 1, true, false, false, 1, PIDS_MAX, NULL,
		"=N: processes whose smaps_rollup is the same, byte for byte"},
	{"vmas", become_mapping, 1, false, false, false, 1, 65000, NULL, "=N: so many mappings"},
	{"repeated", become_repeating, 1, true, false, false, 1, 4096, NULL,
		"=N: maps 64 MiB so many times, one behind the other"},
	{"swapped", become_swapped, 1, false, false, false, 4, 1 << 24,
		"nothing can be swapped out here", "=KIB: so much is swapped out"},
	{"zombie", become_zombie, 1, false, false, false, 0, 0, NULL, ": a zombie"},
	{"exec", become_executing, 1, false, false, false, 1, 10000000, NULL,
		"=US: executes itself again and again, with such pauses"},
	{"forks", become_forking, 1, false, false, false, 2, 100000, NULL,
		"=N: has so many children a second, each for 20 ms and with a name of its own"},
	{"hugetlb", become_huge, 1, true, false, false, 2048, 1 << 24,
		"there are no huge pages of 2 MiB to be had",
		"=KIB: has so much in hugetlb pages besides"},
	{"hugetlb-shared", become_sharing_huge, 2, true, false, false, 2048, 1 << 24,
		"there are no huge pages of 2 MiB to be had",
		"=KIB: parent and child share so much in hugetlb pages besides"},
	{"thp", become_transparent, 2, true, false, false, 2048, 1 << 24,
		"no transparent huge pages are to be had",
		"=KIB: parent and child share so much in transparent huge pages"},
	{"thp-split", become_splitting, 2, true, false, false, 2048, 1 << 24,
		"no transparent huge pages are to be had",
		"=KIB: likewise, but the child has written to the first page"},
	{"mergeable", become_mergeable, 1, true, true, false, 4, 1 << 24,
		"this kernel merges no equal pages (CONFIG_KSM)",
		"=KIB: so much may be merged with other such processes' pages"},
	{"reuse", become_reusing, 2, false, false, false, 1, 1000000,
		"no pid can be chosen here (clone3 with set_tid)",
		"=US: two users' processes in turn have this pid, each for so long; the second pid "
		"is the one"},
};

/* One argument of the command line, and the processes that it has become. */
struct request {
	const struct kind *kind;
	const char *text, *argument;
	uint64_t number;
	uid_t uid;
	pid_t pid[PIDS_MAX];
	int pids;
};

static void usage(FILE *to)
{
	fputs("usage: oddities KIND[=ARGUMENT]...\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		fprintf(to, "  %s%s\n", kinds[i].name, kinds[i].help);
	fputs("  uid=N: the user of those that follow, if root\n", to);
}

static bool takes_argument(const struct kind *kind)
{
	return kind->takes_names || kind->max;
}

static bool parse_argument(struct request *request)
{
	const struct kind *kind = request->kind;
	char names[NAMES_MAX][NAME_SIZE];

	if (!request->argument)
		return !takes_argument(kind);
	if (kind->takes_names)
		return parse_names(request->argument, names) > 0;
	return kind->max &&
	       number_parse_u64(request->argument, strlen(request->argument), &request->number) ==
	               0 &&
	       request->number >= kind->min && request->number <= kind->max;
}

static bool parse_request(const char *text, struct request *request)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);

	request->text = text;
	request->argument = equals ? equals + 1 : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		request->kind = &kinds[i];
		if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, text, len))
			return parse_argument(request);
	}
	return false;
}

__attribute__((noreturn)) static void fail_request(const struct request *request)
{
	if (request->kind->skip) {
		printf("SKIP: %s\n", request->kind->skip);
		exit(EXIT_SKIP);
	}
	fprintf(stderr, "oddities: %s failed\n", request->text);
	exit(EXIT_FAILURE);
}

/* Reads PIDS pids of one forked process into REQUEST. */
static void await_reports(struct request *request, int reader, int pids)
{
	for (int i = 0; i < pids; i++) {
		pid_t pid;

		if (read(reader, &pid, sizeof(pid)) != (ssize_t)sizeof(pid)) {
			fail_request(request);
		}
		request->pid[request->pids++] = pid;
	}
}

static void make_one(struct request *request, struct odd *odd)
{
	AUTO_CLOSE int reader = -1;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	reader = ends[0];
	odd->ready = ends[1];
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		request->kind->become(odd);
	close(ends[1]);
	await_reports(request, reader, request->kind->pids);
}

/* A process that is to be a zombie, or have one as its leader, may not have got there yet. */
static void await_zombie(pid_t pid)
{
	struct timespec pause = {.tv_nsec = 1000000};
	char path[64], text[1024];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (;;) {
		if (file_read(AT_FDCWD, path, text, sizeof(text), &len) < 0)
			fail(path);
		if (memmem(text, len, ") Z ", 4))
			return;
		nanosleep(&pause, NULL);
	}
}

static void make(struct request *request, char *argv, size_t argv_size)
{
	const struct kind *kind = request->kind;
	uint64_t processes = kind->become == become_sibling ? request->number : 1;
	struct odd odd = {
		.argument = request->argument,
		.number = request->number,
		.uid = request->uid,
		.parent = getpid(),
		.argv = argv,
		.argv_size = argv_size,
	};

	for (uint64_t i = 0; i < processes; i++)
		make_one(request, &odd);
	if (kind->become == become_zombie || kind->become == become_dead_leader)
		await_zombie(request->pid[0]);
}

static void print_request(const struct request *request, size_t argv_size, uintptr_t argv)
{
	const struct kind *kind = request->kind;
	uint64_t argv_pages = (argv + argv_size - 1) / TAPE_PAGE_SIZE - argv / TAPE_PAGE_SIZE + 1;
	uint64_t kib = kind->payload_is_known ? request->number / 4 * 4 : DEFAULT_KIB;

	printf("{\"kind\": \"%s\", \"uid\": %u, \"pids\": [", kind->name,
		(unsigned int)request->uid);
	for (int i = 0; i < request->pids; i++)
		printf("%s%d", i ? ", " : "", (int)request->pid[i]);
	fputs("]", stdout);
	if (kind->is_exact) /* with the pages of tape and cells */
		printf(", \"kib\": %" PRIu64, kib + 4 * (2 + argv_pages));
	fputs("}", stdout);
}

static void end_all(const struct request *requests, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < requests[i].pids; k++)
			kill(requests[i].pid[k], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void run(struct request *requests, size_t count, char *argv, size_t argv_size)
{
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (size_t i = 0; i < count; i++)
		make(&requests[i], argv, argv_size);
	fputs("READY [", stdout);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", stdout);
		print_request(&requests[i], argv_size, (uintptr_t)argv);
	}
	puts("]");
	fflush(stdout);
	sigwait(&signals, &signal);
	end_all(requests, count);
}

static size_t parse_requests(int argc, char **argv, struct request *requests)
{
	uid_t uid = geteuid();
	uint64_t number;
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "uid=", 4) &&
			number_parse_u64(argv[i] + 4, strlen(argv[i] + 4), &number) == 0) {
			uid = geteuid() == 0 ? (uid_t)number : geteuid();
			continue;
		}
		requests[count].uid = uid;
		if (!parse_request(argv[i], &requests[count++])) {
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	AUTO_FREE struct request *requests = NULL;
	size_t count, argv_size = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]);
	uint64_t pause_us;

	if (argc == 3 && !strcmp(argv[1], again) &&
		number_parse_u64(argv[2], strlen(argv[2]), &pause_us) == 0) {
		usleep((useconds_t)pause_us);
		execute_again(argv[2]);
	}
	if (!tape_is_supported()) {
		puts("SKIP: oddities are made for x86-64, pages of 4 KiB and glibc 2.35 or later");
		return EXIT_SKIP;
	}
	requests = calloc((size_t)argc, sizeof(*requests));
	if (!requests)
		fail("memory");
	count = parse_requests(argc, argv, requests);
	if (!count) {
		usage(stderr);
		return EXIT_USAGE;
	}
	run(requests, count, argv[0], argv_size);
	return EXIT_SUCCESS;
}
