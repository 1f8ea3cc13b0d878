/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/odd.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"
#include "base/os/file.h"
#include "tests/herd/self.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

void odd_mapping(struct odd *odd)
{
	odd_begin(odd, "mapper", 0);
	for (uint64_t i = 0; i < odd->number; i++)
		self_map(ODD_PAYLOAD_AT + 2 * i * TAPE_PAGE_SIZE, 1, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}

/* Returns the number of KiB in the line of FILE that begins with KEY. */
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

/* Maps the same 64 MiB repeatedly. Each mapping has page tables of its own with 16384 entries. */
void odd_repeating(struct odd *odd)
{
	enum { SIZE = 64 << 20 };
	uintptr_t at = ODD_SPECIAL_AT;
	int fd;

	odd_begin(odd, "repeater", ODD_KIB);
	fd = memfd_create("repeated", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, SIZE) < 0)
		self_fail("memfd");
	for (uint64_t i = 0; i < odd->number; i++, at += SIZE)
		if (mmap((void *)at, SIZE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE | MAP_FIXED_NOREPLACE, fd, 0) == MAP_FAILED)
			self_fail("mmap of memfd");
	close(fd);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}

/* VmSwap of this process. mincore() is no substitute: it counts the swap cache as memory. */
static uint64_t swapped_kib(void)
{
	return own_kib("/proc/self/status", "\nVmSwap:");
}

void odd_swapped(struct odd *odd)
{
	enum { ATTEMPTS = 50, PAUSE_US = 20000 };
	const unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	uint64_t pages = odd_pages_of_kib(odd->number);

	odd_begin(odd, "swapped", odd->number);
	for (unsigned int i = 0; swapped_kib() < pages * TAPE_PAGE_SIZE / 1024; i++) {
		cpu_set_t one;

		if (i == ATTEMPTS)
			self_fail("MADV_PAGEOUT");
		/*
		 * Only the CPU that has a page on its list of new pages can reclaim the page
		 * (lru_add_drain()).
		 */
		CPU_ZERO(&one);
		CPU_SET(i % cpus, &one);
		sched_setaffinity(0, sizeof(one), &one);
		madvise((void *)ODD_PAYLOAD_AT, pages * TAPE_PAGE_SIZE, MADV_PAGEOUT);
		usleep(PAUSE_US);
	}
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}

/* Maps anonymous memory at ODD_SPECIAL_AT without touching it. Returns its size in bytes. */
static size_t map_special(const struct odd *odd, int flags, int advice)
{
	size_t size = odd_pages_of_kib(odd->number) * TAPE_PAGE_SIZE;

	if (mmap((void *)ODD_SPECIAL_AT, size, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
		self_fail("mmap of special memory");
	if (advice && madvise((void *)ODD_SPECIAL_AT, size, advice) < 0)
		self_fail("madvise of special memory");
	return size;
}

/*
 * Adds a child by fork. All memory is then shared copy-on-write, except the cells, to which the
 * parent wrote.
 */
static void add_fork(struct odd *odd)
{
	odd_add_clone(odd, SIGCHLD);
	odd_report(odd, TAPE_PARENT, odd_child_cell);
}

void odd_huge(struct odd *odd)
{
	odd_begin(odd, "hugetlb", ODD_KIB);
	map_special(odd, MAP_PRIVATE | MAP_HUGETLB, 0);
	self_touch(ODD_SPECIAL_AT, odd_pages_of_kib(odd->number), false);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}

/*
 * fork() copies no page tables of shared memory, so the child maps the pages before it is reported.
 */
void odd_sharing_huge(struct odd *odd)
{
	size_t size;

	odd_begin(odd, "hugesharer", ODD_KIB);
	size = map_special(odd, MAP_SHARED | MAP_HUGETLB, 0);
	self_touch(ODD_SPECIAL_AT, odd_pages_of_kib(odd->number), false);
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_add_clone(odd, SIGCHLD);
	tape_add(&odd->tape, TAPE_CHILD, SYS_madvise, ODD_SPECIAL_AT, size, MADV_POPULATE_READ, 0,
		0);
	odd_report(odd, TAPE_PARENT, odd_child_cell);
	odd_play(odd);
}

/* Maps memory in transparent huge pages. Fails if the kernel used small pages for a part. */
static void begin_transparent(struct odd *odd, const char *name)
{
	odd_begin(odd, name, ODD_KIB);
	map_special(odd, MAP_PRIVATE, MADV_HUGEPAGE);
	self_touch(ODD_SPECIAL_AT, odd_pages_of_kib(odd->number), false);
	if (own_kib("/proc/self/smaps_rollup", "\nAnonHugePages:") != odd->number)
		self_fail("transparent huge pages");
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
}

void odd_transparent(struct odd *odd)
{
	begin_transparent(odd, "thp");
	add_fork(odd);
	odd_play(odd);
}

/*
 * The child has the kernel write to the first page, which splits the child's mapping of that huge
 * page.
 */
void odd_splitting(struct odd *odd)
{
	begin_transparent(odd, "thpsplitter");
	tape_add(&odd->tape, TAPE_ALWAYS, SYS_clone, SIGCHLD | CLONE_CHILD_SETTID, 0, 0,
		(uintptr_t)odd_child_cell, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	tape_add(&odd->tape, TAPE_CHILD, SYS_rt_sigprocmask, SIG_BLOCK, 0, ODD_SPECIAL_AT,
		sizeof(uint64_t), 0);
	odd_report(odd, TAPE_CHILD, odd_child_cell);
	odd_play(odd);
}

/* Pages that differ from each other and equal those of every other such process. */
void odd_mergeable(struct odd *odd)
{
	volatile uint64_t *at = (void *)ODD_SPECIAL_AT;

	odd_begin(odd, "mergeable", 0);
	map_special(odd, MAP_PRIVATE, MADV_NOHUGEPAGE);
	if (madvise((void *)ODD_SPECIAL_AT, odd_pages_of_kib(odd->number) * TAPE_PAGE_SIZE,
		    MADV_MERGEABLE) < 0)
		self_fail("MADV_MERGEABLE");
	for (uint64_t i = 0; i < odd_pages_of_kib(odd->number); i++)
		at[i * TAPE_PAGE_SIZE / sizeof(*at)] = UINT64_C(0x6d656d74616c6c79) ^ (i + 1) << 8;
	odd_report(odd, TAPE_ALWAYS, odd_own_cell);
	odd_play(odd);
}
