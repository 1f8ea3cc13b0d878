/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring worker: a process that reads files of other processes in memtallyd's place.
 *
 * The kernel can keep a reader of stat, smaps, smaps_rollup, maps or exe asleep without end: while
 * a process is inside execve() its exec_update_lock is held, and smaps and maps also wait for the
 * address-space lock. cmdline waits for that lock alone. Only SIGKILL ends such a sleep (Linux
 * 5.11). statm, status, cgroup, comm and loginuid take neither lock (measured on Linux 6.18, with
 * and without hidepid).
 *
 * A worker and memtallyd share one lane: a ring of requests that the worker serves in order. The
 * worker may write all of the lane's memory until it has exited. workers.h is memtallyd's side.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_WORKER_H
#define MEMTALLY_COLLECTORS_WORKERS_WORKER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/workers/stream.h"

enum {
	WORKER_SLOTS = 64,      /* requests in the ring; a power of 2 */
	WORKER_TEXT = 4096,     /* bytes of a file or link */
	WORKER_PATH = 40,       /* "task/TID/smaps_rollup" and a NUL byte */
	WORKER_CACHE_LINE = 64, /* bytes */
	WORKER_STREAMS = 8,     /* files that stay open between requests */
};

enum worker_op {
	WORKER_READ,     /* reads a whole file */
	WORKER_READLINK, /* reads a symbolic link */
	WORKER_OPEN,     /* opens a file as a stream */
	WORKER_SLICE,    /* reads the next part of a stream into .bulk */
	WORKER_PROBE,    /* checks whether the beginning of a stream can still be read */
	WORKER_CLOSE,    /* closes a stream */
	WORKER_COMPARE,  /* kcmp(KCMP_VM) */
};

struct worker_request {
	uint32_t op;
	pid_t pid, other;       /* .other: for WORKER_COMPARE */
	char path[WORKER_PATH]; /* below /proc/PID */
	uint32_t stream;
	uint32_t piece_bytes; /* WORKER_SLICE: size of each read() */
	uint64_t slice_ns;    /* WORKER_SLICE: time after which no other read() begins */
};

struct worker_reply {
	int32_t result;   /* 0, a negative errno, or the result of kcmp() */
	uint32_t len;     /* bytes of text */
	uint64_t took_ns; /* WORKER_READ: duration of read(), without the open */
	/* CPU time of the request and those before it; 0: a later reply includes it */
	uint64_t cpu_ns;
};

struct worker_slot {
	struct worker_request request;
	struct worker_reply reply;
	char text[WORKER_TEXT];
};

enum worker_state {
	WORKER_NONE,     /* no process */
	WORKER_STARTING, /* it was asked for */
	WORKER_SERVING,
	WORKER_EXITED, /* it has exited, or could not be forked: the lane may be used again */
};

/* Value of .processor: the worker may run on any CPU. */
#define WORKER_ANYWHERE UINT32_MAX

struct worker_lane {
	_Atomic uint32_t state; /* enum worker_state */
	_Atomic int32_t pid;    /* of the worker, while the state is WORKER_SERVING */
	/*
	 * memtallyd writes the next four. Each side has cache lines of its own, since the two may
	 * run on different CPUs.
	 */
	alignas(WORKER_CACHE_LINE) _Atomic uint32_t posted; /* requests that it has made; wraps */
	/* if .awaited is set, it sleeps until .done has reached .wanted */
	_Atomic uint32_t awaited, wanted;
	/* the CPU on which the worker is to run; WORKER_ANYWHERE */
	_Atomic uint32_t processor;
	/* The worker writes the next three. */
	alignas(WORKER_CACHE_LINE) _Atomic uint32_t done; /* requests that it has served; wraps */
	_Atomic uint32_t sleeps;                          /* set: it sleeps until .posted changes */
	_Atomic uint64_t cpu_ns;                          /* CPU time that it has used */
	alignas(WORKER_CACHE_LINE) struct worker_slot slot[WORKER_SLOTS];
	struct stream_bulk bulk;
};

/*
 * Serves LANE until the process is killed. Files are read below PROCFS_FD (borrowed), a proc file
 * system. Returns only if the kernel refuses to let it wait: a negative errno.
 */
int worker_serve(struct worker_lane *lane, int procfs_fd);

/* Notes that the worker of LANE has exited, and wakes memtallyd if it waits. */
void worker_exited(struct worker_lane *lane);

/*
 * Sleeps until *WORD differs from VALUE, at most for TIMEOUT_NS (0: no limit), or less: the caller
 * must check *WORD again. Returns 0, or a negative errno if the kernel refuses futex().
 */
int worker_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);

void worker_wake(_Atomic uint32_t *word);

#endif
