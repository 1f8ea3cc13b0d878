/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU Budget
 *
 * A bucket of tokens; a token is 1 ns of CPU. The bucket fills at the allowed rate and holds what
 * comes in within a minute, or between two passes if that is longer. It is full at the start. Used
 * CPU is charged afterwards, whatever was predicted: the bucket may be overdrawn by one read, and
 * then no read starts until the debt is paid. A debt is at most as deep as the bucket; more is
 * forgiven, because otherwise one read that was far dearer than predicted, or a host that always
 * replaces its processes, would leave all processes unmeasured for hours. Over any span, use <=
 * rate x (span + 1 minute) + one read + forgiven debt.
 *
 * The first pass is excused, and so are the first measurements that it leaves: otherwise a large
 * host would have only guesses until they are paid for.
 *
 * Passes come first. What the next pass, and births until then, will need beyond what comes in is
 * kept back from reads.
 *
 * Times are CLOCK_MONOTONIC. A clock that jumps back brings no tokens; a jump ahead, a stop or a
 * suspend brings at most one bucket. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_SCHEDULE_CPU_BUDGET_H
#define MEMTALLY_COLLECTORS_SCHEDULE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CPU_BUDGET_PPM_PER_PERCENT = 10000,
	CPU_BUDGET_PPM_MAX = 1000000, /* one core */
};

struct cpu_budget {
	uint32_t rate_ppm;   /* of one core */
	int64_t tokens_ns;   /* ns of CPU; negative: overdrawn */
	uint64_t rest;       /* part of a token, in millionths */
	uint64_t filled_ns;  /* the last time at which tokens were added */
	uint64_t sensing_ns; /* CPU that the next pass is expected to need, without births */
	uint64_t usual_ns;   /* the same as expected for the last pass */
	uint64_t born_ns;    /* CPU for births since the last pass */
	uint64_t births_ns;  /* CPU expected for births until the next pass */
	bool has_passed;
	/* time between passes, if cpu_budget_set_interval() has stretched it; else 0 */
	uint64_t interval_ns;
	uint64_t due_ns;      /* when the next pass begins */
	uint64_t forgiven_ns; /* sum of forgiven debt since the start */
	uint64_t charged_ns;  /* CPU charged since the start */
	uint64_t excused_ns;  /* CPU used without charge since the start */
};

/* Makes B a full bucket. RATE_PPM is 1 to CPU_BUDGET_PPM_MAX. */
void cpu_budget_init(struct cpu_budget *b, uint32_t rate_ppm, uint64_t now_ns);

/* Changes the rate from NOW_NS on. The tokens stay, up to the new capacity. */
void cpu_budget_set_rate(struct cpu_budget *b, uint32_t rate_ppm, uint64_t now_ns);

/* Returns the tokens of a full bucket. */
uint64_t cpu_budget_capacity_ns(const struct cpu_budget *b);

/* Charges CPU_NS that reads have used. */
void cpu_budget_charge(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns);

/* Counts CPU_NS that needs no tokens. */
void cpu_budget_excuse(struct cpu_budget *b, uint64_t cpu_ns);

/* Returns all CPU that was used since the start, in ns. */
static inline uint64_t cpu_budget_used_ns(const struct cpu_budget *b)
{
	return b->charged_ns + b->excused_ns;
}

/*
 * Charges CPU_NS for a new process, which cannot be refused. In the first pass the time is excused
 * instead.
 */
void cpu_budget_charge_birth(struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns);

/*
 * Call before a pass is published. If CPU_NS, which it has used so far without births, is more than
 * the next pass is expected to need, expects that much, but at most twice the usual (see
 * cpu_budget_charge_pass()).
 */
void cpu_budget_expect(struct cpu_budget *b, uint64_t cpu_ns);

/*
 * Charges CPU_NS that a pass has used for the work of every pass (list, poll, publish), without
 * births; the first pass is excused. The next pass begins at DUE_NS, and is expected to need as
 * much: a dearer pass counts at once, up to twice the usual, since it may be the only one; a
 * cheaper one counts gradually. For births the mean is expected, because they come in bursts; in
 * the first pass all processes are new, which says nothing about the next.
 */
void cpu_budget_charge_pass(
	struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns);

/*
 * Returns the tokens that reads may use at NOW_NS. If that is above 0, a read may start, whatever
 * it is predicted to cost.
 */
uint64_t cpu_budget_available_ns(struct cpu_budget *b, uint64_t now_ns);

/* Returns the tokens that INTERVAL_NS brings for reads, after a pass and its births. */
uint64_t cpu_budget_each_ns(const struct cpu_budget *b, uint64_t interval_ns);

/*
 * Returns how many of TOKENS_NS may be used under memory pressure: half, and at most half
 * of what INTERVAL_NS brings, because saved tokens would hide the cut.
 */
uint64_t cpu_budget_cut_ns(const struct cpu_budget *b, uint64_t tokens_ns, uint64_t interval_ns);

/*
 * Sets the time between passes: INTERVAL_NS, or longer if passes would take more than three
 * quarters of the budget (the rest is for reads). Returns that time; it is four hours at most if
 * INTERVAL_NS is not longer.
 */
uint64_t cpu_budget_set_interval(struct cpu_budget *b, uint64_t interval_ns);

/*
 * Returns the time in ns after NOW_NS at which CPU_NS for reads can be paid, if a pass that was not
 * charged yet is paid too and TAKEN_PPM of the rate (less than the rate) goes to other work.
 * Returns 0 if they can be paid now, or CPU_NS is 0.
 */
uint64_t cpu_budget_time_ns(
	struct cpu_budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t taken_ppm);

/*
 * Returns the rate in ppm that the host needs: max(4/3 P, P + TOTAL_COST_NS / MAX_AGE_NS), where P
 * is the cost of a pass / INTERVAL_NS, and TOTAL_COST_NS is the cost of measuring every process
 * once. Rounded up; it may exceed CPU_BUDGET_PPM_MAX.
 */
uint64_t cpu_budget_needed_ppm(const struct cpu_budget *b, uint64_t interval_ns,
	uint64_t total_cost_ns, uint64_t max_age_ns);

#endif
