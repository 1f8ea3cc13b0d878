/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of other processes' files that may block, handed to measuring workers (worker.h). One serves whole texts, another
 * one streams (lanes.h). If a read blocks, another worker takes over, and the caller is told -ETIMEDOUT.
 *
 * A round trip to a worker costs about 15 us of CPU (two wakes), so reads that will be needed can be announced with
 * workers_ahead(): the worker makes them in one go.
 */
#ifndef MEMTALLY_COLLECTORS_WORKERS_H
#define MEMTALLY_COLLECTORS_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/lanes.h"
#include "collectors/stream.h"

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
	pid_t awaited_pid; /* of the last workers_await(); 0: there was none, or the worker was replaced since */
	uint32_t awaited_index; /* requests of .awaited_pid before this one were done by then */
	uint64_t cpu_ns;        /* CPU time of all replies that were taken */
};

/* Maps the lanes. 0; -ENOMEM. RET can be closed in any case. No worker runs until workers_start(). */
int workers_open(struct workers *ret);

/* Unmaps the lanes. Their workers are the caller's to end. */
void workers_close(struct workers *w);

/* Has the first workers started. 0; an error of control->start(). */
int workers_start(struct workers *w, const struct lanes_control *control);

/* Call at the beginning of a pass: looks after parked workers, and drops announced requests that were not taken. */
void workers_begin_pass(struct workers *w);

/*
 * Announces that workers_read(), or with IS_LINK workers_readlink(), will ask for PATH of PID soon; PATH is static. If
 * there is no room, nothing is announced, and the read is made when it is asked for.
 */
void workers_ahead(struct workers *w, pid_t pid, const char *path, bool is_link);

/* How many requests can still be announced. */
static inline unsigned int workers_ahead_room(const struct workers *w)
{
	return WORKERS_AHEAD - w->ahead_count;
}

/* Whether PATH of PID was announced, and not taken or forgotten since. */
bool workers_has_ahead(const struct workers *w, pid_t pid, const char *path);

/*
 * Waits until every announced request of PID is done. Returns false if a worker blocked or exited: announced requests are
 * forgotten then.
 */
bool workers_await(struct workers *w, pid_t pid);

/* Whether PATH of PID was announced and done when workers_await() waited for PID last. */
bool workers_is_awaited(const struct workers *w, pid_t pid, const char *path);

/* Forgets announced requests of PID: it may have been another process's when they were made. */
void workers_forget(struct workers *w, pid_t pid);

/* From now on reads count as blocked after the short patience of struct lanes_patience, or after the long one again. */
void workers_hurry(struct workers *w, bool is_short);

/* Forgets announced requests that were not taken. */
void workers_drop_ahead(struct workers *w);

/*
 * Reads PATH below /proc/PID into TO, of SIZE bytes at most. *RET_LEN becomes the length, *RET_TOOK_NS the time that the
 * read() took. 0; a negative errno of open or read; -EFBIG: it is longer than SIZE or WORKER_TEXT; -ETIMEDOUT: the read is
 * blocked, or an earlier one of PID still is; -ECHILD: no worker could be had; -ECANCELED.
 */
int workers_read(struct workers *w, pid_t pid, const char *path, char *to, size_t size,
	size_t *ret_len, uint64_t *ret_took_ns);

/* Reads the symbolic link PATH below /proc/PID. Its length, which may have been cut to SIZE; or an error as above. */
ssize_t workers_readlink(struct workers *w, pid_t pid, const char *path, char *to, size_t size);

/* kcmp(KCMP_VM) of A and B: 0 to 3 as kcmp(2) says; or an error as above. */
int workers_compare(struct workers *w, pid_t a, pid_t b);

/* Opens PATH below /proc/PID as a stream. 0, or an error as above; -EMFILE: too many are open. */
int workers_open_stream(struct workers *w, pid_t pid, const char *path, struct stream *ret);

/* For stream.c: reads the next pieces of S, of PIECE_BYTES, into its bulk. 0, or an error as above; -ESTALE: the worker is
 * gone, and the stream with it; -EIO: its answer is invalid. */
int workers_slice(struct stream *s, size_t piece_bytes, uint64_t slice_ns);

/* For stream.c: stream_probe() and stream_close(). */
int workers_probe(struct stream *s);
void workers_close_stream(struct stream *s);

#endif
