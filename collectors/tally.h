/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tally: rows of processes summed up by owners of each kind and for the host, by the rules of
 * snapshot/sums.h, and the counters that go on from pass to pass. Pure.
 *
 * A process is added to one sum: that of its membership, those who have all of their owners in common. What each has
 * summed up goes to all of its owners at the end, so that more kinds of owners cost a process nothing.
 */
#ifndef MEMTALLY_COLLECTORS_TALLY_H
#define MEMTALLY_COLLECTORS_TALLY_H

#include "collectors/process.h"
#include "collectors/scopes.h"
#include "snapshot/metric.h"

struct tally {
	struct scopes table[OWNER_KINDS]; /* by enum owner_kind */
	struct scopes memberships;        /* by slots of those tables */
	struct scope other[OWNER_KINDS];  /* "(other)": what is not exported */
	struct scope host;
	uint64_t last_ns; /* CLOCK_MONOTONIC of the last pass's end; 0: there was none */
	uint64_t most;    /* bytes that there are for all together, as of that */
};

/* What members have in common, by enum owner_kind: the slots of their owners, and of the cgroups that these are. */
struct membership {
	uint32_t owner[OWNER_KINDS];
	uint32_t cgroup[OWNER_KINDS]; /* of charges.h, or CHARGES_NO_CGROUP */
};

/* What those who have MEMBERSHIP have in common. */
static inline const struct membership *tally_membership(const struct tally *t, uint32_t membership)
{
	return (const void *)scopes_at(&t->memberships, membership)->key;
}

/* The slots of their owners, by enum owner_kind. */
static inline const uint32_t *tally_owners(const struct tally *t, uint32_t membership)
{
	return tally_membership(t, membership)->owner;
}

/* The membership of those who have M in common. One that has no member at the end of a pass is removed. -ENOMEM. */
int tally_join(struct tally *t, const struct membership *m, uint32_t *ret_membership);

/* CREATED_NS: CLOCK_REALTIME, from which the counters count. */
void tally_init(struct tally *t, uint64_t created_ns);
void tally_done(struct tally *t);

/* Empties the sums. Rows made during the pass get CREATED_NS. */
void tally_begin(struct tally *t, uint64_t created_ns);

/* Adds ROW, of a member P, whose membership is set, and what growth_take() returned for it. */
void tally_add(struct tally *t, const struct process *p, const struct snapshot_process *row,
	const struct growth_step *growth);

/*
 * Closes the sums at NOW_NS (CLOCK_MONOTONIC): derived quantities, integrals, and no upper bound
 * above MOST, what the host has for all of them, nor the host's lower one below LEAST. Afterwards the rows' .sums are what a snapshot
 * shows, counters included.
 */
void tally_end(struct tally *t, uint64_t now_ns, uint64_t least, uint64_t most);

/* Removes memberships without members. Whoever holds the slot of one is none. */
void tally_tidy(struct tally *t);

/* Makes OTHER of KIND the sum of the rows that are not exported, and feeds its counters. */
void tally_sum_other(struct tally *t, enum owner_kind kind);

#endif
