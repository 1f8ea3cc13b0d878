/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel of a simulated host: its clocks, its processes by pid, and the books of what is spent on their
 * memory.
 *
 * Time passes as the caller says, and by what calls cost: CPU of the daemon's, the only thread that there is. On a loaded
 * machine it waits for other programs after each time slice. Whenever time passes, what is due on the host happens.
 * A walk of page tables holds the lock of its target for one read() of smaps or smaps_rollup.
 */
#ifndef MEMTALLY_TESTS_SIM_KERNEL_H
#define MEMTALLY_TESTS_SIM_KERNEL_H

#include "tests/sim/host.h"

struct kernel {
	struct host *host;
	uint64_t seed;
	uint64_t monotonic_ns, cpu_ns;
	uint64_t suspended_ns; /* by which CLOCK_BOOTTIME is ahead */
	int64_t wall_ns;       /* by which CLOCK_REALTIME is ahead of what it should be */
	uint64_t stall_ns;     /* holds above it are counted */
	double load; /* wall-clock time that the daemon's CPU time takes, as a multiple of it; at least 1 */
	uint64_t slice_ns;      /* CPU time since it has last waited for others */
	uint64_t next_event_ns; /* CLOCK_MONOTONIC of the next event; UINT64_MAX: there is none */
	void (*happen)(
		void *data); /* does what is due and sets .next_event_ns; NULL: nothing happens */
	void *data;          /* borrowed, of .happen */
	bool is_happening;
	double slowness;   /* of this host's walks */
	double noise;      /* of what a walk costs, as a part of it */
	uint32_t outliers; /* one walk in so many takes 20 times as long; 0: none */

	uint32_t *slot_of; /* by pid */
	size_t pids;

	/* Since kernel_restart_counts(). */
	uint64_t rollups, slices, slice_walks;
	uint64_t walks_ns;           /* CPU of them */
	uint64_t longest_read_ns;    /* CPU of one read() */
	uint64_t longest_hold_ns;    /* of those that need not have been so long */
	uint64_t stalls;             /* the same, above .stall_ns */
	uint64_t giant_holds;        /* above it, by a mapping that alone is */
	uint64_t least_giant_gap_ns; /* between two of these of one process; UINT64_MAX: none */
};

void kernel_init(struct kernel *k, struct host *h);
void kernel_done(struct kernel *k);

void kernel_restart_counts(struct kernel *k);

/* Time passes, in which the daemon does nothing. */
void kernel_pass_time(struct kernel *k, uint64_t ns);

/* The same, and nothing happens meanwhile on the host. */
void kernel_skip_time(struct kernel *k, uint64_t ns);

void kernel_suspend(struct kernel *k, uint64_t ns);

/* The daemon is busy. */
void kernel_use(struct kernel *k, uint64_t cpu_ns);

/* The slot of a living process; host->slots: there is none. */
size_t kernel_find(struct kernel *k, uint32_t pid);

/*
 * One read() has walked mappings of the process in SLOT, for COST_NS but for chance; it has held the lock for HOLD_NS of
 * them, and for the largest mapping alone would have for LARGEST_NS.
 */
void kernel_walk(struct kernel *k, size_t slot, double cost_ns, double hold_ns, double largest_ns);

#endif
