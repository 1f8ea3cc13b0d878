/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process: the state that is kept from pass to pass, and consistent samples of it, although it may exit, execute another
 * program or lose its main thread at any moment.
 *
 * Functions that read stat, exe, maps or smaps may block (fetch.h): for some milliseconds with workers, without end
 * otherwise.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_H
#define MEMTALLY_COLLECTORS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/accounting.h"
#include "collectors/attempts.h"
#include "collectors/block.h"
#include "collectors/cgroup.h"
#include "collectors/driver.h"
#include "collectors/growth.h"
#include "collectors/holds.h"
#include "collectors/lines.h"
#include "collectors/procfs.h"
#include "collectors/proctext.h"
#include "collectors/smaps.h"
#include "collectors/stat.h"
#include "collectors/status.h"
#include "collectors/stream.h"
#include "snapshot/record.h"

enum {
	PROCESS_NO_SCOPE = UINT32_MAX,
};

/* State of a process. process_read() and its like write the first part, their callers the rest. */
struct process {
	pid_t pid;
	pid_t tid;   /* a live thread by which a dead leader is read; 0: none needed */
	int dirfd;   /* /proc/PID, kept while the descriptor limit allows; -1 */
	int file_fd; /* its statm in adaptive passes (sense.h), its status in exact ones; or -1 */
	bool known;  /* the fields below are those of an earlier sample */
	bool start_is_unique; /* no other process with this pid can have .stat.start_ticks */
	bool has_stat;        /* .stat was read */
	bool measured;        /* .range_* come from a walk of its page tables */
	bool by_smaps;        /* that walk was through smaps, which has to be guarded */
	bool looked;          /* the image was identified by process_look(), no walk has followed */
	bool mm_is_new;       /* not compared yet with others that may share its address space */
	bool exported;        /* export.h, as is the next */
	uint8_t below;
	uint8_t name_len;
	char name[STATUS_NAME_SIZE]; /* raw */
	uid_t uid, ruid;             /* the effective and the real one */
	uint32_t gid, rgid;          /* likewise; OWNER_NO_ID: not known */
	uint32_t loginuid; /* as it was read last, if users are counted by it; OWNER_NO_ID: none */
	struct stat_info stat;
	uint64_t range_start, range_end;
	uint64_t cgroup_ns; /* CLOCK_MONOTONIC at which cgroup was read last */
	struct block block; /* whether its files block their readers */

	struct growth growth;        /* of the image; begins anew with it */
	struct driver_share driver;  /* of the image */
	uint32_t membership;         /* of which owners it is, see tally.h; PROCESS_NO_SCOPE */
	uint32_t mm_order, mm_group; /* sharing.h; group 0: shares with nobody */
	struct last *last;   /* owned: what exact passes remember, see last.h; NULL: nothing */
	struct watch *watch; /* owned; what adaptive passes remember, see watch.h; NULL: nothing */
};

void process_init(struct process *p, pid_t pid);
void process_done(struct process *p);

/* The three parts of the PSS. */
#define SAMPLE_PARTS                                                                               \
	(UINT64_C(1) << PROCESS_PSS_ANON | UINT64_C(1) << PROCESS_PSS_FILE |                       \
		UINT64_C(1) << PROCESS_PSS_SHMEM)

/* One sample. Quantities are by enum process_quantity. */
struct sample {
	enum process_outcome outcome;
	enum process_source source;
	bool is_member; /* it has memory and a known user: counted, even where it is not measured */
	bool is_exiting; /* without memory and no zombie: the kernel may still be freeing its memory */
	bool is_new_image;    /* first seen, or it has executed a program since the last sample */
	bool is_renamed;      /* .program of the reader holds its program's name */
	bool has_cgroup;      /* .cgroup of the reader holds its unit */
	uid_t uid;            /* the effective one */
	uint32_t gid;         /* likewise; OWNER_NO_ID: not known */
	uint32_t user, group; /* whom it is counted for; OWNER_NO_ID: nobody */
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
	uint64_t huge_bytes; /* of the RSS that the walk found, in huge pages */
	uint64_t anon_bytes; /* of the RSS that the walk found; UINT64_MAX: not told */
	uint64_t rounding;   /* by how much the true PSS may lie above what was printed */
	uint32_t mappings;   /* as smaps tells them; 0: not known */
	uint32_t threads;    /* 0: not known */
	/* The parts of the PSS are in .q, but not .present: they add up to it, and are good for estimates. */
	bool guesses_parts;
};

