/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a process that may block their reader: stat, exe, and the walks smaps, smaps_rollup and maps. If the
 * struct process_reader has workers (workers.h), a worker reads them, by pid. Else they are read directly.
 *
 * A worker knows a process by its pid alone. What it has read since the directory of the process was opened belongs to the
 * process if that has not exited: a later read of status below the directory proves that, and so does fetch_is_there(),
 * since the directory of a process that has exited shows no file.
 *
 * Every function returns -ETIMEDOUT if the read blocks, or if the process is known to block and is not chosen for
 * another attempt (attempts.h); .block of the process says more. Every function returns -ESRCH if the process has been reaped, and -ENOENT if the process
 * is there and lacks the file.
 */
#ifndef MEMTALLY_COLLECTORS_FETCH_H
#define MEMTALLY_COLLECTORS_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/process.h"
#include "collectors/stream.h"

enum fetch_file {
	FETCH_STAT, /* of the thread-group leader; the others of a live thread if the leader is dead */
	FETCH_STATUS, /* never blocks: read directly, unless it was announced */
	FETCH_ROLLUP,
	FETCH_SMAPS,
	FETCH_MAPS,
	FETCH_EXE, /* a symbolic link */
	FETCH_FILES
};

/*
 * Reads FILE of P, which has the directory DIRFD, into TO, of SIZE bytes. *RET_LEN becomes the length; *RET_TOOK_NS the
 * duration of the read() without the open, 0 for status. *RET_UNPROVEN becomes true if a worker has read the text after
 * the last proof that P exists, and stays as it is otherwise. Returns 0; a negative errno of open or read; -EFBIG: the
 * text is longer.
 */
int fetch_text(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	char *to, size_t size, size_t *ret_len, uint64_t *ret_took_ns, bool *ret_unproven);

/* Reads the link FETCH_EXE of P. Its length, or a negative errno. */
ssize_t fetch_link(struct process_reader *r, struct process *p, int dirfd, char *to, size_t size);

/* Opens FETCH_SMAPS or FETCH_MAPS of P as a stream. 0, or a negative errno. */
int fetch_stream(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	struct stream *ret);

/*
 * stream_read() and stream_probe() for a stream of FILE of P. Their time counts for P's user, as that of texts does: see
 * fetch_begin_reads(). Their result is noted: see fetch_note_stream().
 */
ssize_t fetch_read_stream(struct process_reader *r, struct process *p, enum fetch_file file,
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);
int fetch_probe_stream(
	struct process_reader *r, struct process *p, enum fetch_file file, struct stream *s);

/*
 * Call before reads of a stream of P that fetch_read_stream() does not make. If reads of P's user have cost more than the
 * user's share of this pass, these count as blocked sooner. Returns a time for fetch_end_reads(), which must be called
 * before any other file is fetched: that adds the time of the reads to the account of P's user.
 */
uint64_t fetch_begin_reads(struct process_reader *r, const struct process *p);
void fetch_end_reads(struct process_reader *r, const struct process *p, uint64_t begin_ns);

/*
 * For reads that fetch_read_stream() does not make. Notes in P's .block whether a read of a stream of FILE of P blocked or
 * was answered, and counts it (attempts.h). RESULT is that of stream_read() or stream_probe(). If P is neither known nor
 * keeps its directory, it is counted for OWNER_NO_ID.
 */
void fetch_note_stream(
	struct process_reader *r, struct process *p, enum fetch_file file, ssize_t result);

/*
 * Announces the COUNT files of P that are read next, in this order. Nothing is announced if there is no worker, if P
 * blocks, or if its leader is dead.
 */
void fetch_announce(struct process_reader *r, const struct process *p, const enum fetch_file *files,
	size_t count);

/* Forgets what was announced of P's pid: it may have been read before P had that pid. Call when P's directory was opened. */
void fetch_forget(struct process_reader *r, const struct process *p);

/* Returns true if the process with the directory DIRFD has not been reaped yet. */
bool fetch_is_there(int dirfd);

/* CPU time of this thread and of what workers have read for it, in ns: differences of it tell what work has cost. */
uint64_t fetch_cpu_ns(const struct process_reader *r);

#endif
