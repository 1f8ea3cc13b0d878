/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes over a tree (tree.h) with a few processes that are measured in the first of them: what the tests of
 * each part of such a pass begin with.
 */
#ifndef MEMTALLY_TESTS_UNIT_ADAPTIVE_H
#define MEMTALLY_TESTS_UNIT_ADAPTIVE_H

#include "base/cleanup.h"
#include "collectors/pass-state.h"
#include "snapshot/view.h"
#include "tests/unit/tree.h"

/* What processes open in a pass, by file. */
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
	struct tree_event opened[OPENED_FILES]; /* since the last pass began, or adaptive_turns() */
};

/* Who is there: a kernel thread, and four that share a little. */
enum {
	ADAPTIVE_CAST = 5,
	ADAPTIVE_PSS_KIB = 2001 + 2002 + 1503 + 64004, /* of all */
};
extern const struct tree_process adaptive_cast[ADAPTIVE_CAST];

/* Others that a test may add: one of 8 GiB, and a worker that shares 9000 of its 10000 KiB with one other. */
extern const struct tree_process adaptive_large, adaptive_worker;

/* With the cast in its tree and no pass yet. A failure of any of these functions fails the test. */
struct adaptive *adaptive_new(const struct pass_options *with);
struct adaptive *adaptive_new_within(uint64_t max_age_ns); /* else with run_adaptive */
void adaptive_done(struct adaptive **s);
#define AUTO_ADAPTIVE CLEANUP(adaptive_done)

/*
 * P, with a statm as the kernel prints it of a process whose status has no parts: what is not private is of files.
 * It has MORE_PAGES resident than P says.
 */
void adaptive_add(struct adaptive *s, const struct tree_process *p, uint64_t more_pages);

/* P, with a statm that says: all of it is anonymous. */
void adaptive_add_anon(struct adaptive *s, const struct tree_process *p);

/* COUNT mappings that make up P's memory, in maps and in smaps. */
void adaptive_add_mappings(struct adaptive *s, const struct tree_process *p, unsigned int count);

/* A pass, and what it has published. */
struct view *adaptive_pass(struct adaptive *s);

/* The same, instead of *VIEW. */
void adaptive_again(struct adaptive *s, struct view **view);

/* How many of status were read, beside our own, which every pass reads. */
unsigned int adaptive_looks(const struct adaptive *s);

/* Plans, for a next pass in SECONDS. */
void adaptive_plan(struct adaptive *s, unsigned int seconds);

/* Takes a turn; of slices when their pause is over. False: there is none. */
bool adaptive_turn(struct adaptive *s);

/* Plans, and takes all turns there are; their number. */
unsigned int adaptive_turns(struct adaptive *s);

/* PID's, which there is. */
const struct snapshot_process *adaptive_row(const struct view *view, uint32_t pid);

/* ROW says of P what was measured, and no more. */
void adaptive_assert_quiet(const struct snapshot_process *row, const struct tree_process *p);

#endif