/* Buffers and counts that all processes share. */
struct process_reader {
	enum accounting_user user_by;
	const struct procfs *procfs; /* borrowed */
	struct workers *
		workers; /* borrowed: they read files that may block; NULL: all are read directly */
	struct attempts attempts; /* limits reads that block */
	bool is_single; /* no read is deferred to a later pass, however many have blocked */
	pid_t own_pid; /* pid of this process, for which its own files never block; 0: not in this /proc */
	size_t kept_max; /* limit of descriptors that are kept */
	size_t kept;     /* kept descriptors of directories */
	size_t kept_files,
		files_max; /* kept descriptors of files, and their limit: sense.h, process_begin_exact() */
	size_t files_first; /* descriptors of files before the first one of a directory is kept */
	bool keeps_status;  /* .file_fd of processes is their status */
	char text[1 << 14];
	struct proctext_ends ends; /* how complete texts of these files end */
	struct buffer long_text;   /* for longer files */
	struct smaps_parser smaps;
	struct buffer program;     /* clean text */
	struct buffer cgroup_text; /* the text that .cgroup points into */
	struct cgroup cgroup;
	uint64_t cgroup_max_age_ns; /* a process's cgroup is read again when it is older */
	struct holds holds;         /* of all walks */
};

/*
 * Begins an exact pass over COUNT processes: status of each may be kept open, if a descriptor of each directory leaves room
 * for that. sense_begin() ends this.
 */
void process_begin_exact(struct process_reader *r, size_t count);

/* Frees what R owns. */
void process_reader_done(struct process_reader *r);

/* Sets the user and the group of RET that P counts for, by its last sample. */
void process_fill_owners(
	const struct process_reader *r, const struct process *p, struct sample *ret);

/* Closes P's kept descriptors. */
void process_release(struct process_reader *r, struct process *p);

/*
 * Measures P at NOW_NS (CLOCK_MONOTONIC) in *RET, with a walk of its page tables. A sample never mixes two images: if it
 * would, P is read again once, and then the outcome is OUTCOME_CHANGING. Returns 0 with any outcome, or -ENOMEM.
 */
int process_read(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Reads P without a walk of its page tables: ids, image, and the figures in status. As process_read(), but after success the
 * outcome is OUTCOME_MEASURED, the source SOURCE_RSS, and there is no PSS. If P runs another image, the result of its last
 * walk is dropped.
 */
int process_look(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * As process_look(), for P with an unchanged statm: if name and user are unchanged, too, it counts as the same image, without
 * reading stat. The next walk detects another image that is equal in all of these.
 */
int process_glance(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/* Whether P's cgroup, which has been read before, should be read again. */
bool process_cgroup_is_due(
	const struct process_reader *r, const struct process *p, uint64_t now_ns);

/* Reads only the cgroup of P, which is known, and sets RET->has_cgroup. Returns 0 or -ENOMEM. */
int process_read_cgroup(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Completes a walk of P by slices (slices.h) that began with a process_look() and found WALKED. Guards and outcomes are those
 * of process_read(). OUTCOME_CHANGING: P runs another image by now, and WALKED is void.
 */
int process_take(struct process_reader *r, struct process *p, uint64_t now_ns,
	const struct smaps *walked, struct sample *ret);

/*
 * Announces the reads of process_read() or, with IS_LOOK, process_look() of P, so that workers make them together with those
 * of other processes (workers.h). There is room for a few reads. Opens the directory of a new process. Announces nothing if
 * the directory of P is not kept open: a former process may have had its pid when the worker read it.
 */
void process_announce(struct process_reader *r, struct process *p, bool is_look);

/* Forgets what was announced and not read. */
void process_announce_none(struct process_reader *r);

/* Whether process_announce() has room for another process. */
bool process_announce_has_room(const struct process_reader *r);

/* Announces the read of process_faults(). If process_announce() is called, too, it must follow. */
void process_announce_faults(struct process_reader *r, const struct process *p);

/*
 * Opens FILE below P's directory, of a live thread if the leader is dead. Returns a descriptor, which the caller closes;
 * -ESRCH if P is gone; or a negative errno of open(). Does not change the state of P: its next sample says that it is gone.
 */
int process_open(struct process_reader *r, struct process *p, const char *file);

/*
 * Opens smaps of P, or with IS_MAPS its maps, as a stream, which the caller closes. Returns 0; -ETIMEDOUT if it blocks; or an
 * error as of process_open().
 */
int process_open_stream(
	struct process_reader *r, struct process *p, bool is_maps, struct stream *ret);

/* Writes to *RET the minor faults of P, which is known. Returns 0; -ESRCH if P is gone; or another negative errno: not known. */
int process_faults(struct process_reader *r, struct process *p, uint64_t *ret);

/*
 * Whether the kernel allows a walk of P, which is known: it decides when the file is opened. Returns 0; -EACCES or -EPERM if
 * it does not; or another error of process_open(): not known.
 */
int process_permits(struct process_reader *r, struct process *p);

/*
 * Reads the first mapping of P in smaps, which takes the lock of its address space for a moment: finds out whether P still blocks.
 * Notes the result in P's .block. 0; -ESRCH: the address space is gone; or an error of fetch_stream() or of stream_probe().
 */
int process_probe(struct process_reader *r, struct process *p);

#endif
