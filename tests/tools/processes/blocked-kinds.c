/* SPDX-License-Identifier: Apache-2.0 */
/* How each kind of process blocks its readers. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/tools/processes/blocked.h"

enum {
	REGION = 32 << 20, /* mapped by a starved thread */
	MAPPING = 8 << 10, /* mappings of a filled process */
	IDLE_THREADS = 4,
};

void blocked_nap(void)
{
	struct timespec tick = {.tv_nsec = TICK_US * 1000L};

	nanosleep(&tick, NULL);
}

static int open_file(const char *folder, size_t index, int flags)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%zu", folder, index);
	fd = open(path, O_RDONLY | flags);
	if (fd < 0)
		blocked_end(EXIT_FAILURE, "%s: %s", path, strerror(errno));
	return fd;
}

static void block_in_exec(const char *folder, size_t index)
{
	open_file(folder, index, O_CLOEXEC); /* the kernel closes it while it holds the lock */
	execl("/proc/self/exe", "blocked", "settled", (char *)NULL);
	blocked_end(EXIT_FAILURE, "exec: %s", strerror(errno));
}

static void *touch(void *page)
{
	(void)*(volatile char *)page;
	return NULL;
}

static void start_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, argument) != 0)
		blocked_end(EXIT_FAILURE, "cannot start a thread");
}

static void block_in_fault(const char *folder, size_t index, const struct victim *v)
{
	int fd = open_file(folder, index, O_CLOEXEC);
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

	if (page == MAP_FAILED)
		blocked_end(EXIT_FAILURE, "mmap: %s", strerror(errno));
	start_thread(touch, page);
	while (!*(const volatile bool *)&v->holds)
		blocked_nap();
	/* Waits to write to the lock. Later readers wait behind it. */
	if (mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		blocked_end(EXIT_FAILURE, "mmap: %s", strerror(errno));
	for (;;)
		pause();
}

static void block_in_userfault(struct shared *s, struct victim *v)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register region = {.range.len = PAGE, .mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_zeropage zero = {.range.len = PAGE};
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	struct pollfd asked = {.fd = fd, .events = POLLIN};

	region.range.start = zero.range.start = (uintptr_t)page;
	if (fd < 0 || page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) < 0 ||
		ioctl(fd, UFFDIO_REGISTER, &region) < 0)
		_exit(EXIT_SKIP);
	start_thread(touch, page);
	while (poll(&asked, 1, -1) < 1)
		;
	v->holds = true;
	while (!*(volatile bool *)&s->released)
		blocked_nap();
	ioctl(fd, UFFDIO_ZEROPAGE, &zero);
	for (;;)
		pause();
}

/* Sets SCHED_IDLE itself: the main thread must run normally to start the threads. */
static void *map_and_unmap(void *shared)
{
	struct sched_param idle = {0};

	sched_setscheduler(0, SCHED_IDLE, &idle);
	while (!*(volatile bool *)&((struct shared *)shared)->released) {
		void *p = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p != MAP_FAILED)
			munmap(p, REGION);
	}
	return NULL;
}

/*
 * Moves to the last processor that this process may use. It is the same one for all children of a
 * process.
 */
static void share_processor(void)
{
	cpu_set_t usual, one;
	int last = CPU_SETSIZE - 1;

	if (sched_getaffinity(0, sizeof(usual), &usual) < 0)
		return;
	while (last > 0 && !CPU_ISSET(last, &usual))
		last--;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void starve(struct shared *s, struct victim *v)
{
	share_processor();
	for (int i = 0; i < IDLE_THREADS; i++)
		start_thread(map_and_unmap, s);
	v->holds = true;
	for (;;)
		pause();
}

void blocked_block(enum kind kind, const char *folder, struct shared *s, size_t i)
{
	struct victim *v = &s->victim[i];

	switch (kind) {
	case EXEC: block_in_exec(folder, i); break;
	case FAULT:
	case FROZEN: block_in_fault(folder, i, v); break;
	case USERFAULT: block_in_userfault(s, v); break;
	case STARVED: starve(s, v); break;
	case KINDS: break;
	}
	_exit(EXIT_FAILURE);
}

void blocked_be_busy(const struct shared *s, const struct victim *v)
{
	share_processor();
	while (!*(const volatile bool *)&v->holds)
		blocked_nap();
	while (!*(const volatile bool *)&s->released)
		;
	_exit(EXIT_SUCCESS);
}

/* Neighbouring mappings have different protection, so that the kernel does not merge them. */
void blocked_fill(size_t bytes)
{
	char *memory = mmap(
		NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		blocked_end(EXIT_FAILURE, "mmap: %s", strerror(errno));
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += PAGE)
		memory[at] = 1;
	for (size_t at = 0; at < bytes; at += (size_t)2 * MAPPING)
		if (mprotect(memory + at, MAPPING, PROT_READ) < 0)
			blocked_end(EXIT_FAILURE, "mprotect: %s", strerror(errno));
}
