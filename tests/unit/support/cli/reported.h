/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of memtallyd's own figures, for tests of the report on memtallyd. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_REPORTED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_REPORTED_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/view.h"

enum { REPORTED_UP_S = 7375 };

/* How the snapshot differs from that of a typical host. All zero is valid. */
struct reported {
	bool is_exact, is_young, is_public;
	bool is_whole; /* adaptive mode, and the pass measured every process */
	double needed, pressure;
	double recent;    /* CPU use as a fraction of one core; 0: 0.25 % */
	uint64_t span_ms; /* span of .recent; 0: 65 s */
	uint64_t denied, failed, guessed, holds_above;
	/* blocked processes, with twice as many blocked reads, the oldest for about 22 minutes */
	uint64_t blocked;
	uint64_t waiting, pressed, backlog_s; /* .backlog_s 0: unknown */
	unsigned int holds;                   /* index of the bucket that has all hold times */
	bool is_wrong;                        /* every estimate was outside all error bounds */
	uint64_t scale;                       /* factor for the counts of observations; 0: 1 */
	uint64_t low_mib, high_mib, interval_ms, up_s; /* .up_s 0: REPORTED_UP_S */
	uint64_t longest_ms;  /* longest time without a measurement; 0: unknown */
	uint64_t stretched_s; /* the interval after stretching by the CPU budget; 0: 10 s */
	bool is_tried, disturbs;
	uint32_t flags;
};

/* Returns a view of the snapshot, taken 100 s after boot. If it cannot be made, the test fails. */
struct view *reported_open(const struct reported *c);

#endif
