/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process, read whole: what is remembered of it from pass to pass, and how a consistent sample is
 * had of something that may end, execute another program or lose its main thread at any moment.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_H
#define MEMTALLY_COLLECTORS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/cgroup.h"
#include "collectors/growth.h"
#include "collectors/procfs.h"
#include "collectors/smaps.h"
#include "collectors/stat.h"
#include "collectors/status.h"
#include "snapshot/record.h"

enum {
	PROCESS_NO_SCOPE = UINT32_MAX,
};

/* What is remembered. The first part is process_read()'s, the rest its callers'. */
struct process {
	pid_t pid;
	pid_t tid;     /* a live thread by which a dead leader is read; 0: none needed */
	int dirfd;     /* /proc/PID, kept while the descriptor limit allows; -1 */
	bool known;    /* the fields below hold what an earlier sample found */
	bool has_stat; /* .stat was read */
	bool measured; /* .range_* come from a walk of its page tables */
	bool by_smaps; /* that walk was through smaps, which has to be guarded */
	uint8_t name_len;
	char name[STATUS_NAME_SIZE]; /* raw */
	uid_t uid;
	struct stat_info stat;
	uint64_t range_start, range_end;
	uint64_t cgroup_ns; /* CLOCK_MONOTONIC at which cgroup was read last */

	struct growth growth;                    /* of the image; begins anew with it */
	uint32_t user, program, unit, user_unit; /* scopes; PROCESS_NO_SCOPE */
	/* Shared address spaces, see sharing.h. */
	bool mm_is_new; /* not compared with others yet */
	uint32_t mm_order;
	uint32_t mm_group; /* 0: shares with nobody */
	/* Export, see export.h. */
	bool exported;
	uint8_t below;
};

void process_init(struct process *p, pid_t pid);
void process_done(struct process *p);

/* One sample. Quantities are by enum process_quantity. */
struct sample {
	enum process_outcome outcome;
	enum process_source source;
	bool is_member; /* it has memory and a known user: counted, even where it is not measured */
	bool is_new_image; /* first seen, or it has executed a program since the last sample */
	bool is_renamed;   /* .program of the reader holds its program's name */
	bool has_cgroup;   /* .cgroup of the reader holds its unit */
	uid_t uid;
	uint64_t present;
	uint64_t q[PROCESS_QUANTITIES];
};

/* Buffers and counts that all processes share. */
struct process_reader {
	const struct procfs *procfs; /* borrowed */
	size_t kept_max;             /* how many descriptors may be kept */
	size_t kept;
	char text[1 << 14];
	struct buffer long_text; /* for files that are longer */
	struct smaps_parser smaps;
	struct buffer program;     /* clean text */
	struct buffer cgroup_text; /* what .cgroup points into */
	struct cgroup cgroup;
	uint64_t cgroup_max_age_ns; /* a process's cgroup is read again when it is older */
};

void process_reader_done(struct process_reader *r);

/* Gives up P's kept descriptor. */
void process_release(struct process_reader *r, struct process *p);

/*
 * Reads P now. NOW_NS is CLOCK_MONOTONIC. What was sampled of a former image is never carried over: a
 * sample that mixes two images is read again once, then the outcome is OUTCOME_CHANGING. 0, whatever
 * the outcome; -ENOMEM.
 */
int process_read(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

#endif
