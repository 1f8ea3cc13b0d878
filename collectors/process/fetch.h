/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fetch: reads the files of a process that may block their reader: stat, exe, and the files that
 * take the lock of its address space: smaps, smaps_rollup, maps and cmdline. If struct
 * process_reader has workers (workers.h), a worker reads them, by pid. Else they are read directly.
 *
 * A worker knows a process by its pid alone. What it has read since the directory of the process
 * was opened belongs to the process if that has not been reaped. A later read of status below the
 * directory proves that, and so does fetch_is_there(), since the directory of a reaped process
 * shows no file.
 *
 * Every function that reads returns -ETIMEDOUT if the read blocks, or if the process is known to
 * block and was not chosen for another attempt (attempts.h); .block of the process says more. It
 * returns -ESRCH if the process has been reaped, and -ENOENT if the process is there and lacks the
 * file.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_FETCH_H
#define MEMTALLY_COLLECTORS_PROCESS_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/process/process-state.h"
#include "collectors/workers/stream.h"

enum fetch_file {
	/*
	 * of the thread-group leader; the other files are those of a live thread if the leader is
	 * dead
	 */
	FETCH_STAT,
	FETCH_THREAD_STAT, /* of a live thread if the leader is dead */
	FETCH_STATUS,      /* never blocks: read directly, unless it was announced */
	FETCH_ROLLUP,
	FETCH_SMAPS,
	FETCH_MAPS,
	FETCH_CMDLINE,
	FETCH_EXE, /* a symbolic link */
	FETCH_FILES
};

/*
 * Reads FILE of P, which has the directory DIRFD, into R->text, and sets *RET_LEN to its length.
 * Counts the time of a walk (FETCH_ROLLUP) in R->holds. Sets *RET_UNPROVEN if a worker has read the
 * text after the last proof that P exists, and leaves it unchanged otherwise.
 *
 * Returns 0; -EFBIG if the text is too long for R->text; or a negative errno of open or read.
 */
int fetch_text(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	size_t *ret_len, bool *ret_unproven);

/* Opens FETCH_SMAPS, FETCH_MAPS or FETCH_CMDLINE of P as a stream. Returns 0, or a negative errno. */
int fetch_stream(struct process_reader *r, struct process *p, int dirfd, enum fetch_file file,
	struct stream *ret);

/*
 * Calls stream_read() for S, a stream of FILE of P, and returns its result. Adds the time to the
 * account of P's user, as fetch_begin_reads() does, and notes the result, as fetch_note_stream()
 * does.
 */
ssize_t fetch_read_stream(struct process_reader *r, struct process *p, enum fetch_file file,
	struct stream *s, char *to, size_t size, uint64_t slice_ns, struct stream_piece *ret);

/*
 * Surround reads of a stream of P that fetch_read_stream() does not make. If reads of P's user have
 * cost more than the user's share of this pass, fetch_begin_reads() lets these count as blocked
 * sooner. It returns a time for fetch_end_reads(). That adds the time of the reads to the account
 * of P's user, and must be called before any other file is fetched.
 */
uint64_t fetch_begin_reads(struct process_reader *r, const struct process *p);
void fetch_end_reads(struct process_reader *r, const struct process *p, uint64_t begin_ns);

/*
 * Notes in P's .block whether a read of a stream of FILE of P blocked or was answered, and counts
 * it (attempts.h). Call it for reads that fetch_read_stream() does not make. RESULT is that of
 * stream_read(). If P is not known and keeps no directory, the read is counted
 * for OWNER_NO_ID.
 */
void fetch_note_stream(
	struct process_reader *r, struct process *p, enum fetch_file file, ssize_t result);

/*
 * Announces that the COUNT files of P will be read next, in this order. Does nothing if there is no
 * worker, or no room for them in its ring. Does nothing either if P blocks, if its leader is dead,
 * or if P is new and reads of new processes are limited in this pass.
 */
void fetch_announce(struct process_reader *r, const struct process *p, const enum fetch_file *files,
	size_t count);

/*
 * Forgets what was announced of P's pid, since it may have been read before P had that pid. Call it
 * when P's directory was opened.
 */
void fetch_forget(struct process_reader *r, const struct process *p);

/* Returns true if the process with the directory DIRFD has not been reaped yet. */
bool fetch_is_there(int dirfd);

/*
 * Returns the CPU time of this thread, and of the workers' reads for it, in ns. Differences between
 * two calls tell what work has cost.
 */
uint64_t fetch_cpu_ns(const struct process_reader *r);

#endif
