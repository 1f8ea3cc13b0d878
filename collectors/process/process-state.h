/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a process that is kept from pass to pass, one sample of it, and the reader that all
 * processes share. fetch.h and process-reading.h read by them; process.h takes samples.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_STATE_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/process/accounting.h"
#include "collectors/process/state/activity.h"
#include "collectors/process/state/attempts.h"
#include "collectors/process/state/block.h"
#include "collectors/process/state/driver.h"
#include "collectors/process/state/growth.h"
#include "collectors/process/state/lock-hold.h"
#include "collectors/procfs/cgroup/cgroup.h"
#include "collectors/procfs/keyvalue.h"
#include "collectors/procfs/procfs.h"
#include "collectors/procfs/proctext.h"
#include "collectors/procfs/smaps.h"
#include "collectors/procfs/stat.h"
#include "collectors/procfs/status.h"
#include "collectors/workers/stream.h"
#include "snapshot/record.h"

/*
 * How far the rules of naming.process_exporter have come with a process's image. All but
 * NAMING_SETTLED have the next pass go on.
 */
enum naming_state {
	NAMING_NEW,       /* no rule has run */
	NAMING_COSTLY,    /* the rules take more steps than were left, and wait for its turn */
	NAMING_BY_NUMBER, /* a rule has matched, and its name may lack the name of the user */
	NAMING_BY_NUMBER_COSTLY, /* both: the rules have to run again, and wait for its turn */
	NAMING_UNMATCHED, /* no rule has matched, and the pass has not looked at the ancestors yet */
	NAMING_VISITED,   /* its ancestors are being looked at */
	NAMING_UNSURE,    /* an ancestor is not settled, or not known: its group may change */
	NAMING_SETTLED,   /* it has its group */
};

enum {
	PROCESS_NO_SCOPE = UINT32_MAX,
	PROCESS_PATH_SIZE = 64,
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
	struct stat_info stat; /* .parent is known even without .has_stat, from status */
	uint64_t range_start, range_end;
	uint64_t cgroup_ns; /* CLOCK_MONOTONIC: when its cgroup was read last */
	struct block block; /* whether its files block their readers */

	struct growth growth;       /* of the image; reset when the image changes */
	struct driver_share driver; /* of the image; reset when the image changes */
	uint32_t membership; /* slot of its membership (owner-sums.h); PROCESS_NO_SCOPE: none */
	enum naming_state naming : 8; /* namegroups.h; NAMING_NEW when the image changes */
	/* its group is that of an ancestor: another image that no rule matches keeps it */
	bool inherits_group;
	/* shared-mm.h; .mm_group 0: shares its address space with no other process */
	uint32_t mm_order, mm_group;
	/* owned: the last measurement in exact mode (last-measured.h); NULL: none */
	struct last_measured *last;
	struct tracked *tracked; /* owned: state of adaptive passes (tracked.h); NULL: none */
	/* owned: CPU time and faults of the process, if passes read them; NULL: not yet */
	struct activity *activity;
};

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
 * Writes the path of FILE below P's directory to TO, or returns FILE: the path is that of a live
 * thread if P's leader is dead. Returns the path.
 */
static inline const char *process_path(
	const struct process *p, const char *file, char to[static PROCESS_PATH_SIZE])
{
	if (!p->tid)
		return file;
	snprintf(to, PROCESS_PATH_SIZE, "task/%d/%s", p->tid, file);
	return to;
}

/* Closes P's kept descriptor of statm or status. */
static inline void process_close_file(struct process_reader *r, struct process *p)
{
	if (p->file_fd < 0)
		return;
	p->file_fd = fd_close(p->file_fd);
	r->kept_files--;
}

#endif
