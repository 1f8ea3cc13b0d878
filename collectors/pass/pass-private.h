/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that the parts of a pass share: pass.c (its life), pass-begin.c, pass-phases.c (its work),
 * pass-names.c, pass-totals.c, pass-publish.c (its image) and survey-iterator.c (the processes of a
 * survey). Only they and tests include it.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_PRIVATE_H
#define MEMTALLY_COLLECTORS_PASS_PASS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "collectors/adaptive/adaptive-pass.h"
#include "collectors/adaptive/measure-pacer.h"
#include "collectors/hostmem/balance-sheet.h"
#include "collectors/hostmem/shmem.h"
#include "collectors/owners/membership.h"
#include "collectors/owners/memcg-charges.h"
#include "collectors/owners/namegroups.h"
#include "collectors/owners/owner-sums.h"
#include "collectors/pass/image-build.h"
#include "collectors/pass/pass.h"
#include "collectors/pass/survey-result.h"
#include "collectors/process/process-table.h"
#include "collectors/process/self/mapcounts.h"
#include "collectors/process/self/self-usage.h"
#include "collectors/process/shared-mm.h"
#include "collectors/procfs/host/meminfo.h"
#include "collectors/procfs/procfs.h"
#include "snapshot/builder.h"
#include "snapshot/image.h"

enum {
	/* processes that are looked at together, so that their reads are announced together */
	PASS_MOVED_MAX = 16,
	PASS_POLLED_MAX = 64, /* processes that are polled at most to find them */
};

enum phase {
	PHASE_IDLE,
	PHASE_READ,    /* exact mode: measures each process */
	PHASE_POLL,    /* adaptive mode: polls each process, and looks at those that have changed */
	PHASE_MEASURE, /* adaptive mode: measures the processes that the plan has chosen */
	PHASE_ROWS,    /* adaptive mode: estimates each process */
	PHASE_SHARE,
	PHASE_HOST_CHECK, /* adaptive mode: adds up all rows for the host reconciliation */
	PHASE_SETTLE,     /* adaptive mode: applies its result to each row */
	PHASE_SHMEM,      /* reads shared memory that exists without processes */
	PHASE_NAMEGROUPS, /* runs the rules of naming.process_exporter */
	PHASE_ACTIVITY,   /* reads CPU times, page faults and states for the groups */
	PHASE_OWNERS,
	PHASE_CHARGES, /* reads what cgroups are charged */
	PHASE_READY,
};

struct pass {
	struct pass_options options, next_options;
	struct procfs procfs;
	/* CLOCK_MONOTONIC: last check of how procfs is mounted; 0: the next pass must check */
	uint64_t looked_ns;
	struct process_reader reader;
	struct process_table table;
	struct adaptive_pass adaptive;
	struct measure_pacer pacer;
	struct shared_mm sharing;
	struct owner_sums sums;
	struct memcg_charges charges;
	struct namegroups namegroups;
	struct builder builder; /* of the image */
	/* borrowed: the process of each row of processes in .builder, valid until the next list */
	struct process **member;
	size_t members_capacity;
	struct buffer scratch;
	pid_t *pids;
	size_t pids_capacity;

	enum phase phase;
	size_t at;        /* the next process or row of the phase */
	size_t announced; /* processes of PHASE_READ that were announced to workers */
	struct moved {
		struct process *process;
		enum adaptive_pass_need need;
	} moved[PASS_MOVED_MAX];            /* processes of PHASE_POLL that must be looked at */
	unsigned int moved_at, moved_count; /* in .moved: the next one, and their number */
	uint32_t name_cursor[OWNER_KINDS];  /* of users and groups */
	/* borrowed: the process with pid .parent_pid, NULL: none; valid until the next list */
	const struct process *parent;
	pid_t parent_pid; /* 0: .parent is not set */
	bool asks_names;  /* pass_step() has to return PASS_NAMES */

