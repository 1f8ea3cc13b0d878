/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes: every pass polls every process and measures a few; figures of the others are
 * carried forward. This module decides what is learned of each process, and in which order;
 * faults.h, figures.h, hostsum.h, relations.h and walks.h use it. turns.h decides which process is
 * measured when.
 *
 *	adapt_list                a pass is about to list the processes
 *	adapt_begin               it has listed them
 *	adapt_poll, adapt_sense   for each
 *	adapt_end_senses          then
 *	adapt_note, adapt_take    for each that is read or measured
 *	adapt_begin_estimates     when the measurements of the pass are done
 *	adapt_estimate            for each member, into its row
 *	adapt_end_estimates       with the sums of the host
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_ADAPT_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_ADAPT_H

#include "collectors/adaptive/faults.h"
#include "collectors/adaptive/figures.h"
#include "collectors/adaptive/hostsum.h"
#include "collectors/adaptive/relations.h"
#include "collectors/adaptive/walks.h"
#include "collectors/process/proctable.h"
#include "collectors/process/sharing.h"
#include "collectors/procfs/psi.h"
#include "collectors/procfs/vmstat.h"
#include "collectors/schedule/budget.h"
#include "collectors/schedule/disturbance.h"
#include "snapshot/record.h"

struct adapt_limits {
	uint64_t interval_ns, max_age_ns, stall_ns, giant_age_ns;
	uint32_t cpu_ppm;   /* of one core */
	uint32_t spare_ppm; /* of the budget of an interval: see struct pass_options */
};

struct adapt {
	struct adapt_limits limits, next_limits;
	struct process_reader *reader; /* borrowed */
	const struct proctable *table; /* borrowed */
	struct sharing *sharing;       /* borrowed */
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

	struct budget budget;
	struct disturbance disturbance;
	struct walks walks;         /* measurements, and their costs */
	struct relations relations; /* sharers of memory */
	struct faults faults;       /* possible copy-on-write breaks */
	struct figures figures;     /* estimates for rows */
	struct hostsum hostsum;     /* reconciliation with the host's sums */
};

/* READER, TABLE and SHARING are borrowed until adapt_done(). */
void adapt_init(struct adapt *a, struct process_reader *reader, const struct proctable *table,
	struct sharing *sharing);
void adapt_done(struct adapt *a);

/*
 * Sets LIMITS from the next pass on; the budget changes at once. The first call fills the bucket of
 * the budget.
 */
void adapt_set_limits(struct adapt *a, const struct adapt_limits *limits);

/* Sets the time between passes from now on. */
void adapt_set_interval(struct adapt *a, uint64_t interval_ns);

/* Forgets all processes: the next pass is like the first. */
void adapt_restart(struct adapt *a);

/* Forgets P. Call it before P is freed. */
void adapt_forget(struct adapt *a, struct process *p);

/* A pass is about to list the processes. */
void adapt_list(struct adapt *a);

/* The pass has listed the processes. */
void adapt_begin(struct adapt *a);

/* The work that a poll of a process calls for. */
enum adapt_need {
	ADAPT_NEEDS_NOTHING,
	ADAPT_NEEDS_CGROUP, /* read its cgroup again */
	ADAPT_NEEDS_GLANCE, /* process_glance(): statm is unchanged */
	ADAPT_NEEDS_LOOK,   /* process_look() */
	ADAPT_NEEDS_MEET,   /* process_look(): it is new */
};

enum adapt_outcome {
	ADAPT_SAMPLE = 1, /* *RET is a sample, which the caller must process */
};

/* Polls P: reads its statm, and writes to *RET what P needs. Returns 0 or -ENOMEM. */
int adapt_poll(struct adapt *a, struct process *p, uint64_t now_ns, enum adapt_need *ret);

/* Announces the reads that adapt_sense() will make of P for NEED (process_announce()). */
void adapt_announce(struct adapt *a, struct process *p, enum adapt_need need);

/*
 * Does what P needs, by adapt_poll(). May block for some milliseconds (fetch.h). Returns 0: user,
 * program and unit are unchanged; ADAPT_SAMPLE: *RET has new ones; -ENOMEM.
 */
int adapt_sense(struct adapt *a, struct process *p, enum adapt_need need, uint64_t now_ns,
	struct sample *ret);

/* Call after the last adapt_sense(): finds the figures that writes and sharers put in doubt. */
void adapt_end_senses(struct adapt *a);

/* Records all figures of S, a sample of P, except the PSS. */
void adapt_note(struct adapt *a, struct process *p, const struct sample *s);

/* Records S, a measurement of P or an attempt at one, by the walk WALKED. */
void adapt_take(
	struct adapt *a, struct process *p, const struct sample *s, const struct walked *walked);

/*
 * IS_ELSEWHERE: P shares its address space with another process, at which it counts and which has
 * the relations. When that ends, P is measured again, unless it was measured in this pass.
 */
void adapt_set_elsewhere(struct adapt *a, struct process *p, bool is_elsewhere);

/* Call after the last measurement for this pass: finds the figures that these put in doubt. */
void adapt_begin_estimates(struct adapt *a);

/*
 * Fills in ROW of the member P: quantities, source and outcome. OUTCOME_DENIED if P was never
 * measured and the kernel refuses it.
 */
void adapt_estimate(struct adapt *a, struct process *p, struct snapshot_process *row);

/*
 * Call after hostsum_add() of each row, when shared address spaces are known. IS_WHOLE: no process
 * is hidden. Returns true if hostsum_settle() of each row must follow.
 */
bool adapt_end_estimates(struct adapt *a, bool is_whole);

#endif
