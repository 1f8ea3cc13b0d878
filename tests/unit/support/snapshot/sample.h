/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample snapshot with few rows, but one of every kind that readers must handle: names chosen by
 * users (escapes, quotes, backslashes, CJK, U+FFFD), absent quantities, processes that could not
 * be measured, a shared address space, rows without members, "(other)" rows, a histogram,
 * holdings, and a balance sheet with a negative residual.
 *
 * Sums are computed from the processes, so each quantity has the same sum over users, programs and
 * units, with and without "(other)", and equals the host's.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SAMPLE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/builder.h"
#include "snapshot/view.h"

/* Differences between tests. All zero is valid. */
struct sample_options {
	uint64_t sequence;    /* 0: SAMPLE_SEQUENCE */
	uint64_t realtime_ns; /* wall-clock time of the end of the pass; 0: SAMPLE_REALTIME_NS */
	uint64_t boottime_ns; /* the same time by CLOCK_BOOTTIME; 0: SAMPLE_BOOTTIME_NS */
	/* 0: SAMPLE_INTERVAL_NS; the snapshot is stale after three intervals */
	uint64_t interval_ns;
	uint64_t userns;   /* 0: USERNS_INITIAL */
	bool is_brief;     /* of a brief pass */
	bool is_public;    /* the public image, without processes */
	bool is_exact;     /* of an exact pass */
	bool is_estimated; /* SAMPLE_ESTIMATED is estimated, SAMPLE_GUESSED guessed */
	bool is_blocked;   /* 2 reads of SAMPLE_BLOCKED have blocked for 22 minutes */
	bool is_measured;  /* without the processes that could not be measured */
	bool is_hidden;    /* /proc hides processes from memtallyd */
	uint32_t more;     /* number of additional plain processes, of 100 users and 100 programs */
	uint32_t exported; /* how many of .more have series of their own */
	bool is_unexported; /* processes have no series of their own, but those of .exported */
	bool is_restricted; /* /proc hides processes from other users */
	bool by_login;      /* processes count for their loginuid */
	bool is_moving;     /* each of .more has .sequence % SAMPLE_CYCLE more KiB */
	bool is_unsurveyed; /* without a survey of mapped files */
	/* process I of .more has I * .sequence * this more KiB, counted from 0 */
	uint32_t growth_kib;
	uint64_t older_ns; /* by this longer processes have been seen and have run */
};

enum {
	SAMPLE_SEQUENCE = 42,
	SAMPLE_PROCESSES = 16,      /* number of process rows without options */
	SAMPLE_FIRST_MORE = 100000, /* pid of the first of .more */
	SAMPLE_ESTIMATED = 1000,    /* pids with .is_estimated: measured 271 s ago, */
	SAMPLE_GUESSED = 2001,      /* and never measured */
	SAMPLE_BLOCKED = 1003,      /* pid with .is_blocked, measured 271 s ago */
	SAMPLE_CYCLE = 1000,
	SAMPLE_IN_POD = 2000, /* pids of processes in a container and in a machine */
	SAMPLE_IN_MACHINE = 2100,
	SAMPLE_WITHOUT_GROUP = 4242, /* uid of the processes with an unknown group */
	SAMPLE_GID = 100,            /* of all other processes; root's is 0 */
	SAMPLE_FILES = 5,
};

#define SAMPLE_REALTIME_NS UINT64_C(1700000000123000000) /* 2023-11-14T22:13:20.123Z */
#define SAMPLE_BOOTTIME_NS UINT64_C(5000000000000)
#define SAMPLE_INTERVAL_NS UINT64_C(10000000000)
#define SAMPLE_MACHINE     "db-1"
#define SAMPLE_POD         "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
#define SAMPLE_CONTAINER   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SAMPLE_INSTANCE    "000102030405060708090a0b0c0d0e0f"

/* Adds the sample's rows to B, after builder_begin(). Returns 0 or -ENOMEM. */
int sample_add(struct builder *b, const struct sample_options *options);

/*
 * Seals the sample into a memfd, which the caller owns. OPTIONS may be NULL. Returns 0 or a
 * negative errno.
 */
int sample_seal(const struct sample_options *options, int *ret_fd);

/*
 * Sends the sample over SOCKET, as memtallyd sends a snapshot. Returns 0, or an error of
 * sample_seal() or channel_send_fd().
 */
int sample_send(int socket, const struct sample_options *options);

/*
 * Returns a view of the sample; the caller unrefs it. Exits with status 99 if the view cannot be
 * made, which is a fault of the test.
 */
struct view *sample_open(const struct sample_options *options);

#endif
