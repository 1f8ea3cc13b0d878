/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests to measuring workers (worker.h), which make reads of other processes' files that may
 * block. One worker serves whole texts, another one streams (lanes.h). If a read blocks, another
 * worker takes over, and the caller gets -ETIMEDOUT.
 *
 * A round trip to a worker costs about 15 us of CPU (two wakes). So reads that will be needed can
 * be announced with workers_ahead(), and the worker makes them together.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_WORKERS_H
#define MEMTALLY_COLLECTORS_WORKERS_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/workers/lanes.h"
#include "collectors/workers/stream.h"

enum {
	WORKERS_AHEAD = 48, /* requests that may be announced at a time; less than WORKER_SLOTS */
};

/* An announced request. */
struct workers_ahead {
	pid_t pid;
	const char *path; /* static */
	uint32_t index;   /* of the request */
};

struct workers {
	struct lanes lanes;
	struct workers_ahead ahead[WORKERS_AHEAD];
	unsigned int ahead_first, ahead_count;
	/* of the last workers_await(); 0: there was none, or the worker was replaced since */
	pid_t awaited_pid;
	uint32_t awaited_index; /* requests of .awaited_pid with a lower index were done by then */
	uint64_t cpu_ns;        /* CPU time of all replies that were taken */
};

/*
 * Maps the lanes. No worker runs until workers_start(). Returns 0, or a negative errno of mmap().
 * RET can be closed in both cases.
 */
int workers_open(struct workers *ret);

/* Unmaps the lanes. The caller must end their workers. */
void workers_close(struct workers *w);

/* Copies CONTROL and asks for the first workers. Returns 0, or an error of CONTROL->start(). */
int workers_start(struct workers *w, const struct lanes_control *control);

/*
 * Call it at the beginning of a pass: looks after parked workers, and drops announced requests that
 * were not taken.
 */
void workers_begin_pass(struct workers *w);

/*
 * Announces that workers_read() will soon ask for PATH of PID; PATH must be static. If there is no
 * room or no worker, nothing is announced, and the read is made when it is asked for.
 */
void workers_ahead(struct workers *w, pid_t pid, const char *path, bool is_link);

/* Returns how many requests can still be announced. */
static inline unsigned int workers_ahead_room(const struct workers *w)
{
	return WORKERS_AHEAD - w->ahead_count;
}

/* Returns whether PATH of PID was announced, and not taken or forgotten since. */
bool workers_has_ahead(const struct workers *w, pid_t pid, const char *path);

/*
 * Waits until every announced request of PID is done. Returns false if the worker blocked or
 * exited, or waiting was stopped. After a block or exit all announced requests are forgotten.
 */
bool workers_await(struct workers *w, pid_t pid);

/* Returns whether PATH of PID was announced and done when workers_await() waited for PID last. */
bool workers_is_awaited(const struct workers *w, pid_t pid, const char *path);

/* Forgets announced requests of PID: another process may have had the pid when they were made. */
void workers_forget(struct workers *w, pid_t pid);

/*
 * Sets after which patience of struct lanes_patience reads count as blocked: the short one if
 * IS_SHORT, else the long one.
 */
void workers_hurry(struct workers *w, bool is_short);

/* Forgets announced requests that were not taken. */
void workers_drop_ahead(struct workers *w);

/*
 * Reads PATH below /proc/PID, a file or with IS_LINK a symbolic link, into TO, at most SIZE bytes.
 * Sets *RET_LEN to the length and *RET_TOOK_NS to the duration of read(). Returns 0; -EFBIG if the
 * text is longer than SIZE or WORKER_TEXT; -ETIMEDOUT if the read is blocked, or an earlier one of
 * PID still is; -ECHILD if no worker could be had; -EIO if its answer is invalid; -ECANCELED if
 * waiting was stopped; or a negative errno of open or read.
 */
int workers_read(struct workers *w, pid_t pid, const char *path, bool is_link, char *to,
	size_t size, size_t *ret_len, uint64_t *ret_took_ns);

/*
 * Compares A and B with kcmp(KCMP_VM). Returns 0 to 3 as kcmp(2) says; or an error as
 * workers_read().
 */
int workers_compare(struct workers *w, pid_t a, pid_t b);

/*
 * Opens PATH below /proc/PID as a stream. Returns 0; -EMFILE if too many are open; or an error as
 * workers_read().
 */
int workers_open_stream(struct workers *w, pid_t pid, const char *path, struct stream *ret);

#endif
