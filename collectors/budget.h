/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much CPU may be used: a bucket of tokens, each a nanosecond of CPU, that fills at the allowed rate
 * and holds what a minute brings, or the time between two passes where that is longer. It is full at the start.
 * What was used is charged afterwards, whatever was predicted; so the bucket may be overdrawn, by one read at
 * most, and nothing is read until that is made up for. A debt is never deeper than the bucket: else one read
 * that was far dearer than predicted, or a host whose processes are replaced all the time, would leave
 * everybody unmeasured for hours. Over any span the use is at most rate x (span + 1 minute) + one read +
 * what was forgiven so.
 *
 * The first pass is excused, and so is what it leaves to be measured for the first time: else a large host would be
 * guessed at for as long as that has to be made up for.
 *
 * Sensing comes first, since every pass has to sense: what the next pass will need for it, and for those that
 * are born meanwhile, and what the time until then will not bring is kept back from the reads.
 *
 * Times are CLOCK_MONOTONIC. A clock that jumps back brings nothing; after a jump ahead, a stop or a
 * suspend there is one bucket, never more. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_BUDGET_H
#define MEMTALLY_COLLECTORS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum {
	BUDGET_PPM_PER_PERCENT = 10000,
	BUDGET_PPM_MAX = 1000000, /* one core */
};

struct budget {
	uint32_t rate_ppm;   /* of one core */
	int64_t tokens_ns;   /* negative: overdrawn */
	uint64_t rest;       /* of a token, in millionths */
	uint64_t filled_ns;  /* when the bucket was filled last */
	uint64_t sensing_ns; /* expected of the next pass, births apart */
	uint64_t usual_ns;   /* was expected of the last one */
	uint64_t born_ns;    /* for births, since the last pass */
	uint64_t births_ns;  /* expected of the next pass */
	bool has_passed;
	uint64_t interval_ns; /* from one pass to the next, where it is stretched; else 0 */
	uint64_t due_ns;      /* when the next pass starts */
	uint64_t forgiven_ns; /* debts that were deeper than the bucket, since the start */
	uint64_t charged_ns;  /* since the start */
	uint64_t excused_ns;  /* used without being charged, since the start */
};

/* A full bucket. RATE_PPM is 1 to BUDGET_PPM_MAX. */
void budget_init(struct budget *b, uint32_t rate_ppm, uint64_t now_ns);

/* Another rate from NOW_NS on. What is in the bucket stays, as far as it holds it. */
void budget_set_rate(struct budget *b, uint32_t rate_ppm, uint64_t now_ns);

/* What a full bucket holds. */
uint64_t budget_capacity_ns(const struct budget *b);

/* CPU_NS were used for reads. */
void budget_charge(struct budget *b, uint64_t now_ns, uint64_t cpu_ns);

/* CPU_NS were used for what needs no tokens. */
void budget_excuse(struct budget *b, uint64_t cpu_ns);

/* All that was used, since the start. */
static inline uint64_t budget_used_ns(const struct budget *b)
{
	return b->charged_ns + b->excused_ns;
}

/* CPU_NS were used for a process that is new, and can't be refused. In the first pass that is excused. */
void budget_charge_birth(struct budget *b, uint64_t now_ns, uint64_t cpu_ns);

/*
 * The pass that is about to be published has used CPU_NS so far, births apart: at least that is
 * expected of the next.
 */
void budget_expect(struct budget *b, uint64_t cpu_ns);

/*
 * A pass has used CPU_NS for all that every pass has to do (list, sense, publish), births apart;
 * the next one starts at DUE_NS. Charges it, unless it was the first, and expects the next to need
 * as much: a costlier pass is believed at once up to twice what was usual, since it may remain the
 * only one, a cheaper one by and by. Births come in bursts, so their mean is expected; in the first
 * pass everybody is born, which says nothing of the next.
 */
void budget_charge_pass(struct budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns);

/* What reads may use at NOW_NS. A read may start where this is above 0, whatever it is predicted to cost. */
uint64_t budget_available_ns(struct budget *b, uint64_t now_ns);

/* What INTERVAL_NS brings to reads, beside a pass and its births. */
uint64_t budget_each_ns(const struct budget *b, uint64_t interval_ns);

/*
 * Of TOKENS_NS what may be used where memory is short: half, and at most half of what INTERVAL_NS brings, since what
 * was saved would hide the cut.
 */
uint64_t budget_cut_ns(const struct budget *b, uint64_t tokens_ns, uint64_t interval_ns);

/*
 * Passes are INTERVAL_NS apart, or as far as the budget bears: they may take three quarters of it, the rest is
 * for reads. Returns what it is to be: where INTERVAL_NS is not longer, four hours at most.
 */
uint64_t budget_set_interval(struct budget *b, uint64_t interval_ns);

/*
 * How long after NOW_NS CPU_NS for reads can be paid for, beside a pass that has not been charged yet, if of the rate
 * TAKEN_PPM, which is less than it, go to others; 0 where they can be now, or there are none.
 */
uint64_t budget_time_ns(struct budget *b, uint64_t now_ns, uint64_t cpu_ns, uint64_t taken_ppm);

/*
 * The rate in ppm that the host needs for passes every INTERVAL_NS, of which it may take three quarters, and for
 * reading everything once, at a cost of TOTAL_COST_NS, within MAX_AGE_NS; rounded up, may be more than
 * BUDGET_PPM_MAX.
 */
uint64_t budget_needed_ppm(
	const struct budget *b, uint64_t interval_ns, uint64_t total_cost_ns, uint64_t max_age_ns);

#endif
