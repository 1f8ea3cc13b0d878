/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot for tests of the report on memtallyd.
 */
#ifndef MEMTALLY_TESTS_UNIT_REPORTED_H
#define MEMTALLY_TESTS_UNIT_REPORTED_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/view.h"

enum { REPORTED_UP_S = 7375 };

/* What a host of today looks like, and what becomes of the page where less is known. */
struct reported {
	bool is_exact, is_young, is_public;
	bool is_whole; /* adaptive, and the pass has measured all */
	double needed, pressure;
	double recent;    /* of one core; 0: 0.25 % */
	uint64_t span_ms; /* over which; 0: 65 s */
	uint64_t denied, failed, guessed, holds_above;
	uint64_t blocked; /* processes, and twice as many reads, for 22 minutes */
	uint64_t waiting, pressed, backlog_s;          /* .backlog_s 0: not known */
	unsigned int holds;                            /* the bucket that all are in */
	bool is_wrong;                                 /* no estimate was within any bound */
	uint64_t scale;                                /* of the observations; 0: 1 */
	uint64_t low_mib, high_mib, interval_ms, up_s; /* .up_s 0: REPORTED_UP_S */
	uint64_t longest_ms;                           /* without a measurement; 0: not known */
	uint64_t stretched_s; /* the interval, by the budget; 0: it is 10 s */
	bool is_tried, disturbs;
	uint32_t flags;
};

/* 100 s after boot. It fails the test where it can't be had. */
struct view *reported_open(const struct reported *c);

#endif
