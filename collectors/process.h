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
#include "collectors/accounting.h"
#include "collectors/cgroup.h"
#include "collectors/growth.h"
#include "collectors/holds.h"
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
	pid_t tid;      /* a live thread by which a dead leader is read; 0: none needed */
	int dirfd;      /* /proc/PID, kept while the descriptor limit allows; -1 */
	int statm_fd;   /* its statm, likewise (sense.h); -1 */
	bool known;     /* the fields below hold what an earlier sample found */
	bool has_stat;  /* .stat was read */
	bool measured;  /* .range_* come from a walk of its page tables */
	bool by_smaps;  /* that walk was through smaps, which has to be guarded */
	bool looked;    /* the image was identified by process_look(), no walk has followed */
	bool mm_is_new; /* not compared yet with others that may share its address space */
	bool exported;  /* export.h, as is the next */
	uint8_t below;
	uint8_t name_len;
	char name[STATUS_NAME_SIZE]; /* raw */
	uid_t uid, ruid;             /* the effective and the real one */
	uint32_t gid, rgid;          /* likewise; OWNER_NO_ID: not known */
	uint32_t
		loginuid; /* where users are counted by it, as it was read last; OWNER_NO_ID: none */
	struct stat_info stat;
	uint64_t range_start, range_end;
	uint64_t cgroup_ns; /* CLOCK_MONOTONIC at which cgroup was read last */

	struct growth growth;        /* of the image; begins anew with it */
	uint32_t membership;         /* of which owners it is, see tally.h; PROCESS_NO_SCOPE */
	uint32_t mm_order, mm_group; /* sharing.h; group 0: shares with nobody */
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
	/* The parts of the PSS are in .q, but not .present: they add up to it, and are good for estimates. */
	bool guesses_parts;
};

/* Buffers and counts that all processes share. */
struct process_reader {
	enum accounting_user user_by;
	const struct procfs *procfs;  /* borrowed */
	size_t kept_max;              /* how many descriptors may be kept */
	size_t kept;                  /* directories */
	size_t kept_statm, statm_max; /* descriptors of statm, and how many there may be: sense.h */
	size_t statm_first;           /* so many are statm's before there is one for a directory */
	char text[1 << 14];
	struct buffer long_text; /* for files that are longer */
	struct smaps_parser smaps;
	struct buffer program;     /* clean text */
	struct buffer cgroup_text; /* what .cgroup points into */
	struct cgroup cgroup;
	uint64_t cgroup_max_age_ns; /* a process's cgroup is read again when it is older */
	struct holds holds;         /* of all walks */
};

void process_reader_done(struct process_reader *r);

/* Says in RET whom P, as it is known, is counted for. */
void process_fill_owners(
	const struct process_reader *r, const struct process *p, struct sample *ret);

/* Gives up P's kept descriptors. */
void process_release(struct process_reader *r, struct process *p);

/*
 * Reads P now. NOW_NS is CLOCK_MONOTONIC. What was sampled of a former image is never carried over: a
 * sample that mixes two images is read again once, then the outcome is OUTCOME_CHANGING. 0, whatever
 * the outcome; -ENOMEM.
 */
int process_read(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Looks at P without walking its page tables: who it is, which image it runs, what status says. As
 * process_read(), but where it could be seen the outcome is OUTCOME_MEASURED, the source SOURCE_RSS and there
 * is no PSS. What P's last walk found is forgotten if it runs another image.
 */
int process_look(struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * As process_look(), of P whose statm is what it was: if its name and user are, too, it is taken for the same image
 * without asking stat. Would another image be like that in all of this, the next walk tells.
 */
int process_glance(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/* Whether P's cgroup, which has been read, is to be read again. */
bool process_cgroup_is_due(
	const struct process_reader *r, const struct process *p, uint64_t now_ns);

/* Reads P's cgroup alone, of a process that is known, and says so in RET->has_cgroup. 0; -ENOMEM. */
int process_read_cgroup(
	struct process_reader *r, struct process *p, uint64_t now_ns, struct sample *ret);

/*
 * Completes a walk of P by slices (slices.h), which found WALKED after a process_look() at P: the same guards
 * and outcomes as process_read(). OUTCOME_CHANGING: P runs another image by now, and WALKED is worth nothing.
 */
int process_take(struct process_reader *r, struct process *p, uint64_t now_ns,
	const struct smaps *walked, struct sample *ret);

/*
 * FILE below P's directory, through the live thread of a dead leader where need be: a descriptor for the
 * caller to close. -ESRCH: P is gone, its pid may be another's; or an error of open. What is remembered
 * of P stays: that it is gone is for the next sample to say.
 */
int process_open(struct process_reader *r, struct process *p, const char *file);

/* How often P, which is known, has faulted. A negative errno: -ESRCH, or nobody tells. */
int process_faults(struct process_reader *r, struct process *p, uint64_t *ret);

/*
 * Whether the page tables of P, which is known, may be walked: the kernel decides when the file is
 * opened. 0; -EACCES or -EPERM: they may not; or another error of process_open(), which says
 * nothing of that.
 */
int process_permits(struct process_reader *r, struct process *p);

#endif
