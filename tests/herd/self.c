/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/self.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "tests/herd/tape.h"

void self_fail(const char *what)
{
	fprintf(stderr, "herd: process %d: %s: %s\n", (int)getpid(), what, strerror(errno));
	_exit(1);
}

void self_touch(uintptr_t address, uint64_t pages, bool read_only)
{
	volatile unsigned char *at = (void *)address;

	for (uint64_t i = 0; i < pages; i++, at += TAPE_PAGE_SIZE) {
		if (read_only)
			(void)*at;
		else
			*at = (unsigned char)(i | 1);
	}
}

void self_map(uintptr_t address, uint64_t pages, int prot, int flags, int fd)
{
	size_t size = pages * TAPE_PAGE_SIZE;
	void *at = mmap((void *)address, size, prot, flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (at == MAP_FAILED)
		self_fail("mmap");
	/* EINVAL: a kernel without huge pages. */
	if (madvise(at, size, MADV_NOHUGEPAGE) < 0 && errno != EINVAL)
		self_fail("madvise");
}

struct mapping {
	uintptr_t begin;
	size_t size;
	int prot; /* PROT_NONE: do not replace */
};

/* Parses one line of maps: "begin-end perms offset device inode path". */
static struct mapping parse_mapping(const char *line, size_t len)
{
	struct mapping mapping = {.prot = PROT_NONE};
	uint64_t begin, end;
	int n = number_scan_hex(line, len, &begin);
	size_t at = (size_t)n + 1;

	if (n <= 0 || at >= len)
		return mapping;
	n = number_scan_hex(line + at, len - at, &end);
	at += (size_t)n + 1;
	if (n <= 0 || at + 4 > len || !memchr(line + at, '/', len - at) || line[at + 3] != 'p')
		return mapping;
	mapping.begin = begin;
	mapping.size = end - begin;
	mapping.prot |= line[at] == 'r' ? PROT_READ : 0;
	mapping.prot |= line[at + 1] == 'w' ? PROT_WRITE : 0;
	mapping.prot |= line[at + 2] == 'x' ? PROT_EXEC : 0;
	return mapping;
}

/* Reads through the file: sanitizers report a plain copy of the memory between variables. */
static void replace_by_copy(const struct mapping *mapping, int memory)
{
	void *copy = mmap(
		NULL, mapping->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		self_fail("mmap");
	if (pread(memory, copy, mapping->size, (off_t)mapping->begin) != (ssize_t)mapping->size) {
		munmap(copy, mapping->size); /* there is no memory beyond the end of a file */
		return;
	}
	if (mprotect(copy, mapping->size, mapping->prot) < 0 ||
		mremap(copy, mapping->size, mapping->size, MREMAP_MAYMOVE | MREMAP_FIXED,
			(void *)mapping->begin) == MAP_FAILED)
		self_fail("mremap");
}

void self_leave_files(void)
{
	enum { MAPS_MAX = 1 << 20 };
	AUTO_CLOSE int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	AUTO_BUFFER struct buffer maps = {0};
	size_t at = 0;

	if (memory < 0 || file_read_all(AT_FDCWD, "/proc/self/maps", MAPS_MAX, &maps) < 0)
		self_fail("maps");
	while (at < maps.len) {
		const char *line = maps.data + at;
		const char *newline = memchr(line, '\n', maps.len - at);
		size_t len = newline ? (size_t)(newline - line) : maps.len - at;
		struct mapping mapping = parse_mapping(line, len);

		if (mapping.prot & PROT_READ)
			replace_by_copy(&mapping, memory);
		at += len + 1;
	}
}

void self_show_name(char *argv, size_t size, const char *name)
{
	memset(argv, 0, size);
	snprintf(argv, size, "%s", name);
}

static void be_first_to_go(void)
{
	AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* Optional: the herd works without. */
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;
}

void self_settle(uid_t uid, pid_t parent)
{
	be_first_to_go();
	if (geteuid() == 0 && uid != 0) {
		if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
			setresuid(uid, uid, uid) < 0)
			self_fail("setresuid");
		if (prctl(PR_SET_DUMPABLE, 1) < 0)
			self_fail("prctl");
	}
	/*
	 * A change of user clears this setting, so it comes last. The parent may have exited by
	 * now.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		self_fail("prctl");
	if (getppid() != parent)
		_exit(1);
}

void self_close_all_but(int ready)
{
	if (dup2(ready, 0) < 0 || close_range(1, ~0U, 0) < 0)
		self_fail("close_range");
}

void self_unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		self_fail("sigprocmask");
}
