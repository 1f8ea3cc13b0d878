/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot for tests: few rows, but one of every kind that a reader has to get right. Names that
 * strangers chose (escapes, quotes, backslashes, CJK, U+FFFD), absent quantities, processes that could
 * not be measured, a shared address space, things kept without members, "(other)" rows, a histogram, holdings, and a
 * balance sheet whose residual is negative.
 *
 * Sums follow from the processes by the plainest arithmetic, so that what must add up does: each
 * quantity over users, over programs, over units and of the host, with and without "(other)".
 */
#ifndef MEMTALLY_TESTS_UNIT_SAMPLE_H
#define MEMTALLY_TESTS_UNIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/builder.h"
#include "snapshot/view.h"

/* What differs from test to test; all zero is good, too. */
struct sample_options {
	uint64_t sequence;    /* 0: SAMPLE_SEQUENCE */
	uint64_t realtime_ns; /* when the pass was complete; 0: SAMPLE_REALTIME_NS */
	uint64_t boottime_ns; /* the same moment; 0: SAMPLE_BOOTTIME_NS */
	uint64_t interval_ns; /* 0: SAMPLE_INTERVAL_NS; stale after three of them */
	uint64_t userns;      /* 0: USERNS_INITIAL */
	bool is_public;       /* the image without processes */
	bool is_exact;        /* of exact mode */
	bool is_estimated;    /* SAMPLE_ESTIMATED is, SAMPLE_GUESSED was never measured */
	bool is_blocked;      /* SAMPLE_BLOCKED is, by 2 reads, for 22 minutes */
	bool is_measured;     /* without the processes that could not be measured: complete */
	bool is_hidden;       /* /proc hides processes from memtallyd */
	uint32_t more;        /* plain processes besides, of 100 users and 100 programs */
	uint32_t exported;    /* so many of these have series of their own */
	bool is_restricted;   /* /proc hides users' processes from others */
	bool by_login;        /* users are by loginuid */
	bool is_moving;       /* each of these has .sequence % SAMPLE_CYCLE KiB more */
	bool is_unsurveyed;   /* there was no survey of files */
};

enum {
	SAMPLE_SEQUENCE = 42,
	SAMPLE_PROCESSES = 16,      /* rows of processes, without options */
	SAMPLE_FIRST_MORE = 100000, /* pid of the first of .more */
	SAMPLE_ESTIMATED = 1000,    /* pids with .is_estimated: measured 271 s ago, */
	SAMPLE_GUESSED = 2001,      /* and never */
	SAMPLE_BLOCKED = 1003,      /* pid with .is_blocked, measured 271 s ago */
	SAMPLE_CYCLE = 1000,
	SAMPLE_IN_POD = 2000, /* pids of processes in a container, and in a machine */
	SAMPLE_IN_MACHINE = 2100,
	SAMPLE_WITHOUT_GROUP = 4242, /* uid of the processes without a known group */
	SAMPLE_GID = 100,            /* of all others but root, whose is 0 */
	SAMPLE_FILES = 5,
};

#define SAMPLE_REALTIME_NS UINT64_C(1700000000123000000) /* 2023-11-14T22:13:20.123Z */
#define SAMPLE_BOOTTIME_NS UINT64_C(5000000000000)
#define SAMPLE_INTERVAL_NS UINT64_C(10000000000)
#define SAMPLE_MACHINE     "db-1"
#define SAMPLE_POD         "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define SAMPLE_CONTAINER   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SAMPLE_INSTANCE    "000102030405060708090a0b0c0d0e0f"

/* Adds the sample's rows to B, after builder_begin(). -ENOMEM. */
int sample_add(struct builder *b, const struct sample_options *options);

/* Seals the sample into a memfd, which the caller owns. OPTIONS may be NULL. */
int sample_seal(const struct sample_options *options, int *ret_fd);

/* The sample, opened, for the caller to unref. A failure ends the program: it is the test's own. */
struct view *sample_open(const struct sample_options *options);

#endif
