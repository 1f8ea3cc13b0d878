/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of fork-families.h: the families and their members (fork-families.c), the
 * counts of births and exits (family-count.c), and what events and measurements mean for members
 * (family-effect.c). Only they and tests include it.
 *
 * A process without relatives has no family: most have none, and a family costs as much memory as a
 * process.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_FAMILIES_PRIVATE_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FORK_FAMILIES_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/counter-flow.h"
#include "collectors/model/family/cow-breaks.h"
#include "collectors/model/family/fork-effect.h"
#include "collectors/model/family/fork-families.h"

/* The difference between a member's measurement and its guess; valid until the next event. */
struct family_correction {
	/* births and exits between the former measurement, on which the guess is based, and this
	 * one */
	uint64_t events;
	/* time of the measurement; corrects members that were measured earlier; 0: there is none */
	uint64_t at_ns;
	uint32_t anon, file;
};

/*
 * Sharers beside the known members of a family, as earlier measurements have implied them. All
 * zeros: nothing is known.
 */
struct unlisted_sharers {
	/* the last pass with a measurement of the family, as its begin time; 0: none */
	uint64_t at_ns;
	/* lowest number of unlisted sharers, without lingering ones, that a measurement of that
	 * pass implied */
	uint32_t least;
	uint32_t lasting; /* .least as the pass before that one left it */
	/* a pass before that one had a measurement, too; else .lasting is not known */
	bool is_confirmed;
};

/* Numbers of unlisted sharers by kind. */
struct unlisted_sharers_found {
	/* exited in this pass and still freeing their pages: statm shows no memory any more, but
	 * freeing takes a millisecond for every few MiB (exit_mm() in Linux up to 6.18) */
	uint32_t lingering;
	uint32_t lasting; /* share all of the memory but have another address range: they stay */
	uint32_t unseen;  /* born since the list, and may exit before the next pass */
};

/*
 * Departures from a family (by exit, exec or to another family) that were not counted yet: .count
 * of them between .after_ns and .until_ns, .late of them between .until_ns and .late_ns
 * (CLOCK_BOOTTIME). A member that was measured in the same interval may have seen them or not.
 * .moved of all of them went to another family, and still share what they shared.
 */
struct family_deaths {
	uint32_t count, late, moved;
	uint64_t after_ns, until_ns, late_ns;
};

struct fork_family {
	uint64_t key; /* 0: out of the table; freed when it leaves the list */
	struct family_member *first, *last;
	struct fork_family *next_dirty;
	/* of the members with a known fork, the one that was measured last */
	struct family_member *voice;
	struct family_correction found;
	struct counter_flow flow; /* of all members so far */
	struct cow_breaks breaks;
	struct unlisted_sharers unlisted;
	/* bytes that newborns write before they are measured; a fading mean */
	uint64_t soon_written;
	uint64_t oldest_ns; /* the oldest measurement of a member, as of the last count */
	struct family_deaths deaths;
	/* begin of the pass in which .ended and the next departures were noticed */
	uint64_t deaths_ns;
	uint32_t ended;   /* departures of this pass by exit or exec */
	uint32_t count;   /* members */
	uint32_t leaving; /* of .count, see families_leaves() */
	bool is_dirty;
};

/*
 * Gives M, the only process with its key, a family of its own, which it keeps. Returns 0, or
 * -ENOMEM: then it has none.
 */
int family_found(struct families *f, struct family_member *m);

/* Marks FAMILY, which an event has affected: families_affected() will count it once more. */
void family_mark(struct families *f, struct fork_family *family);

/*
 * A birth counts for at most this many ancestors. A family does not have more generations between
 * two passes.
 */
enum { FAMILY_ANCESTRY_GENERATIONS = 8 };

/*
 * Returns when the first known process of M's lineage was born. The parent of that process is not
 * known.
 */
uint64_t family_ancestry_root_ns(const struct family_member *m);

/*
 * Returns the record of M, which has forked, for family_ancestry_use() by its children; NULL: out
 * of memory.
 */
struct family_ancestor *family_ancestry_begin(struct family_member *m);

/*
 * Adds a reference to A, which may be NULL: A is stored in a member's .ancestor, until
 * family_ancestry_leave() of that member. Returns A.
 */
struct family_ancestor *family_ancestry_use(struct family_ancestor *a);

/*
 * Makes the nearest ancestor of M that is still there its parent, in place of exited ones. Returns
 * the number of steps.
 */
uint64_t family_ancestry_settle(struct family_member *m);

/*
 * Returns M's parent as family_ancestry_settle() would set it; NULL if it is not known, has exited
 * without a known parent, or is behind more than FAMILY_ANCESTRY_GENERATIONS exited ones.
 */
struct family_member *family_ancestry_parent(const struct family_member *m);

/*
 * Drops the reference of M, which is gone or no longer a child of its parent, to its ancestor. Its
 * children find the ancestor by M's record, which stays until the last of them has left.
 */
void family_ancestry_leave(struct family_member *m);

/*
 * Counts births and exits for each member of FAMILY: sets .then to .unsure, .unseen, .gone and
 * .lasting of each, and .oldest_ns of FAMILY (UINT64_MAX: no member was measured), which has no
 * uncounted departures then. If memory runs out, it counts roughly, as if only missing members had
 * exited and all new ones were strays; the departures and .oldest_ns stay.
 */
void family_count_take(struct family_count *c, struct fork_family *family);

/*
 * Compares M's new measurement FOUND, at NOW_NS, with the guess from the former base BEFORE. M's
 * counts are still those of BEFORE. The difference corrects the guesses for members with the same
 * events. There is no correction if no births or exits happened, if any of those born are M's own
 * children, if M shares too little, or if FOUND implies sharers that will soon be gone: the
 * correction would outlast them.
 */
void family_findings_tell(struct families *f, struct family_member *m,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns);

/*
 * M's counts are those of its measurement FOUND. Notes in M and its family which unlisted sharers
 * FOUND implies, and that M's PSS will change when exited ones have freed their memory. If M has no
 * family and some of these sharers are lasting, founds one. Returns 0, or -ENOMEM: then nothing is
 * noted.
 */
int family_findings_count(
	struct families *f, struct family_member *m, const struct estimate_base *found);

/*
 * Sorts the unlisted sharers that a measurement implies. PASS_NS is when the pass began. SHARERS is
 * the implied number, the measured process included; KNOWN is the number of listed members; ENDED
 * is the number of members that exited so recently that they may linger. Returns the numbers of
 * each kind.
 */
struct unlisted_sharers_found unlisted_sharers_find(const struct unlisted_sharers *u,
	uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended);

/* Learns FOUND, the result of unlisted_sharers_find(), in the pass that began at PASS_NS. */
void unlisted_sharers_learn(
	struct unlisted_sharers *u, uint64_t pass_ns, const struct unlisted_sharers_found *found);

/*
 * Returns how many of the LASTING sharers that a measurement implied later measurements do not
 * imply any more.
 */
uint32_t unlisted_sharers_lost(const struct unlisted_sharers *u, uint32_t lasting);

#endif
