/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd's passes (collectors/pass.h) on a simulated host, at the times of the real daemon, and accounts of their quality:
 * rows are compared with the true figures of the host.
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
	uint32_t rate_ppm, spare_ppm; /* see struct pass_options */
	uint64_t files_ns;            /* between surveys of files; 0: there are none */
	bool is_blind;   /* keeps no accounts of errors, which take more time than all the rest */
	size_t max_fds;  /* the limit of descriptors */
	bool is_partial; /* the host's sums are not used, as in a container */
};

extern const struct daemon_options daemon_defaults;

/* Of one user; sums over passes, bytes. */
struct daemon_user {
	double truth, error;
	uint64_t passes, off; /* passes, and those in which it was off by more than 5 % */
};

struct daemon_account {
	uint64_t passes, stretched; /* passes whose interval the budget did not bear */
	uint64_t whole;             /* passes that measured every process that a pass can measure */
	uint64_t
		waiting; /* measurements that wait for the budget, as rows say it; sum over passes */
	uint64_t span_ns;         /* of them */
	uint64_t used_ns;         /* CPU, all of it */
	uint64_t worst_ns;        /* the most CPU that any span used above the rate */
	uint64_t passes_ns;       /* CPU of passes but for walks */
	uint64_t longest_pass_ns; /* of one of them */
	uint64_t deferred[PLAN_REASONS], forgiven_ns, excused_ns;
	uint64_t oldest_ns; /* measurement, or birth, as rows show it; giants left out */
	uint64_t oldest_giant_ns;
	uint64_t missing;     /* living processes without a row, or without a PSS */
	uint64_t false_ages;  /* rows whose measurement is older than they say */
	uint64_t samples;     /* rows */
	uint64_t unmeasured;  /* rows of processes that were never measured, in the last pass */
	uint64_t outside;     /* those whose truth is out of the bounds, */
	uint64_t far_outside; /* those by more than a KiB and 0.1 %, */
	uint64_t off;         /* those that are off by more than 2 % and 1 MiB */
	uint64_t sums, sums_outside,
		sums_off;           /* the same for users and programs; by more than 1 % */
	uint64_t host_outside;      /* passes in which all together have less than is sure */
	double worst_sum;           /* the error of the worst of them in the last pass, as a part */
	double worst_large;         /* likewise, of those that are off by more than 1 MiB */
	double truth, error, width; /* sums over users and passes, bytes */
	struct daemon_user user[DAEMON_USERS];
};

struct daemon {
	struct daemon_options options;
	struct host *host;
	struct kernel kernel;
	struct vfs vfs; /* of .kernel */
	struct pass *pass;
	struct surveyor surveyor;
	uint64_t surveys, turns; /* that were completed; and turns of them */
	uint64_t start_ns, due_ns;
	/* Events on the host, also while a pass or a walk is under way. */
	struct host_rates rates;
	uint64_t life_seed, lived_ns,
		next_life_ns; /* until when; when all processes live the next part */
	/* Further events, every DAEMON_STEP_NS; NULL: none. */
	void (*happens)(struct host *h, void *data);
	void *data; /* borrowed */
	uint64_t happened_ns;
	/* True PSS as the pass began, by slot, if it may have changed since; bytes. */
	double *before;
	size_t before_slots;
	bool has_before;
	uint64_t changes;                /* of the host, then */
	double above_ns, least_above_ns; /* CPU above the rate since the start; at its least */
	uint64_t accounted_ns, accounted_cpu_ns;
	uint64_t deferred[PLAN_REASONS], forgiven_ns, excused_ns; /* before the accounts began */
	struct daemon_account account;
};

/* D must not move. */
void daemon_init(struct daemon *d, struct host *h, const struct daemon_options *options);
void daemon_done(struct daemon *d);

/* Clears the accounts; the daemon keeps what it has learned. */
void daemon_restart_accounts(struct daemon *d);

/* Runs PASSES, each with the measurements until the next one is due, while events happen on the host at RATES. */
void daemon_run(struct daemon *d, const struct host_rates *rates, uint64_t passes);

/*
 * Other programs compete for the CPUs: CPU time of the daemon takes LOAD times as much wall-clock time, and so does the kernel
 * to free memory. 1: no process does.
 */
void daemon_load(struct daemon *d, double load);

/* The daemon is stopped for NS, in which nothing happens on the host. */
void daemon_skip_time(struct daemon *d, uint64_t ns);

/* The predicted CPU time to measure every process once, as of the last pass. */
uint64_t daemon_total_cost_ns(const struct daemon *d);

#endif
