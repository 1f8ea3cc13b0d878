/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes over a simulated /proc
 *
 * A simulated /proc (tree.h) with a few processes, and a pass in adaptive mode over it. The first
 * pass measures them all. Tests of each part of an adaptive pass start from here. The clock is
 * simulated (adaptive.c).
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_ADAPTIVE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_ADAPTIVE_H

#include "base/cleanup.h"
#include "collectors/pass/pass-private.h"
#include "snapshot/view.h"
#include "tests/unit/support/tree/tree.h"

/* The files of a process for which open() calls are counted. */
enum adaptive_file {
	OPENED_ROLLUP,
	OPENED_STATUS,
	OPENED_STAT,
	OPENED_STATM,
	OPENED_CGROUP,
	OPENED_FILES,
};

struct adaptive {
	struct tree tree;
	struct pass *pass;
	/* open() calls since the last pass began, or since adaptive_turns() began */
	struct tree_event opened[OPENED_FILES];
};

/* The processes of the tree: a kernel thread, and four processes that share a little memory. */
enum {
	ADAPTIVE_CAST = 5,
	ADAPTIVE_PSS_KIB = 2001 + 2002 + 1503 + 64004, /* sum of all */
};
extern const struct tree_process adaptive_cast[ADAPTIVE_CAST];

/*
 * Processes that a test may add: one of 8 GiB, and a worker of 10000 KiB that shares 9000 KiB with
 * one other process.
 */
extern const struct tree_process adaptive_large, adaptive_worker;

/*
 * Returns a tree that holds adaptive_cast, with a pass of options WITH that has not run yet. Any
 * failure in a function of this file fails the test.
 */
struct adaptive *adaptive_new(const struct pass_options *with);
/* As adaptive_new(), with run_adaptive but for this maximum age (ns). */
struct adaptive *adaptive_new_within(uint64_t max_age_ns);
void adaptive_done(struct adaptive **s);
#define AUTO_ADAPTIVE CLEANUP(adaptive_done)

/*
 * Adds P to the tree. Its statm is as the kernel prints it if status has no RssAnon: the shared
 * part of P's RSS (RSS less USS) counts as file pages. statm reports MORE_PAGES more resident pages
 * than P has.
 */
void adaptive_add(struct adaptive *s, const struct tree_process *p, uint64_t more_pages);

/* Adds P to the tree, with a statm that reports all of its memory as anonymous. */
void adaptive_add_anon(struct adaptive *s, const struct tree_process *p);

/* Adds maps and smaps for P, in which COUNT equal mappings make up its memory. */
void adaptive_add_mappings(struct adaptive *s, const struct tree_process *p, unsigned int count);

/* Runs a pass. Returns the published image; the caller unrefs it. */
struct view *adaptive_pass(struct adaptive *s);

/* Runs a pass, and replaces *VIEW by the published image. */
void adaptive_again(struct adaptive *s, struct view **view);

/*
 * Returns how many processes the last pass refreshed: how many times it opened a status file, not
 * counting memtallyd's own, which every pass reads.
 */
unsigned int adaptive_looks(const struct adaptive *s);

/* Plans the measurements until the next pass, which begins in SECONDS. */
void adaptive_plan(struct adaptive *s, unsigned int seconds);

/*
 * Makes the next planned measurement, or the next slice of one after the pause between slices.
 * Returns false if none is planned.
 */
bool adaptive_turn(struct adaptive *s);

/*
 * Plans, and makes all planned measurements. Returns how many calls of adaptive_turn() that took.
 */
unsigned int adaptive_turns(struct adaptive *s);

/* Returns the row of PID; fails the test if there is none. */
const struct snapshot_process *adaptive_row(const struct view *view, uint32_t pid);

/*
 * Fails unless ROW shows exactly the measured figures of P, with bounds no wider than rounding (1
 * KiB).
 */
void adaptive_assert_quiet(const struct snapshot_process *row, const struct tree_process *p);

#endif
