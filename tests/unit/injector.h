/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls and allocations that fail on demand, in the whole of a process: those that libraries make, too. A test runs
 * the same work with its first, second ... call failing until none fails any more, as in allocation.h; or arms the
 * injector of a daemon that it has forked.
 *
 *     injector_open(); ... fork ... injector_enter(); work      |  injector_arm(INJECTOR_CALLS, n, 0); ... injector_end()
 *
 * A filter (seccomp) has the C library's own system calls raise SIGSYS, whose handler makes them or does not: nothing has to
 * be linked in another way, and what a sanitizer does for itself is left alone. Calls that can't fail, or of which
 * nobody could bear that they do (of clocks, signals, futexes), are not counted.
 */
#ifndef MEMTALLY_TESTS_UNIT_INJECTOR_H
#define MEMTALLY_TESTS_UNIT_INJECTOR_H

#include <stdbool.h>

enum injector_kind {
	INJECTOR_CALLS,
	INJECTOR_ALLOCATIONS,
	INJECTOR_READS, /* read() and pread() of regular files and of /proc: EIO */
};

/* Each call fails in so many ways: with errors that the kernel really gives for it. Allocations know one. */
enum { INJECTOR_WAYS = 3 };

/* Before a fork, so that both sides share what is armed; and before all else. False: out of memory. */
bool injector_open(void);

/*
 * From now on what this process calls is counted; not what its children do. There is no way back. False: it can't be done,
 * as on another architecture, under valgrind, or without seccomp.
 *
 * In the test program itself: in main(), and again as each test begins, for which cmocka takes the signal for itself.
 */
bool injector_enter(void);

/* Whether injector_enter() would do, tried in a child; if not, it says SKIP. */
bool injector_works(void);

/* The NTH call or allocation from now on fails, once, in one of its ways. */
void injector_arm(enum injector_kind kind, unsigned int nth, unsigned int way);

/* The same, but so many TIMES in a row, whatever they are. */
void injector_arm_many(
	enum injector_kind kind, unsigned int nth, unsigned int times, unsigned int way);

/*
 * From now on each read() and pread() of a regular file, or of /proc, returns at most MOST bytes: 1, 2 ... MOST, 1, 2 and so on.
 * 0: as many as there are.
 */
void injector_shorten(unsigned int most);

/* Whether the one that is to fail has been reached. */
bool injector_has_struck(void);

/* Back to normal; whether it has been reached. */
bool injector_end(void);

/* What comes until injector_go_on() is the test's own, and does not count. */
void injector_hold(void);
void injector_go_on(void);

/* Calls or allocations since injector_arm(). */
unsigned int injector_count(void);

/* All rounds of some work, in each of which it fails at another place, and at so many TIMES behind it. */
struct injector_sweep {
	enum injector_kind kind;
	unsigned int times;

	/*
	 * One of so many places at which it begins, in turns in one way and another. The long check has all places, and all
	 * ways at each.
	 */
	unsigned int step;

	/* One round: arms the injector, works, and judges. False: there are not so many places. */
	bool (*round)(const struct injector_sweep *sweep, unsigned int nth, unsigned int way);
	void *context; /* ROUND's own */
};

/* For rounds that have all places in the short check, too: 1, or STEP below sanitizers, where each takes many times as long. */
unsigned int injector_step(unsigned int step);

/* How many places there are, more or less a step; printed, too. */
unsigned int injector_run(const struct injector_sweep *sweep);

/* "the 17th call, openat: Too many open files", for whom a test fails for; until the next one. */
const char *injector_text(void);

#endif
