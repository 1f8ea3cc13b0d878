/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child maps a huge page, writes to it, forks, and lets the grandchild unmap half of it. It
 * reads its own smaps_rollup before and after, so it needs no rights and reads no other process.
 * Only dirty shared memory is compared: the child's other dirty shared memory is in both readings,
 * while pages of files become shared as the grandchild runs.
 */
#include "config.h"

#include "collectors/process/self/mapcounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "base/os/rights.h"
#include "base/saturate.h"

#define HUGE_BYTES ((size_t)2 << 20)

enum {
	CPU_MAX_S = 1,
	LIFE_MAX_S = 10,
	NEAR_PART = 4, /* part of half the huge page by which a difference may be off */
};

enum mapcounts_verdict mapcounts_judge(
	const struct smaps *before, const struct smaps *after, uint64_t huge_bytes)
{
	uint64_t half = huge_bytes / 2, near = half / NEAR_PART, fallen;

	if (!ROW_HAS(before, SMAPS_ANON_HUGE) || before->q[SMAPS_ANON_HUGE] < huge_bytes ||
		before->q[SMAPS_SHARED_DIRTY] < huge_bytes)
		return MAPCOUNTS_UNKNOWN;
	fallen = saturate_less(before->q[SMAPS_SHARED_DIRTY], after->q[SMAPS_SHARED_DIRTY]);
	if (fallen <= near)
		return MAPCOUNTS_AVERAGED;
	return fallen + near >= half && fallen <= half + near ? MAPCOUNTS_EXACT : MAPCOUNTS_UNKNOWN;
}

/* Returns 0, or a negative errno. */
static int mapcounts_read_rollup(int fd, struct smaps *ret)
{
	char text[2048];
	ssize_t len = pread(fd, text, sizeof(text), 0);

	return len < 0 ? -errno : smaps_parse_rollup(text, (size_t)len, ret);
}

/*
 * Returns an area that has been written to, a huge page if the kernel has one; NULL if there is no
 * memory.
 */
static char *map_huge(void)
{
	char *region = mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *page;

	if (region == MAP_FAILED)
		return NULL;
	page = region + (HUGE_BYTES - (uintptr_t)region % HUGE_BYTES) % HUGE_BYTES;
	/* Fails without CONFIG_TRANSPARENT_HUGEPAGE: then the first reading has no huge page. */
	(void)madvise(page, HUGE_BYTES, MADV_HUGEPAGE);
	for (size_t i = 0; i < HUGE_BYTES; i += 4096)
		page[i] = 1;
	return page;
}

/* Unmaps half of PAGE when GO has a byte, reports that by DONE, and waits until GO is closed. */
static _Noreturn void mapcounts_grandchild(char *page, int go, int done)
{
	char byte = 0;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || read(go, &byte, 1) != 1 ||
		munmap(page, HUGE_BYTES / 2) < 0 || write(done, &byte, 1) != 1)
		_exit(1);
	(void)!read(go, &byte, 1);
	_exit(0);
}

static enum mapcounts_verdict try_it(int rollup)
{
	struct smaps before = {0}, after = {0};
	char *page = map_huge(), byte = 0;
	int go[2], done[2];
	pid_t other;

	if (!page || pipe2(go, O_CLOEXEC) < 0 || pipe2(done, O_CLOEXEC) < 0)
		return MAPCOUNTS_UNKNOWN;
	other = fork();
	if (other < 0)
		return MAPCOUNTS_UNKNOWN;
	if (other == 0) {
		close(go[1]);
		close(done[0]);
		mapcounts_grandchild(page, go[0], done[1]);
	}
	close(done[1]);
	if (mapcounts_read_rollup(rollup, &before) < 0 || write(go[1], &byte, 1) != 1 ||
		read(done[0], &byte, 1) != 1 || mapcounts_read_rollup(rollup, &after) < 0)
		return MAPCOUNTS_UNKNOWN;
	return mapcounts_judge(&before, &after, HUGE_BYTES);
}

/*
 * smaps_rollup is opened before the child gives up its rights: afterwards it belongs to root, since
 * the process is not dumpable.
 */
