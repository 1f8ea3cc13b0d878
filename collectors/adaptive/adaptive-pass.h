/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes: every pass polls every process and measures a few; figures of the others are
 * carried forward. This module decides what is learned of each process, and in which order, by
 * sharing-state.h, row-estimate.h, host-check.h and page-walks.h. measure-pacer.h decides which
 * process is measured when.
 *
 *	adaptive_pass_list                a pass is about to list the processes
 *	adaptive_pass_begin               it has listed them
 *	adaptive_pass_poll, adaptive_pass_look    for each
 *	adaptive_pass_end_polls           then
 *	adaptive_pass_note, adaptive_pass_take    for each that is read or measured
 *	adaptive_pass_begin_estimates     when the measurements of the pass are done
 *	adaptive_pass_estimate            for each member, into its row
 *	adaptive_pass_end_estimates       with the sums of the host
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_ADAPTIVE_PASS_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_ADAPTIVE_PASS_H

#include "collectors/adaptive/host-check.h"
#include "collectors/adaptive/page-walks.h"
#include "collectors/adaptive/row-estimate.h"
#include "collectors/adaptive/sharing-state.h"
#include "collectors/process/process-table.h"
#include "collectors/process/self/lock-trial.h"
#include "collectors/process/shared-mm.h"
#include "collectors/procfs/host/psi.h"
#include "collectors/procfs/host/vmstat.h"
#include "collectors/schedule/cpu-budget.h"
#include "snapshot/record.h"

struct adaptive_pass_limits {
	uint64_t interval_ns, max_age_ns, stall_ns, giant_age_ns;
	uint32_t cpu_ppm;   /* of one core */
	uint32_t spare_ppm; /* of the budget of an interval: see struct pass_options */
};

struct adaptive_pass {
	struct adaptive_pass_limits limits, next_limits;
	struct process_reader *reader;     /* borrowed */
	const struct process_table *table; /* borrowed */
	struct shared_mm *sharing;         /* borrowed */
	uint64_t page_bytes;
	/* CLOCK_BOOTTIME of the beginning of this pass and of the last one */
	uint64_t begin_ns, previous_ns;
	uint64_t start_ns; /* CLOCK_BOOTTIME of the beginning of the first pass */
	struct vmstat vmstat;
	enum psi_level pressure;
	struct psi psi; /* read when this pass began */
	/* pages swapped in or out since the status of all processes was read for that reason */
	uint64_t swapped;
	/* .swapped is so large that this pass reads the status of all processes */
	bool swaps;
	/* the kernel has killed a process for lack of memory since the last pass began */
	bool has_killed;
	/*
	 * Set by the caller before adaptive_pass_list(): this pass is brief. Of processes that are
	 * known it reads statm alone, of new ones what any pass reads, and it measures none. For
	 * the estimator a brief pass is no pass: births and exits that it finds count as between the
	 * last full pass and the next one, and the host's sums are not compared.
	 */
	bool is_brief;

	struct cpu_budget budget;
	struct lock_trial lock_trial;
	struct page_walks walks;            /* measurements, and their costs */
	struct sharing_state sharing_state; /* sharers of memory, and copies that they make */
	struct row_estimate estimates;      /* estimates for rows */
	struct host_check host_check;       /* reconciliation with the host's sums */
};

/*
 * Makes A ready for its first pass. READER, TABLE and SHARING are borrowed until
 * adaptive_pass_done(). Call adaptive_pass_set_limits() before the first pass.
 */
void adaptive_pass_init(struct adaptive_pass *a, struct process_reader *reader,
	const struct process_table *table, struct shared_mm *sharing);

/* Frees what A owns, when it has forgotten every process (adaptive_pass_forget()). */
void adaptive_pass_done(struct adaptive_pass *a);

/*
 * Sets LIMITS from the next pass on; the budget changes at once. The first call fills the bucket of
 * the budget.
 */
void adaptive_pass_set_limits(struct adaptive_pass *a, const struct adaptive_pass_limits *limits);

/* Sets the time between passes from now on. */
void adaptive_pass_set_interval(struct adaptive_pass *a, uint64_t interval_ns);

/*
 * Returns whether the kernel has killed a process for lack of memory since the last pass began. False
 * before the first pass, or if the kernel does not count kills.
 */
