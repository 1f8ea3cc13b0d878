/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd's passes on a simulated host
 *
 * Runs collectors/pass/pass.h on a simulated host at the times at which memtallyd would run it.
 * Compares the rows of each pass with the host's true values and keeps statistics of the errors.
 */
#ifndef MEMTALLY_TESTS_SIM_DAEMON_H
#define MEMTALLY_TESTS_SIM_DAEMON_H

#include "collectors/pass/pass.h"
#include "collectors/schedule/cpu-budget.h"
#include "collectors/schedule/measure-plan.h"
#include "daemon/surveyor.h"
#include "tests/sim/host/kernel.h"
#include "tests/sim/host/vfs.h"

enum {
	DAEMON_USERS = 8,
	DAEMON_SUMS = DAEMON_USERS + HOST_ROLES, /* one for each user, then one for each program */
};

/* Interval of struct daemon.happens(). */
#define DAEMON_STEP_NS UINT64_C(25000000)

struct daemon_options {
	uint64_t interval_ns, max_age_ns, giant_age_ns, stall_ns;
	uint32_t rate_ppm, spare_ppm; /* see struct pass_options */
	uint64_t files_ns;            /* between surveys of files; 0: no surveys */
	/* keeps no statistics of errors, which take more time than everything else */
	bool is_blind;
	size_t max_fds;  /* RLIMIT_NOFILE */
	bool is_partial; /* the host's sums are not used, as in a container */
	/* brief passes between two full ones, evenly spaced; with any, nothing is measured or surveyed
	 * there */
	unsigned int briefs;
	bool skips_briefs; /* keeps no statistics of their rows */
};

extern const struct daemon_options daemon_defaults;

/* Statistics of one user. Sums over passes, in bytes. */
struct daemon_user {
	double truth, error;
	uint64_t passes, off; /* passes, and those with an error above 5 % */
};

/* Statistics since daemon_restart_accounts(). Ages are in ns. */
struct daemon_account {
	/* passes, and passes with an interval lengthened to keep the CPU budget */
	uint64_t passes, stretched;
	uint64_t whole; /* passes that measured every process that a pass can measure */
	/* measurements that wait for the budget, as the image says; sum over passes */
	uint64_t waiting;
	uint64_t span_ns;         /* duration of all passes and pauses */
	uint64_t used_ns;         /* CPU in .span_ns */
	uint64_t worst_ns;        /* the most CPU above the rate that any period used */
	uint64_t passes_ns;       /* CPU of passes without walks */
	uint64_t longest_pass_ns; /* CPU of the longest of these */
	/* deferred measurements by reason (measure-plan.h), and ns of CPU (cpu-budget.h) */
	uint64_t deferred[MEASURE_PLAN_REASONS], forgiven_ns, excused_ns;
	uint64_t oldest_ns; /* oldest measurement (or birth) that rows show; without giants */
	/* The same of giants. */
	uint64_t oldest_giant_ns;
	/* processes since the beginning of the pass without a row or a PSS; sum over passes */
	uint64_t missing;
	uint64_t false_ages;  /* rows that show a measurement as newer than it is */
	uint64_t samples;     /* rows */
	uint64_t unmeasured;  /* rows of processes that were never measured, in the last pass */
	uint64_t outside;     /* rows with a true PSS outside their bounds */
	uint64_t far_outside; /* rows outside by more than 1 KiB and 0.1 % */
	uint64_t off;         /* rows with an error above 2 % and 1 MiB */
	/* the same for the sums of users and programs; .sums_off: above 1 % */
	uint64_t sums, sums_outside, sums_off;
	uint64_t host_outside;      /* passes in which the host's low bound is above the true sum */
	double worst_sum;           /* largest relative error of a sum in the last pass */
	double worst_large;         /* the same among sums with an error above 1 MiB */
	double truth, error, width; /* sums over users and passes, bytes */
	struct daemon_user user[DAEMON_USERS];
};

struct daemon {
	struct daemon_options options;
	struct host *host;
	struct kernel kernel;
	struct vfs vfs; /* uses .kernel */
	struct pass *pass;
	struct surveyor surveyor;
	uint64_t surveys, turns; /* surveys that were completed, and turns of surveys */
	uint64_t start_ns, due_ns;
	/* Events on the host. They also happen during passes and walks. */
	struct host_rates rates;
	uint64_t life_seed, lived_ns,
		next_life_ns; /* until when .rates were applied; when they are next */
	/* Further events, every DAEMON_STEP_NS. NULL: none. */
	void (*happens)(struct host *h, void *data);
	void *data; /* borrowed, passed to .happens() */
	uint64_t happened_ns;
	/*
	 * True PSS in bytes at the beginning of the pass, by slot; -1: no such process. Set if
	 * events may happen during the pass (.has_before).
	 */
	double *before;
	size_t before_slots;
	bool has_before;
	uint64_t changes;
	double above_ns, least_above_ns; /* CPU above the rate since the start, and its minimum */
	uint64_t accounted_ns, accounted_cpu_ns;
	/* values at the start of the statistics */
	uint64_t deferred[MEASURE_PLAN_REASONS], forgiven_ns, excused_ns;
	struct daemon_account account;
};

/*
 * Initializes D with a copy of OPTIONS and redirects system calls to it (calls.h). Borrows H until
 * daemon_done(). D must not move. Aborts on errors. One daemon can exist at a time.
 */
void daemon_init(struct daemon *d, struct host *h, const struct daemon_options *options);
void daemon_done(struct daemon *d);

/* Clears the statistics. The daemon keeps what it has learned. */
void daemon_restart_accounts(struct daemon *d);

/*
 * Runs PASSES passes, each with the measurements and surveys before the next pass. Meanwhile events
 * happen on the host: at RATES, of which a copy stays in use, and .happens(). Aborts on errors.
 */
void daemon_run(struct daemon *d, const struct host_rates *rates, uint64_t passes);

/*
 * Simulates other programs that compete for the CPUs. The daemon's CPU time then takes LOAD times
 * as much wall-clock time, and so does the kernel when it frees memory. 1: no competition.
 */
void daemon_load(struct daemon *d, double load);

/* Stops the daemon for NS, during which no events happen on the host. */
void daemon_skip_time(struct daemon *d, uint64_t ns);

/* Returns the CPU time, predicted in the last pass, of measuring every process once. */
uint64_t daemon_total_cost_ns(const struct daemon *d);

#endif