static _Noreturn void mapcounts_child(int fd)
{
	const struct rlimit limit = {CPU_MAX_S, CPU_MAX_S};
	char verdict;
	int rollup;

	if (dup2(fd, STDIN_FILENO) < 0 || close_range(STDERR_FILENO + 1, ~0U, 0) < 0 ||
		setrlimit(RLIMIT_CPU, &limit) < 0)
		_exit(1);
	rollup = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	if (rollup < 0 || rights_drop() < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(1);
	signal(SIGPIPE, SIG_IGN);
	alarm(LIFE_MAX_S);
	prctl(PR_SET_NAME, "memtally-probe");
	verdict = (char)try_it(rollup);
	_exit(write(STDIN_FILENO, &verdict, 1) == 1 ? 0 : 1);
}

void mapcounts_init(struct mapcounts *m)
{
	*m = (struct mapcounts){.fd = -1};
}

void mapcounts_done(struct mapcounts *m)
{
	if (m->pid) {
		kill(m->pid, SIGKILL);
		while (waitpid(m->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	m->pid = 0;
	m->fd = fd_close(m->fd);
}

int mapcounts_ask(struct mapcounts *m)
{
	int fds[2], r = 0;
	pid_t pid;

	if (m->pid)
		return 0;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		mapcounts_child(fds[1]);
	if (pid < 0)
		r = -errno;
	close(fds[1]);
	if (r < 0) {
		close(fds[0]);
		return r;
	}
	m->pid = pid;
	m->fd = fds[0];
	return 0;
}

/* Takes the verdict of the child, which has exited with STATUS. */
static void take_answer(struct mapcounts *m, int status)
{
	char verdict;

	if (status == 0 && read(m->fd, &verdict, 1) == 1 &&
		(verdict == MAPCOUNTS_EXACT || verdict == MAPCOUNTS_AVERAGED))
		m->verdict = (enum mapcounts_verdict)verdict;
	m->pid = 0;
	m->fd = fd_close(m->fd);
}

void mapcounts_answer(struct mapcounts *m)
{
	int status;

	if (m->pid && waitpid(m->pid, &status, WNOHANG) == m->pid)
		take_answer(m, status);
}

void mapcounts_await(struct mapcounts *m, int timeout_ms)
{
	struct pollfd p = {.fd = m->fd, .events = POLLIN};
	pid_t pid;
	int status, r;

	if (!m->pid)
		return;
	do
		r = poll(&p, 1, timeout_ms);
	while (r < 0 && errno == EINTR);
	if (r <= 0) {
		mapcounts_done(m);
		return;
	}
	/* It has written its verdict or has failed: it is about to exit. */
	do
		pid = waitpid(m->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid == m->pid)
		take_answer(m, status);
}

/* Returns the size in bytes that a name like "hugepages-64kB" has, 0 for another name. */
static uint64_t mapcounts_size_of(const char *name)
{
	static const char prefix[] = "hugepages-", suffix[] = "kB";
	size_t len = strlen(name), around = sizeof(prefix) + sizeof(suffix) - 2;
	uint64_t kib;

	if (len <= around || strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
		strcmp(name + len - (sizeof(suffix) - 1), suffix) != 0 ||
		number_parse_u64(name + sizeof(prefix) - 1, len - around, &kib) < 0)
		return 0;
	return saturate_part(kib, 1024, 1);
}

/*
 * Reads the number in stats/nr_anon of the folder NAME below FD. Returns 0; -EBADMSG if it is none;
 * or another negative errno.
 */
static int read_count(int fd, const char *name, uint64_t *ret)
{
	char path[128], text[32];
	size_t len;
	int r;

	if (snprintf(path, sizeof(path), "%s/stats/nr_anon", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	r = file_read(fd, path, text, sizeof(text), &len);
	if (r < 0)
		return r;
	while (len && text[len - 1] == '\n')
		len--;
	return number_parse_u64(text, len, ret);
}

uint64_t mapcounts_large_anon(const char *folder)
{
	AUTO_CLOSEDIR DIR *dir = opendir(folder);
	const struct dirent *entry;
	uint64_t sum = 0, count;
	bool has_any = false;

	while (dir && (entry = readdir(dir))) {
		uint64_t size = mapcounts_size_of(entry->d_name);

		if (!size)
			continue;
		if (read_count(dirfd(dir), entry->d_name, &count) < 0)
			return UINT64_MAX;
		sum = saturate_add(sum, saturate_part(count, size, 1));
		has_any = true;
	}
	return has_any ? sum : UINT64_MAX;
}

/* By how many bytes the true PSS may be lower and higher. */
struct slack {
	uint64_t down, up;
};

static struct slack slack_of(const struct snapshot_process *row, uint64_t large_anon)
{
	const uint64_t *q = row->q;
	struct slack s = {.down = q[PROCESS_PSS], .up = q[PROCESS_RSS]};
	uint64_t files;

	if (!ROW_HAS(row, PROCESS_PSS_ANON) || !ROW_HAS(row, PROCESS_PSS_FILE) ||
		!ROW_HAS(row, PROCESS_PSS_SHMEM) || !ROW_HAS(row, PROCESS_RSS_ANON))
		return s;
	files = saturate_add(q[PROCESS_PSS_FILE], q[PROCESS_PSS_SHMEM]);
	s.down = saturate_add(files, saturate_min(large_anon, q[PROCESS_PSS_ANON]));
	s.up = saturate_add(
		saturate_less(saturate_less(q[PROCESS_RSS], q[PROCESS_RSS_ANON]), files),
		saturate_min(large_anon, saturate_less(q[PROCESS_RSS_ANON], q[PROCESS_PSS_ANON])));
	return s;
}

void mapcounts_widen(struct snapshot_process *row, uint64_t large_anon)
{
	struct slack s = slack_of(row, large_anon);
	uint64_t least = ROW_HAS(row, PROCESS_USS) ? row->q[PROCESS_USS] : 0;
	uint64_t low = saturate_less(row->q[PROCESS_PSS_LOW], s.down);
	uint64_t high = saturate_add(row->q[PROCESS_PSS_HIGH], s.up);

	least = saturate_min(least, row->q[PROCESS_PSS_LOW]);
	row->q[PROCESS_PSS_LOW] = saturate_max(low, least);
	if (ROW_HAS(row, PROCESS_RSS))
		high = saturate_min(high, row->q[PROCESS_RSS]);
	row->q[PROCESS_PSS_HIGH] = saturate_max(high, row->q[PROCESS_PSS_HIGH]);
}
