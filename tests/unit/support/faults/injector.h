/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls and allocations that fail on demand
 *
 * Works in the whole process, libraries included. A test runs the same work with its first, second,
 * ... call failing until no call fails, as in allocation.h; or it arms the injector of a daemon
 * that it has forked:
 *
 *     injector_open(); ... fork ... injector_enter(); work      |  injector_arm(INJECTOR_CALLS, n, 0); ... injector_end()
 *
 * A seccomp filter makes system calls from the C library's code raise SIGSYS. The handler makes the
 * call, or fails it. So no test needs to be linked in another way, and calls of a sanitizer are not
 * affected. Calls that cannot fail are not counted, nor are calls that no program can do without
 * (clocks, signals, futexes).
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_INJECTOR_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_FAULTS_INJECTOR_H

#include <stdbool.h>

enum injector_kind {
	INJECTOR_CALLS,
	INJECTOR_ALLOCATIONS,
	INJECTOR_READS, /* read() and pread() of regular files, /proc included: EIO */
};

/*
 * How many errors each call can fail with, all of which the kernel really returns. Allocations have
 * one.
 */
enum { INJECTOR_WAYS = 3 };

/*
 * Call before anything else, and before a fork, so that parent and child share the state. Returns
 * false if out of memory.
 */
bool injector_open(void);

/*
 * Counts and fails the calls of this process from now on, not those of its children. This cannot be
 * undone. Returns false if it is not possible: on other architectures than x86-64 and aarch64,
 * under valgrind, or without seccomp.
 *
 * A test program that injects into itself calls it in main(), and again at the start of each test,
 * because cmocka takes over the signal.
 */
bool injector_enter(void);

/* Tries injector_enter() in a child. Returns true if it works; prints SKIP if not. */
bool injector_works(void);

/* Makes the NTH call or allocation from now on fail, once, with its error number WAY. */
void injector_arm(enum injector_kind kind, unsigned int nth, unsigned int way);

/* Makes the NTH and the following ones fail, TIMES in all. */
void injector_arm_many(
	enum injector_kind kind, unsigned int nth, unsigned int times, unsigned int way);

/*
 * Makes each read() and pread() of a regular file, /proc included, return at most 1, 2, ... MOST,
 * 1, 2, ... bytes in turn. 0: no limit.
 */
void injector_shorten(unsigned int most);

/* Returns true if a call or allocation has failed on demand since injector_arm(). */
bool injector_has_struck(void);

/* Disarms the injector. Returns true if a call or allocation has failed on demand. */
bool injector_end(void);

/* Between these two, calls are the test's own and are not counted. */
void injector_hold(void);
void injector_go_on(void);

/*
 * Returns the number of calls or allocations since injector_arm(), up to the last one that was to
 * fail: counting stops there.
 */
unsigned int injector_count(void);

/*
 * Repeats some work, each time with the failure at another position. .times is for the round
 * function: how many calls in a row fail.
 */
struct injector_sweep {
	enum injector_kind kind;
	unsigned int times;

	/*
	 * The short check tries every STEPth position, with another error each time. The long check
	 * tries every position with every error.
	 */
	unsigned int step;

	/*
	 * Runs one round: arms the injector, does the work, checks the result. Returns false if the
	 * work has fewer than NTH calls.
	 */
	bool (*round)(const struct injector_sweep *sweep, unsigned int nth, unsigned int way);
	void *context; /* for the round function */
};

/*
 * For rounds that try every position in the short check, too: returns 1, or STEP under sanitizers,
 * where each takes many times as long.
 */
unsigned int injector_step(unsigned int step);

/* Runs all rounds. Returns, and prints, the number of positions, exact to within a step. */
unsigned int injector_run(const struct injector_sweep *sweep);

/*
 * Returns what failed, for failure messages: "call 17, openat: Too many open files". Static; the
 * next call overwrites it.
 */
const char *injector_text(void);

#endif
