/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of a simulated host
 *
 * Keeps the clocks, finds processes by pid, and counts walks and lock holds. Time passes when the
 * caller says so and when calls cost CPU time of memtallyd, the only thread. On a loaded machine
 * memtallyd waits for other programs after each time slice. Whenever time passes, events that are
 * due on the host happen. A walk holds the target's lock for one read() of smaps or smaps_rollup.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_KERNEL_H
#define MEMTALLY_TESTS_SIM_HOST_KERNEL_H

#include "tests/sim/host/host.h"

struct kernel {
	struct host *host;
	uint64_t seed;
	uint64_t monotonic_ns, cpu_ns;
	uint64_t suspended_ns; /* how far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC */
	int64_t wall_ns;       /* an error of CLOCK_REALTIME */
	uint64_t stall_ns;     /* longer holds are counted */
	/* wall-clock time that the daemon's CPU time takes, as a multiple of it; at least 1 */
	double load;
	uint64_t slice_ns;      /* CPU time since memtallyd last waited for other programs */
	uint64_t next_event_ns; /* CLOCK_MONOTONIC of the next event; UINT64_MAX: none */
	/* makes due events happen and sets .next_event_ns; NULL: no events */
	void (*happen)(void *data);
	void *data; /* borrowed, passed to .happen() */
	bool is_happening;
	double slowness;   /* of walks on this host */
	double noise;      /* relative random variation of the cost of a walk */
	uint32_t outliers; /* one walk in this many takes 20 times as long; 0: none */

	uint32_t *slot_of; /* by pid */
	size_t pids;

	/* Since kernel_restart_counts(). */
	uint64_t rollups, slices, slice_walks;
	uint64_t walks_ns;        /* CPU of walks */
	uint64_t longest_read_ns; /* CPU of the longest read() */
	uint64_t longest_hold_ns; /* longest hold, without .giant_holds */
	uint64_t stalls;          /* holds above .stall_ns, without .giant_holds */
	/* holds above .stall_ns because a single mapping alone takes longer */
	uint64_t giant_holds;
	/* shortest time between two of these of one process; UINT64_MAX: none */
	uint64_t least_giant_gap_ns;
};

/* Initializes K with a time of two hours after the boot of H, which is borrowed. */
void kernel_init(struct kernel *k, struct host *h);
void kernel_done(struct kernel *k);

/* Clears the counts of walks and holds. */
void kernel_restart_counts(struct kernel *k);

/* NS of time pass, in which memtallyd does nothing and events happen. */
void kernel_pass_time(struct kernel *k, uint64_t ns);

/* The same without events. */
void kernel_skip_time(struct kernel *k, uint64_t ns);

/* The host is suspended for NS: only CLOCK_BOOTTIME and CLOCK_REALTIME go on. */
void kernel_suspend(struct kernel *k, uint64_t ns);

/* memtallyd uses CPU_NS. On a loaded machine more wall-clock time passes. */
void kernel_use(struct kernel *k, uint64_t cpu_ns);

/* Returns the slot of PID; host->slots if there is no such process. */
size_t kernel_find(struct kernel *k, uint32_t pid);

/*
 * Accounts for one read() that has walked mappings of the process in SLOT. It cost about COST_NS of
 * CPU (random variation is added), held the lock for HOLD_NS, and would have held it for LARGEST_NS
 * for the largest mapping alone.
 */
void kernel_walk(struct kernel *k, size_t slot, double cost_ns, double hold_ns, double largest_ns);

#endif
