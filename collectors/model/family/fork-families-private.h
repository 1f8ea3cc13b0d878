/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of fork-families.h: the families and their members (fork-family.c), what
 * births, exits and copy-on-write breaks mean for one member (family-effect.c), and conclusions
 * from the measurement of one member (family-findings.c). Only they and tests include it.
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
#include "collectors/model/family/cow-suspected.h"
#include "collectors/model/family/fork-effect.h"
#include "collectors/model/family/fork-families.h"
#include "collectors/model/family/unlisted-sharers.h"

/* The difference between a member's measurement and its guess; valid until the next event. */
struct family_correction {
	/* births and exits between the former measurement, on which the guess is based, and this
	 * one */
	uint64_t events;
	/* time of the measurement; corrects members that were measured earlier; 0: there is none */
	uint64_t at_ns;
	uint32_t anon, file;
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
	struct cow_suspected suspicion;
	struct unlisted_sharers unlisted;
	/* bytes that newborns write before they are measured; a fading mean */
	uint64_t soon_written;
	uint64_t oldest_ns; /* the oldest measurement of a member, as of the last count */
	/* begin of the pass in which .ended and the next exits were noticed */
	uint64_t deaths_ns;
	/* departures (by exit, exec or to another family) that were not counted yet */
	uint32_t deaths;
	uint32_t late_deaths; /* such departures after all processes were polled in that pass */
	/* the last measurement of any process before the last of .late_deaths */
	uint64_t late_ns;
	/* of .deaths and .late_deaths, members that are in another family now */
	uint32_t moved;
	uint32_t ended;   /* departures of this pass by exit or exec */
	uint32_t count;   /* members */
	uint32_t leaving; /* of .count, see families_leaves() */
	bool is_dirty;
};

/* Frees the families, which have no members any more. Only for families_done(). */
void family_free_all(struct families *k);

/*
 * Makes M, which has no key, a member of the family of KEY, or the only process with KEY. Returns
 * 0, or -ENOMEM: then M has no key.
 */
int family_join(struct families *k, struct family_member *m, uint64_t key);

/*
 * Gives M, the only process with its key, a family of its own, which it keeps. Returns 0, or
 * -ENOMEM: then it has none.
 */
int family_found(struct families *k, struct family_member *m);

/*
 * Takes M out of its family, if it has one, and from its parent. HAS_ENDED: M has exited or
 * executed another program; else it goes to another family.
 */
void family_leave(struct families *k, struct family_member *m, bool has_ended);

/*
 * Marks F, which an event has affected: family_next() counts it once more. Does nothing if F is
 * marked already.
 */
void family_mark(struct families *k, struct fork_family *f);

/*
 * Counts the next marked family. *RET_FIRST becomes its first member; NULL: it is empty. Returns
 * false if no family is marked.
 */
bool family_next(struct families *k, struct family_member **ret_first);

/*
 * Returns the events since M's measurement BASE, as of the last families_affected(), with the
 * corrections that apply to M.
 */
struct fork_effect family_effect_of(
	const struct family_member *m, const struct estimate_base *base);

/*
 * Returns true if M was forked from a known member and measured less than 250 ms after its birth:
 * it may still have been copying the pages that newborns copy.
 */
bool families_is_newborn(const struct family_member *m);

/* Returns the number of births and exits in C. */
uint64_t family_effect_events(const struct share_count_change *c);

/*
 * Call before M's counts are set to its measurement at NOW_NS. Compares the measurement FOUND with
 * the guess from the former base BEFORE; the difference corrects the guesses for members with the
 * same events. There is no correction if no births or exits happened, if any of those born are M's
 * own children, if M shares too little, or if FOUND implies sharers that will soon be gone: the
 * correction would outlast them.
 */
void family_findings_tell(struct families *k, struct family_member *m,
	const struct estimate_base *before, const struct estimate_base *found, uint64_t now_ns);

/*
 * Call after M's counts are set. Notes in M and its family which unlisted sharers the measurement
 * FOUND implies, and that M's PSS will change when exited ones have freed their memory. If M has no
 * family and some of these sharers are lasting, founds one. Returns 0, or -ENOMEM: then nothing is
 * noted.
 */
int family_findings_count(
	struct families *k, struct family_member *m, const struct estimate_base *found);

#endif
