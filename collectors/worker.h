/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring worker: a process that reads files of other processes in memtallyd's place.
 *
 * The kernel can keep a reader of stat, smaps, smaps_rollup, maps or exe asleep without end: while the process is
 * inside execve() its exec_update_lock is held, and smaps and maps also wait for the lock of the address space. The
 * sleep is killable (Linux 5.11 and later), so SIGKILL ends the reader, and nothing else does. statm, status, cgroup,
 * comm and loginuid take neither lock (measured on Linux 6.18, with and without hidepid).
 *
 * A worker and memtallyd share one lane: a ring of requests that the worker serves in order. All of a lane's memory may
 * be written by the worker until it has exited. workers.h is memtallyd's side.
 */
#ifndef MEMTALLY_COLLECTORS_WORKER_H
#define MEMTALLY_COLLECTORS_WORKER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/stream.h"

enum {
	WORKER_SLOTS = 64,      /* requests in the ring; a power of two */
	WORKER_TEXT = 4096,     /* bytes: of a file or link */
	WORKER_PATH = 40,       /* "task/TID/smaps_rollup" and a NUL */
	WORKER_CACHE_LINE = 64, /* bytes */
	WORKER_STREAMS = 8,     /* files that are open from one request to another */
};

enum worker_op {
	WORKER_READ,     /* a whole file */
	WORKER_READLINK, /* a symbolic link */
	WORKER_OPEN,     /* a file as a stream */
	WORKER_SLICE,    /* the next part of a stream, into .bulk */
	WORKER_PROBE,    /* whether the beginning of a stream can still be read */
	WORKER_CLOSE,    /* a stream */
	WORKER_COMPARE,  /* kcmp(KCMP_VM) */
};

struct worker_request {
	uint32_t op;
	pid_t pid, other;       /* .other: WORKER_COMPARE */
	char path[WORKER_PATH]; /* below /proc/PID */
	uint32_t stream;
	uint32_t piece_bytes; /* WORKER_SLICE: of each read() */
	uint64_t slice_ns;    /* WORKER_SLICE: time after which no other read() begins */
};

struct worker_reply {
	int32_t result;   /* 0, a negative errno, or what kcmp() returns */
	uint32_t len;     /* bytes of text */
	uint64_t took_ns; /* WORKER_READ: of the read() alone, without the open */
	uint64_t cpu_ns;  /* CPU time of the request and those before it; 0: a later one has it */
};

struct worker_slot {
	struct worker_request request;
	struct worker_reply reply;
	char text[WORKER_TEXT];
};

enum worker_state {
	WORKER_NONE,     /* no process */
	WORKER_STARTING, /* it has been asked for */
	WORKER_SERVING,
	WORKER_EXITED, /* it has exited, or could not be forked: the lane may be used again */
};

/* Each side writes to cache lines of its own: the two may run on different processors. */
#define WORKER_ANYWHERE UINT32_MAX

struct worker_lane {
	_Atomic uint32_t state; /* enum worker_state */
	_Atomic int32_t pid;    /* of the worker, while it is WORKER_SERVING */
	/* memtallyd writes these, */
	alignas(WORKER_CACHE_LINE) _Atomic uint32_t posted; /* requests that it has made; wraps */
	_Atomic uint32_t awaited, wanted; /* it sleeps until .done has reached .wanted */
	_Atomic uint32_t processor;       /* to which the worker is to go; WORKER_ANYWHERE */
	/* and the worker these. */
	alignas(WORKER_CACHE_LINE) _Atomic uint32_t done; /* requests that it has served; wraps */
	_Atomic uint32_t sleeps;                          /* it sleeps until .posted changes */
	_Atomic uint64_t cpu_ns;                          /* CPU time that it has used */
	alignas(WORKER_CACHE_LINE) struct worker_slot slot[WORKER_SLOTS];
	struct stream_bulk bulk;
};

/*
 * Serves LANE until the process is killed. Files are read below PROCFS_FD, which stays borrowed. Returns a negative
 * errno if the kernel refuses to let it wait.
 */
int worker_serve(struct worker_lane *lane, int procfs_fd);

/* Says that the worker of LANE has exited, and wakes memtallyd if it waits for it. */
void worker_exited(struct worker_lane *lane);

/*
 * Sleeps until *WORD is no longer VALUE, or for TIMEOUT_NS; 0: without a limit. Returns 0 after a wake, early return or
 * timeout; a negative errno if futex() is refused.
 */
int worker_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);

void worker_wake(_Atomic uint32_t *word);

#endif
