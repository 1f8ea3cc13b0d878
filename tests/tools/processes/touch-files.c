/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touch-files STEP...: maps files and touches pages of them, so that resident pages are known
 *
 * Prints the pids of its children and READY, and waits to be killed. Each step makes a mapping of
 * its own, of the whole file:
 *
 *     read:FROM:COUNT:FILE    reads pages by a shared mapping; use multiples of 16, since a fault maps 64 KiB
 *     look:FROM:COUNT:FILE    the same by a private mapping
 *     write:FROM:COUNT:FILE   writes to a shared mapping: exactly these pages
 *     copy:FROM:COUNT:FILE    writes to a private mapping: copies of exactly these pages
 *     memfd:FROM:COUNT:NAME   writes to a memfd with this name and FROM + COUNT pages
 *     sysv:FROM:COUNT:        writes to a SysV segment, which is removed with its last process
 *     fork:0:COUNT:           forks COUNT children, which inherit all mappings so far
 *     share:0:COUNT:          the same, with the parent's address space
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"

enum { WINDOW = 1 << 16, STACK_SIZE = 1 << 16 };

struct step {
	const char *what, *file;
	uint64_t from, count;
};

static void die(const char *what)
{
	fprintf(stderr, "touch-files: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t take_number(char **at)
{
	uint64_t value = 0;
	int n = number_scan_u64(*at, strlen(*at), &value);

	if (n <= 0 || (*at)[n] != ':') {
		fprintf(stderr, "touch-files: expected a number and a colon, got '%s'\n", *at);
		exit(2);
	}
	*at += n + 1;
	return value;
}

static struct step parse(char *text)
{
	struct step s = {.what = text};
	char *at = strchr(text, ':');

	if (!at) {
		fprintf(stderr, "touch-files: expected WHAT:FROM:COUNT:FILE, got '%s'\n", text);
		exit(2);
	}
	*at++ = '\0';
	s.from = take_number(&at);
	s.count = take_number(&at);
	s.file = at;
	return s;
}

static bool is(const struct step *s, const char *what)
{
	return !strcmp(s->what, what);
}

/* Maps all of FD at an address aligned to the window of a fault. */
static volatile char *map(int fd, size_t size, bool is_shared, bool writes)
{
	char *room = mmap(NULL, size + WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = room + (WINDOW - (uintptr_t)room % WINDOW) % WINDOW;

	if (room == MAP_FAILED)
		die("mmap");
	at = mmap(at, size, writes ? PROT_READ | PROT_WRITE : PROT_READ,
		MAP_FIXED | (is_shared ? MAP_SHARED : MAP_PRIVATE), fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void touch(const struct step *s, int fd, bool is_shared, bool writes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(s->file);
	at = map(fd, (size_t)st.st_size, is_shared, writes);
	for (uint64_t i = s->from; i < s->from + s->count; i++) {
		if (writes)
			at[i * page] = 'x';
		else
			(void)at[i * page];
	}
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void make_children(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			wait_for_ever();
		}
		printf("child %d\n", (int)pid);
		fflush(stdout); /* otherwise each child would print it again */
	}
}

static int share(void *context)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	wait_for_ever();
	return context != NULL;
}

static void make_sharers(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		char *stack = malloc(STACK_SIZE);
		pid_t pid = stack ? clone(share, stack + STACK_SIZE, CLONE_VM | SIGCHLD, NULL) : -1;

		if (pid < 0)
			die("clone");
		printf("child %d\n", (int)pid);
	}
}

static void make_memfd(const struct step *s)
{
	AUTO_CLOSE int fd = memfd_create(s->file, MFD_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (fd < 0 || ftruncate(fd, (off_t)((s->from + s->count) * page)) < 0)
		die("memfd");
	touch(s, fd, true, true);
}

static void make_segment(const struct step *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int id = shmget(IPC_PRIVATE, (s->from + s->count) * page, IPC_CREAT | 0600);
	volatile char *at = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (id >= 0)
		(void)shmctl(id, IPC_RMID, NULL);
	if (at == (void *)-1)
		die("shmat");
	for (uint64_t i = s->from; i < s->from + s->count; i++)
		at[i * page] = 'x';
}

static void take(const struct step *s)
{
	bool is_shared = is(s, "read") || is(s, "write"), writes = is(s, "write") || is(s, "copy");
	AUTO_CLOSE int fd = -1;

	if (is(s, "fork")) {
		make_children(s->count);
	} else if (is(s, "share")) {
		make_sharers(s->count);
	} else if (is(s, "sysv")) {
		make_segment(s);
	} else if (is(s, "memfd")) {
		make_memfd(s);
	} else if (is_shared || writes || is(s, "look")) {
		fd = open(s->file, (is(s, "write") ? O_RDWR : O_RDONLY) | O_CLOEXEC);
		touch(s, fd, is_shared, writes);
	} else {
		fprintf(stderr, "touch-files: there is no step '%s'\n", s->what);
		exit(2);
	}
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		struct step s = parse(argv[i]);

		take(&s);
	}
	puts("READY");
	fflush(stdout);
	wait_for_ever();
}
