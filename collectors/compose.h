/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts a finished pass into a builder: names made unambiguous, rows of scopes, what was counted. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_COMPOSE_H
#define MEMTALLY_COLLECTORS_COMPOSE_H

#include "collectors/disturbance.h"
#include "collectors/figures.h"
#include "collectors/holds.h"
#include "collectors/meminfo.h"
#include "collectors/plan.h"
#include "collectors/psi.h"
#include "collectors/self.h"
#include "collectors/tally.h"
#include "collectors/walks.h"
#include "snapshot/builder.h"

/*
 * Adds the rows of the host, users, programs and units, and sets each scope's .name_ref. A user is
 * called by its name; by its number where it has none; by "name:uid" where two share a name or the name
 * could be taken for a number. -ENOMEM.
 */
int compose_scopes(
	struct tally *t, const struct meminfo *meminfo, struct builder *b, struct buffer *scratch);

/* What a user is called, whose name was added before, or would be if any process were his: the name's reference. */
uint32_t compose_user_name(const struct scopes *users, uint32_t uid, struct builder *b);

/* Adds where the host's memory is. -ENOMEM. */
int compose_balance(const struct snapshot_balance *balance, struct builder *b);

/* What a pass has counted. */
struct compose_counts {
	uint64_t passes;
	uint64_t overruns;
	uint64_t duration_ns;             /* of the last one */
	uint64_t interval_ns;             /* as configured, */
	uint64_t period_ns;               /* and as the budget bears it */
	uint64_t outcome[OUTCOME_COUNT_]; /* but for those that are */
	uint64_t estimated, guessed;      /* from a measurement, or without one */
	uint64_t waiting, waiting_cpu_ns; /* to be measured, and what that would cost */
	uint64_t source[SOURCE_COUNT_];
	uint64_t blocked_now;       /* reads of files in /proc that the kernel keeps waiting */
	uint64_t blocked_oldest_ns; /* how long the oldest of them has waited; 0: there is none */
	uint64_t blocked_total;     /* reads that were given up as blocked, since the start */
	uint64_t workers_replaced;  /* measuring processes, since the start */
	const uint64_t *charges;    /* by enum charge_outcome; NULL: nothing is charged here */
	struct snapshot_histogram durations;
	const struct holds *holds;
};

/* What adaptive passes have done since the start, and may do. */
struct compose_adaptive {
	const struct walks_counts *walks;
	const uint64_t *deferred;      /* by enum plan_reason */
	const struct figures *figures; /* how far off estimates were */
	double budget;                 /* of one core */
	double needed;                 /* likewise; 0: not known yet */
	uint64_t available_ns, oldest_ns;
	bool is_pressed;     /* they wait since the host is short of memory */
	uint64_t backlog_ns; /* until those that wait can be paid for; UINT64_MAX: not known */
	uint64_t max_age_ns, longest_ns; /* without a measurement; UINT64_MAX: there is nobody */
	const struct psi *psi;
	enum disturbance_verdict disturbance;
};

/* Adds the row of the collector itself and the histograms. ADAPTIVE is NULL in exact mode. -ENOMEM. */
int compose_self(const struct compose_counts *counts, const struct compose_adaptive *adaptive,
	const struct self *self, uint32_t flags, const char *version, struct builder *b);

#endif
