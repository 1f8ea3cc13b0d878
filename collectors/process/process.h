/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process: the state that is kept from pass to pass, and consistent samples of it, although it
 * may exit, call exec or lose its main thread at any moment.
 *
 * Functions that read stat, exe, maps or smaps may block (fetch.h): for some milliseconds with
 * workers, without end otherwise.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/process/accounting.h"
#include "collectors/process/attempts.h"
#include "collectors/process/block.h"
#include "collectors/process/driver.h"
#include "collectors/process/growth.h"
#include "collectors/process/lock-hold.h"
#include "collectors/procfs/cgroup.h"
#include "collectors/procfs/keyvalue.h"
#include "collectors/procfs/procfs.h"
#include "collectors/procfs/proctext.h"
#include "collectors/procfs/smaps.h"
#include "collectors/procfs/stat.h"
#include "collectors/procfs/status.h"
#include "collectors/workers/stream.h"
#include "snapshot/record.h"

enum {
	PROCESS_NO_SCOPE = UINT32_MAX,
};

/*
 * State of a process. process_read() and similar functions write the first part, their callers the
 * part after the blank line.
 */
struct process {
	pid_t pid;
	/* a live thread by which the files of a dead leader are read; 0: not needed */
	pid_t tid;
	int dirfd; /* /proc/PID, kept while the descriptor limit allows; -1: not kept */
	/* its statm in adaptive passes (statm-poll.h), its status in exact ones; -1: not kept */
	int file_fd;
	bool known;           /* the fields below are those of an earlier sample */
	bool start_is_unique; /* no other process with this pid can have .stat.start_ticks */
	bool has_stat;        /* .stat was read */
	bool measured;        /* .range_start and .range_end come from a walk of its page tables */
	bool by_smaps;        /* that walk was through smaps, which needs a guard */
	bool looked;          /* process_look() identified the image, and no walk has followed */
	/* not compared yet with other processes that may share its address space */
	bool mm_is_new;
	bool exported; /* top-owners.h, as is .below */
	uint8_t below;
	uint8_t name_len;
	char name[STATUS_NAME_SIZE]; /* .name_len raw bytes */
	uid_t uid, ruid;             /* effective and real UID */
	uint32_t gid, rgid;          /* effective and real GID; OWNER_NO_ID: not known */
	/* as read last, if users are counted by it; OWNER_NO_ID: none */
	uint32_t loginuid;
	struct stat_info stat;
	uint64_t range_start, range_end;
	uint64_t cgroup_ns; /* CLOCK_MONOTONIC: when its cgroup was read last */
	struct block block; /* whether its files block their readers */

	struct growth growth;       /* of the image; reset when the image changes */
	struct driver_share driver; /* of the image; reset when the image changes */
	uint32_t membership; /* slot of its membership (owner-sums.h); PROCESS_NO_SCOPE: none */
	/* shared-mm.h; .mm_group 0: shares its address space with no other process */
	uint32_t mm_order, mm_group;
	/* owned: the last measurement in exact mode (last-measured.h); NULL: none */
	struct last_measured *last;
	struct tracked *watch; /* owned: state of adaptive passes (tracked.h); NULL: none */
};

void process_init(struct process *p, pid_t pid);
void process_done(struct process *p);

/* The three parts of the PSS, as bits of .present. */
#define SAMPLE_PARTS                                                                               \
	(UINT64_C(1) << PROCESS_PSS_ANON | UINT64_C(1) << PROCESS_PSS_FILE |                       \
		UINT64_C(1) << PROCESS_PSS_SHMEM)

/* One sample of a process. Quantities are by enum process_quantity. */
struct sample {
	enum process_outcome outcome;
	enum process_source source;
	/* it has memory and a known user: it is counted, even if it was not measured */
	bool is_member;
	/* it has no memory and is no zombie: the kernel may still be freeing its memory */
	bool is_exiting;
	bool is_new_image;    /* first sample, or the process has called exec since the last one */
	bool is_renamed;      /* reader.program has the name of its program */
	bool has_cgroup;      /* reader.cgroup has its cgroup */
	uid_t uid;            /* effective UID */
	uint32_t gid;         /* effective GID; OWNER_NO_ID: not known */
	uint32_t user, group; /* the user and group that it is counted for; OWNER_NO_ID: none */
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
	uint64_t huge_bytes; /* bytes of the walk's RSS that are in huge pages */
	uint64_t anon_bytes; /* bytes of the walk's RSS that are anonymous; UINT64_MAX: not known */
	uint64_t rounding;   /* bytes by which the true PSS may exceed the printed one */
	uint32_t mappings;   /* number of mappings, from smaps; 0: not known */
	uint32_t threads;    /* 0: not known */
	/*
	 * The parts of the PSS are in .q, but not in .present. Their sum is the PSS, and estimates
	 * may use them.
	 */
	bool guesses_parts;
};

/* Buffers, settings and counts that all processes share. */
struct process_reader {
	enum accounting_user user_by;
	const struct procfs *procfs; /* borrowed */
	/* borrowed: they read files that may block; NULL: all files are read directly */
	struct workers *workers;
	struct attempts attempts; /* limits reads that block */
	/* no read is deferred to a later pass, however many have blocked */
	bool is_single;
	/* pid of this process: its own files never block; 0: it is not in this /proc */
	pid_t own_pid;
	size_t kept_max; /* limit of kept descriptors */
	size_t kept;     /* kept descriptors of directories */
	/* kept descriptors of files, and their limit: statm-poll.h, process_begin_exact() */
	size_t kept_files, files_max;
	/* descriptors of files that have precedence over those of directories */
	size_t files_first;
	bool keeps_status; /* .file_fd of processes is their status */
	char text[1 << 14];
	struct proctext_ends ends; /* how complete texts of status and smaps_rollup end */
	struct buffer long_text;   /* for longer files */
	struct smaps_parser smaps;
	struct buffer program;     /* the label of a program, clean text */
	struct buffer cgroup_text; /* the text that .cgroup points into */
	struct cgroup cgroup;
	uint64_t cgroup_max_age_ns; /* maximum age of a process's cgroup before it is read again */
	struct lock_hold holds;     /* of all walks */
};

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
int process_glance(
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
 * Announces the read of process_faults(). If process_announce() is called for P, too, it must
 * follow.
 */
void process_announce_faults(struct process_reader *r, const struct process *p);

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
 * Sets *RET to the minor faults of P, which must be known. Returns 0; -ESRCH if P has been reaped;
 * or another negative errno if they are not known.
 */
int process_faults(struct process_reader *r, struct process *p, uint64_t *ret);

/*
 * Checks whether the kernel allows a walk of P, which must be known: it decides when the file is
 * opened. Returns 0 if it does; -EACCES or -EPERM if it does not; or another error of
 * process_open(): not known.
 */
int process_permits(struct process_reader *r, struct process *p);

/*
 * Reads the first mapping of P in smaps, which takes its address-space lock for a moment, to find
 * out whether P still blocks. Notes the result in P's .block. Returns 0; -ESRCH if the address
 * space is gone; or an error of fetch_stream() or stream_probe().
 */
int process_probe(struct process_reader *r, struct process *p);

#endif
