/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches a simulated host as memtallyd watches a real one: senses every process in every pass, reads
 * whom the plan says at a cost, and carries the rest forward. The decisions are those of the real modules;
 * what the kernel would do is the host's. It knows the truth only by its reads, and keeps accounts of how
 * well it did.
 */
#ifndef MEMTALLY_TESTS_SIM_WATCH_H
#define MEMTALLY_TESTS_SIM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/budget.h"
#include "collectors/cost.h"
#include "collectors/estimate.h"
#include "collectors/kin.h"
#include "collectors/plan.h"
#include "collectors/pool.h"
#include "tests/sim/host.h"

enum {
	WATCH_SENSE_NS = 2500,  /* CPU to sense one process, and its part of the rest of a pass */
	WATCH_BIRTH_NS = 30000, /* besides, of one that is new */
};

struct watch_options {
	uint64_t interval_ns, max_age_ns, giant_age_ns, stall_ns;
	uint32_t rate_ppm;
	double slowness;   /* of this host's walks, against the prior */
	double noise;      /* of a read's cost */
	uint32_t outliers; /* one read in so many takes 20 times as long; 0: none */
	bool is_blind;     /* keeps no accounts of errors, which cost more than all the rest */
};

extern const struct watch_options watch_defaults;

/* What is remembered of a process. */
struct watch_process {
	uint32_t pid, image; /* pid 0: none */
	uint64_t seen_ns, measured_ns;
	bool is_measured;
	struct estimate_base base;
	struct estimate_now now;
	struct estimate_doubt doubt; /* of events since the measurement */
	struct kin_member kin;
	uint64_t moved_bytes; /* its counters, since the last pass */
	struct estimate estimate;
	struct cost_work work;
	struct cost_habit habit;
};

struct watch_account {
	uint64_t passes, reads, slices, deferred[PLAN_REASONS];
	uint64_t used_ns;         /* CPU, all of it */
	uint64_t worst_ns;        /* CPU above rate x (time + a minute), at its worst */
	uint64_t longest_read_ns; /* CPU */
	uint64_t stalls;          /* holds that were predicted to be above the budget */
	uint64_t longest_hold_ns; /* of the others, as predicted */
	uint64_t oldest_ns;       /* measurement or birth, as shown by a pass; giants left out */
	uint64_t oldest_giant_ns;
	uint64_t samples, outside;   /* processes in passes; whose truth was out of bounds */
	uint64_t far_outside;        /* by more than 1 KiB and 0.1 % */
	uint64_t sums, sums_outside; /* the same for users */
	double worst_user;           /* the error of the worst user in the last pass, of its PSS */
	double truth, error, width;  /* sums over users and passes, bytes */
	double predicted, cost;      /* sums over reads */
	uint64_t most_reads_ns;      /* the most that the reads of one pass used */
	uint64_t stretched;          /* passes whose interval the budget did not bear */
};

struct watch {
	struct watch_options options;
	struct host *host;
	uint64_t start_ns, seed;
	uint64_t interval_ns; /* to the next pass, as the budget bears */
	struct budget budget;
	struct cost_model model[COST_WAYS];
	struct watch_process **process; /* by the host's slots; they don't move */
	size_t slots;
	struct kin kin;
	struct pool pool;
	uint32_t *slot_of; /* by pid */
	size_t pids;
	struct plan_item *item;
	size_t item_capacity, items, chosen, next;
	uint64_t reads_ns; /* since the last pass */
	struct watch_account account;
};

void watch_init(struct watch *w, struct host *h, const struct watch_options *options);
void watch_done(struct watch *w);

/* Forgets the accounts, not what it knows: what was before doesn't count. */
void watch_restart_accounts(struct watch *w);

/* One pass at the host's time; the next is due w->interval_ns later. Senses, reads new ones, estimates, plans. */
void watch_pass(struct watch *w);

/* What it would cost to read all processes once, as predicted by the last pass. */
uint64_t watch_total_ns(const struct watch *w);

/* Goes on to read whom the last pass planned, as far as the budget goes at the host's time. */
void watch_read(struct watch *w);

/* A pass, and what happens until the next one is due, the reads in between. */
void watch_and_live(struct watch *w, const struct host_rates *rates);

#endif