	uint64_t userns; /* userns_id() */
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t begin_boottime_ns, begin_ns, end_ns;
	uint64_t activity_since_ticks; /* begin of the first pass that read activities; 0: none */
	uid_t euid;
	bool can_compare, compares_mm, reads_foreign;
	bool was_adaptive, is_whole;
	bool is_brief;        /* the current pass is brief */
	bool has_planned;     /* a full pass in adaptive mode has been published */
	uint64_t interval_ns; /* until the next pass: the budget may have made it longer */
	uint64_t cpu_ns;      /* of the current pass, by its thread */
	uint64_t killed_ns;   /* .begin_ns of the last pass that looked for an OOM kill; 0: none */
	struct self_usage self;
	/*
	 * CLOCK_BOOTTIME: earliest time since which a row has had no measurement; UINT64_MAX: none
	 */
	uint64_t unmeasured_since_ns;
	struct mapcounts mapcounts;
	uint64_t large_anon;    /* mapcounts_large_anon(), if map counts are averaged */
	struct meminfo meminfo; /* at the end of the current pass */
	struct shmem shmem;
	struct survey_result survey;          /* of the last survey */
	struct balance_sheet_processes parts; /* of the balance sheet: sums over the processes */
	/* processes for which the last pass has set driver.is_wanted */
	size_t drivers_wanted;
	struct snapshot_balance balance;
	struct image_build_counts counts; /* .passes is the sequence number of the last snapshot */
};

/*
 * Looks for the memory controller of cgroups. The cgroups in a tree that is no /proc are not those
 * that are mounted here.
 */
void pass_look_for_charges(struct pass *pass);

/* Frees the state that passes keep of processes. */
void pass_forget_all(struct pass *pass);

/*
 * Does one piece of the current phase, or moves to the next phase. Does nothing in PHASE_READY.
 * Returns 0 or a positive value; or -ENOMEM: the pass is lost.
 */
int pass_phases_advance(struct pass *pass);

/*
 * Makes one of the measurements that the plan has chosen, in a pass or between two passes. Returns
 * 0 if there is nothing to do now; MEASURE_PACER_SAMPLE or MEASURE_PACER_MORE if there may be more;
 * or -ENOMEM.
 */
int pass_phases_measure(struct pass *pass);

/*
 * Returns whether this pass reads stat of each member, for the CPU time, page faults and states of
 * namegroups: there are rules, and .reads_activity is set.
 */
bool pass_activity_is_read(const struct pass *pass);

/*
 * For a brief pass: the states of the members are those that were read last, and nothing is added to
 * counters.
 */
void pass_activity_keep(struct pass *pass);

/* Begins to read the members of PASS. */
void pass_activity_begin(struct pass *pass);

/*
 * Reads the next member. One that cannot be read adds nothing in this pass, and its next reading adds
 * the rest. Returns true if there may be more.
 */
bool pass_activity_step(struct pass *pass);

/*
 * Returns the pid of P's parent; 0: it has none in this pid namespace, or it is not known. Call it
 * when all processes have been read or polled. If the parent has exited, its children have another
 * one, which none of their memory shows: then the status of P is read once more.
 */
pid_t pass_parent_pid(struct pass *pass, struct process *p);

/*
 * Adds row I to its owners, the host and the balance sheet, with the growth of its process. Call it
 * once for each row.
 */
void pass_totals_add(struct pass *pass, size_t i);

/*
 * Ends the pass after all rows were added: reads the host's files, sets .end_ns, completes the
 * totals and chooses the series. Returns 0 or -ENOMEM. After -ENOMEM the pass is lost, but counters
 * that span passes stay right.
 */
int pass_totals_end(struct pass *pass);

/*
 * Does the work of pass_publish(), with the same parameters and results. NEEDED_PPM is
 * pass_interval_ns()'s; 0: not known yet.
 */
int pass_publish_make(
	struct pass *pass, uint64_t needed_ppm, bool with_public, int *ret_fd, int *ret_public_fd);

/* Returns whether /proc hides processes from this reader that others see. */
static inline bool pass_is_hidden(const struct pass *pass)
{
	return pass->procfs.hides_from_us && !pass->self.has_sys_ptrace;
}

#endif
