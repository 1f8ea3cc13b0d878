/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/kcmp.h"
#include "collectors/procfs/proctext.h"

enum { PATH_SIZE = WORKER_PATH + 12 };

/* State of a worker. */
struct worker {
	struct worker_lane *lane;
	int procfs_fd;
	int stream[WORKER_STREAMS]; /* -1: closed */
	struct proctext_ends ends;
	uint64_t cpu_ns;    /* of this thread, at the last count_cpu() */
	uint32_t processor; /* the last one that worker_follow() has set */
	cpu_set_t usual;    /* the CPUs on which it may run otherwise */
};

int worker_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / NS_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NS_PER_SEC)};

	if (syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns ? &timeout : NULL, NULL, 0) == 0)
		return 0;
	return errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT ? 0 : -errno;
}

void worker_wake(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const char *worker_path_of(const struct worker_request *q, char to[static PATH_SIZE])
{
	snprintf(to, PATH_SIZE, "%d/%.*s", q->pid, WORKER_PATH - 1, q->path);
	return to;
}

static int worker_read_file(struct worker *w, struct worker_slot *slot)
{
	char path[PATH_SIZE];
	size_t len = 0;
	int e = proctext_read(&w->ends, w->procfs_fd, worker_path_of(&slot->request, path),
		slot->text, sizeof(slot->text), &len, &slot->reply.took_ns);

	slot->reply.len = (uint32_t)len;
	return e;
}

static int worker_read_link(const struct worker *w, struct worker_slot *slot)
{
	char path[PATH_SIZE];
	ssize_t n = readlinkat(
		w->procfs_fd, worker_path_of(&slot->request, path), slot->text, sizeof(slot->text));

	if (n < 0)
		return -errno;
	slot->reply.len = (uint32_t)n;
	return 0;
}

static int open_stream(struct worker *w, const struct worker_request *q)
{
	char path[PATH_SIZE];
	int fd = openat(w->procfs_fd, worker_path_of(q, path), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	fd_close(w->stream[q->stream]);
	w->stream[q->stream] = fd;
	return 0;
}

static int serve_stream(struct worker *w, const struct worker_request *q)
{
	int *fd = &w->stream[q->stream];

	switch (q->op) {
	case WORKER_OPEN: return open_stream(w, q);
	case WORKER_SLICE: return stream_fill(*fd, q->piece_bytes, q->slice_ns, &w->lane->bulk);
	case WORKER_PROBE: return stream_probe_fd(*fd);
	default: *fd = fd_close(*fd); return 0;
	}
}

static int serve_request(struct worker *w, struct worker_slot *slot)
{
	const struct worker_request *q = &slot->request;

	switch (q->op) {
	case WORKER_READ: return worker_read_file(w, slot);
	case WORKER_READLINK: return worker_read_link(w, slot);
	case WORKER_COMPARE: return kcmp_memory(q->pid, q->other);
	default: return q->stream < WORKER_STREAMS ? serve_stream(w, q) : -EBADF;
	}
}

/* Returns the CPU time since the last call, in ns. */
static uint64_t count_cpu(struct worker *w)
{
	uint64_t before_ns = w->cpu_ns;

	w->cpu_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&w->lane->cpu_ns, w->cpu_ns);
	return w->cpu_ns - before_ns;
}

/* Moves to the CPU that memtallyd has chosen (lanes.h). */
static void worker_follow(struct worker *w)
{
	uint32_t processor = atomic_load(&w->lane->processor);
	cpu_set_t one, *set = &w->usual;

	if (processor == w->processor)
		return;
	w->processor = processor;
	if (processor < CPU_SETSIZE) {
		CPU_ZERO(&one);
		CPU_SET(processor, &one);
		set = &one;
	}
	(void)sched_setaffinity(0, sizeof(*set), set); /* if it fails, reads still work */
}

static void serve_next(struct worker *w, uint32_t at)
{
	struct worker_lane *lane = w->lane;
	struct worker_slot *slot = &lane->slot[at % WORKER_SLOTS];

	worker_follow(w);
	slot->reply = (struct worker_reply){0};
	slot->reply.result = serve_request(w, slot);
	if (atomic_load(&lane->posted) == at + 1)
		slot->reply.cpu_ns = count_cpu(w);
	atomic_store(&lane->done, at + 1);
	if (atomic_load(&lane->awaited) && (int32_t)(at + 1 - atomic_load(&lane->wanted)) >= 0)
		worker_wake(&lane->done);
}

int worker_serve(struct worker_lane *lane, int procfs_fd)
{
	struct worker w = {.lane = lane, .procfs_fd = procfs_fd, .processor = WORKER_ANYWHERE};
	uint32_t at = atomic_load(&lane->done);
	int e = 0;

	for (unsigned int i = 0; i < WORKER_STREAMS; i++)
		w.stream[i] = -1;
	if (sched_getaffinity(0, sizeof(w.usual), &w.usual) < 0)
		w.processor = atomic_load(&lane->processor); /* it then stays where it is */
	atomic_store(&lane->pid, getpid());
	atomic_store(&lane->state, WORKER_SERVING);
	while (e == 0) {
		if (atomic_load(&lane->posted) != at) {
			serve_next(&w, at++);
			continue;
		}
		atomic_store(&lane->sleeps, 1);
		if (atomic_load(&lane->posted) == at)
			e = worker_wait(&lane->posted, at, 0);
		atomic_store(&lane->sleeps, 0);
	}
	return e;
}

void worker_exited(struct worker_lane *lane)
{
	atomic_store(&lane->state, WORKER_EXITED);
	worker_wake(&lane->done);
}