bool adaptive_pass_sees_kill(const struct adaptive_pass *a);

/* Forgets all processes: the next pass is like the first. */
void adaptive_pass_restart(struct adaptive_pass *a);

/* Forgets P, which is about to be freed. */
void adaptive_pass_forget(struct adaptive_pass *a, struct process *p);

/*
 * A pass is about to list the processes: sets .begin_ns, and puts limits in force that were set
 * since the last pass.
 */
void adaptive_pass_list(struct adaptive_pass *a);

/*
 * The pass has listed the processes: reads vmstat, memory pressure and meminfo, and prepares the
 * polls.
 */
void adaptive_pass_begin(struct adaptive_pass *a);

/* The work that a poll of a process calls for. */
enum adaptive_pass_need {
	ADAPTIVE_PASS_NEEDS_NOTHING,
	ADAPTIVE_PASS_NEEDS_CGROUP,     /* read its cgroup again */
	ADAPTIVE_PASS_NEEDS_REFRESH,    /* process_refresh(): statm is unchanged */
	ADAPTIVE_PASS_NEEDS_LOOK,       /* process_look() */
	ADAPTIVE_PASS_NEEDS_FIRST_LOOK, /* process_look(): it is new */
};

enum adaptive_pass_outcome {
	ADAPTIVE_PASS_SAMPLE = 1, /* *RET is a sample, which the caller must process */
};

/*
 * Polls P: reads its statm, writes to *RET what P needs, and announces the reads that
 * adaptive_pass_look() will make of P for it (process_announce()). Returns 0 or -ENOMEM.
 */
int adaptive_pass_poll(
	struct adaptive_pass *a, struct process *p, uint64_t now_ns, enum adaptive_pass_need *ret);

/*
 * Does what P needs, by adaptive_pass_poll(). May block for some milliseconds (fetch.h). Returns 0:
 * user, program and unit are unchanged; ADAPTIVE_PASS_SAMPLE: *RET has new ones; -ENOMEM.
 */
int adaptive_pass_look(struct adaptive_pass *a, struct process *p, enum adaptive_pass_need need,
	uint64_t now_ns, struct sample *ret);

/*
 * Ends the polls: reads meminfo again, reads the fault counters that are due (cow-faults.h), and
 * renews the doubts of processes that writes, births, exits and sharers affect.
 */
void adaptive_pass_end_polls(struct adaptive_pass *a);

/* Ends the polls of a brief pass: renews the doubts of processes that births and exits affect. */
void adaptive_pass_end_brief_polls(struct adaptive_pass *a);

/* Records all figures of S, a sample of P at NOW_BOOT_NS (CLOCK_BOOTTIME), except the PSS. */
void adaptive_pass_note(
	struct adaptive_pass *a, struct process *p, const struct sample *s, uint64_t now_boot_ns);

/*
 * Records S, a measurement of P or an attempt at one, by the walk WALKED: learns about P, its
 * sharers, the error of estimates and the cost of walks. Charges the CPU of that to the budget,
 * unless the walk was excused.
 */
void adaptive_pass_take(struct adaptive_pass *a, struct process *p, const struct sample *s,
	const struct page_walk_result *walked);

/*
 * Sets whether P's memory counts at another process that has the same address space. Does nothing
 * if that is unchanged. If true, P's relations end, since the other process has them. If false,
 * they begin again. A measurement of P in this pass then counts, and P's maps may be read, which
 * may block (workers.h); an earlier one is void, and P is measured again.
 */
void adaptive_pass_set_elsewhere(struct adaptive_pass *a, struct process *p, bool is_elsewhere);

/*
 * Ends the measurements for this pass: renews the doubts of the processes that they affect, and
 * empties the sums for the host check.
 */
void adaptive_pass_begin_estimates(struct adaptive_pass *a);

/*
 * Fills in ROW of the member P: quantities, source and outcome. OUTCOME_DENIED if P was never
 * measured and the kernel refuses it.
 */
void adaptive_pass_estimate(
	struct adaptive_pass *a, struct process *p, struct snapshot_process *row);

/*
 * Compares the sums of all rows (host_check_add()) with the host's. IS_WHOLE: no process is hidden.
 * Returns true if host_check_settle() of each row must follow.
 */
bool adaptive_pass_end_estimates(struct adaptive_pass *a, bool is_whole);

#endif
