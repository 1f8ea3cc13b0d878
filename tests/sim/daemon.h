/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd's passes (collectors/pass.h) on a simulated host, at the times at which the daemon makes them, and
 * accounts of how well they did: what the rows say is held against what the host knows.
 */
#ifndef MEMTALLY_TESTS_SIM_DAEMON_H
#define MEMTALLY_TESTS_SIM_DAEMON_H

#include "collectors/budget.h"
#include "collectors/pass.h"
#include "collectors/plan.h"
#include "daemon/surveyor.h"
#include "tests/sim/kernel.h"
#include "tests/sim/vfs.h"

enum {
	DAEMON_USERS = 8,
	DAEMON_SUMS = DAEMON_USERS + HOST_ROLES, /* of users, and of programs behind them */
};

#define DAEMON_STEP_NS UINT64_C(25000000)

struct daemon_options {
	uint64_t interval_ns, max_age_ns, giant_age_ns, stall_ns;
	uint32_t rate_ppm;
	uint64_t files_ns; /* between surveys of files; 0: there are none */
	bool is_blind;     /* keeps no accounts of errors, which cost more than all the rest */
	size_t max_fds;    /* how many descriptors it may have */
	bool is_partial;   /* the host's sums are not to be used: as in a container */
};

extern const struct daemon_options daemon_defaults;

struct daemon_account {
	uint64_t passes, stretched; /* passes whose interval the budget did not bear */
	uint64_t span_ns;           /* of them */
	uint64_t used_ns;           /* CPU, all of it */
	uint64_t worst_ns;          /* the most CPU that any span used above the rate */
	uint64_t passes_ns;         /* CPU of passes but for walks */
	uint64_t longest_pass_ns;   /* of one of them */
	uint64_t deferred[PLAN_REASONS], forgiven_ns, excused_ns;
	uint64_t oldest_ns; /* measurement, or birth, as rows show it; giants left out */
	uint64_t oldest_giant_ns;
	uint64_t missing;     /* living processes without a row, or without a PSS */
	uint64_t false_ages;  /* rows whose measurement is older than they say */
	uint64_t samples;     /* rows */
	uint64_t outside;     /* those whose truth is out of the bounds, */
	uint64_t far_outside; /* those by more than a KiB and 0.1 %, */
	double outside_bytes; /* by how much, in all; */
	uint64_t off;         /* those that are off by more than 2 % and 1 MiB */
	uint64_t sums, sums_outside,
		sums_off;      /* the same for users and programs; by more than 1 % */
	uint64_t host_outside; /* passes in which all together have less than is sure */
	double host_truth,
		host_width;         /* sums over passes of the host's, bytes; up to the estimate */
	double worst_sum;           /* the error of the worst of them in the last pass, as a part */
	double worst_large;         /* likewise, of those that are off by more than 1 MiB */
	double truth, error, width; /* sums over users and passes, bytes */
};

struct daemon {
	struct daemon_options options;
	struct host *host;
	struct kernel kernel;
	struct vfs vfs; /* of .kernel */
	struct pass *pass;
	struct surveyor surveyor;
	uint64_t surveys, turns; /* that were completed; and turns of them */
	uint64_t start_ns, due_ns, lived_ns;
	/* What else happens, every DAEMON_STEP_NS, also while a pass is under way; NULL: nothing. */
	void (*happens)(struct host *h, void *data);
	void *data; /* borrowed */
	uint64_t happened_ns;
	double above_ns, least_above_ns; /* CPU above the rate since the start; at its least */
	uint64_t accounted_ns, accounted_cpu_ns;
	uint64_t deferred[PLAN_REASONS], forgiven_ns, excused_ns; /* before the accounts began */
	struct daemon_account account;
};

/* D must not move. */
void daemon_init(struct daemon *d, struct host *h, const struct daemon_options *options);
void daemon_done(struct daemon *d);

/* Forgets the accounts, not what it knows: what was before doesn't count. */
void daemon_restart_accounts(struct daemon *d);

/* A pass, now. */
void daemon_pass(struct daemon *d);

/* Until the next pass is due: what happens on the host, and the measurements in between. */
void daemon_wait(struct daemon *d, const struct host_rates *rates);

/* PASSES of both. */
void daemon_run(struct daemon *d, const struct host_rates *rates, uint64_t passes);

/* What it would cost to measure everything once, as predicted by the last pass. */
uint64_t daemon_total_cost_ns(const struct daemon *d);

#endif
