/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process: consistent samples of it, although it may exit, call exec or lose its main thread at
 * any moment.
 *
 * Functions that read stat, exe, maps or smaps may block (fetch.h): for some milliseconds with
 * workers, without end otherwise.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_H

#include "collectors/process/process-state.h"

void process_init(struct process *p, pid_t pid);
void process_done(struct process *p);

/*
 * Begins an exact pass over COUNT processes. The status of each may be kept open if that leaves
 * room for a descriptor of each directory. statm_poll_begin() ends this.
 */
void process_begin_exact(struct process_reader *r, size_t count);

/* Frees what R owns. */
void process_reader_done(struct process_reader *r);

/* Sets in RET the user and the group that P is counted for, from P's last sample. */
void process_fill_owners(
	const struct process_reader *r, const struct process *p, struct sample *ret);

/* Closes P's kept descriptors. */
void process_release(struct process_reader *r, struct process *p);

/*
 * Measures P at NOW_NS (CLOCK_MONOTONIC) with a walk of its page tables, and fills in *RET. A
 * sample never mixes two images: if it would, P is read again, and if that fails, too, the outcome
 * is OUTCOME_CHANGING. Returns 0 with any outcome, or -ENOMEM.
 */
int process_read(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Reads P without a walk of its page tables: ids, image, and the counters in status. As
 * process_read(), but after success the outcome is OUTCOME_MEASURED, the source is SOURCE_RSS, and
 * there is no PSS. If P runs another image, the result of its last walk is dropped.
 */
int process_look(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * As process_look(), for P with an unchanged statm. If name and user are unchanged, too, P counts
 * as the same image, and stat is not read. If P runs another image that is equal in all of these,
 * the next walk detects it.
 */
int process_refresh(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/* Returns whether P's cgroup, which has been read before, should be read again. */
bool process_cgroup_is_due(
	const struct process_reader *r, const struct process *p, uint64_t now_ns);

/*
 * Reads only the cgroup of P, which must be known, and sets RET->has_cgroup. Returns 0 or -ENOMEM.
 */
int process_read_cgroup(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Completes a walk of P by slices (smaps-slices.h) that began with process_look(). WALKED is its
 * result. Guards and outcomes are those of process_read(). The outcome is OUTCOME_CHANGING if P
 * runs another image by now: WALKED is not used then. Returns 0 with any outcome, or -ENOMEM.
 */
int process_take(struct process_reader *r, struct process *p, uint64_t now_ns,
	const struct smaps *walked, struct sample *ret);

/*
 * Announces the reads of process_read() or, with IS_LOOK, of process_look() of P, so that workers
 * make them together with those of other processes (workers.h). Check process_announce_has_room()
 * first. Opens the directory of a new process. Announces nothing if the directory of P is not kept
 * open: another process may have had its pid when the worker read it.
 */
void process_announce(struct process_reader *r, struct process *p, bool is_look);

/* Forgets what was announced and not read. */
void process_announce_none(struct process_reader *r);

/* Returns whether process_announce() has room for another process. */
bool process_announce_has_room(const struct process_reader *r);

/*
 * Announces the read of process_faults() or process_read_activity(). If process_announce() is called
 * for P, too, it must follow.
 */
void process_announce_stat(struct process_reader *r, const struct process *p);

/*
 * Opens FILE below P's directory; that of a live thread if the leader is dead. Returns a
 * descriptor, which the caller closes; -ESRCH if P has been reaped; or a negative errno of open().
 * Does not change the state of P: its next sample says that it has exited.
 */
int process_open(struct process_reader *r, struct process *p, const char *file);

/*
 * Opens smaps of P, or with IS_MAPS its maps, as a stream, which the caller closes. Returns 0;
 * -ETIMEDOUT if the read blocks; or an error as process_open().
 */
int process_open_stream(
	struct process_reader *r, struct process *p, bool is_maps, struct stream *ret);

/*
 * Sets *RET to what P, which must be known, has done since its start. Returns 0; -ESRCH if P has been
 * reaped; -ETIMEDOUT if the read blocks; or another negative errno.
 */
int process_read_activity(struct process_reader *r, struct process *p, struct stat_activity *ret);

/*
 * Reads the parent of P, which must be known, and sets .stat.parent. Returns 0; or, with .stat.parent
 * unchanged, -ESRCH if P has been reaped, -ENODATA if its status does not tell, -ETIMEDOUT if its
 * directory is not kept and opening it blocks, or another negative errno.
 */
int process_read_parent(struct process_reader *r, struct process *p);

/* Sets *RET to the minor faults of P. The same as process_read_activity() otherwise. */
int process_faults(struct process_reader *r, struct process *p, uint64_t *ret);

/* Announces the read of process_read_cmdline(). Call process_announce_has_room() first. */
void process_announce_cmdline(struct process_reader *r, const struct process *p);

/*
 * Reads the command line of P, which must be known, into *RET, which is cleared first: arguments,
 * each with its NUL byte; nothing if P has none. If it has more than MAX bytes, *RET has the first
 * MAX of them and *RET_IS_CUT is true, else false. Returns 0; -ESRCH if P has exited, also if
 * it has not been reaped; -ETIMEDOUT if the read blocks; -ENOMEM; or another negative errno of open or read.
 */
int process_read_cmdline(struct process_reader *r, struct process *p, size_t max,
	struct buffer *ret, bool *ret_is_cut);

/*
 * Checks whether the kernel allows a walk of P, which must be known: it decides when the file is
 * opened. Returns 0 if it does; -EACCES or -EPERM if it does not; or another error of
 * process_open(): not known.
 */
int process_permits(struct process_reader *r, struct process *p);

/*
 * Reads the first mapping of P in smaps, which takes its address-space lock for a moment, to find
 * out whether P still blocks. Notes the result in P's .block. Returns 1; 0 if the address space is
 * gone; or an error of fetch_stream() or stream_read().
 */
int process_probe(struct process_reader *r, struct process *p);

#endif
