/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tally: sums of process rows for the owners of each kind and for the host, by the rules of
 * snapshot/sums.h, and counters that continue from pass to pass. Pure.
 *
 * A membership is a combination of owners. Each process is added only to the sum of its membership.
 * At the end of a pass the sum of each membership is added to all of its owners, so more kinds of
 * owners do not make a process more expensive.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_OWNER_SUMS_H
#define MEMTALLY_COLLECTORS_OWNERS_OWNER_SUMS_H

#include "collectors/owners/owner-table.h"
#include "collectors/process/process.h"
#include "snapshot/metric.h"

struct owner_sums {
	struct owner_table table[OWNER_KINDS]; /* by enum owner_kind */
	struct owner_table memberships;        /* keys are struct membership */
	struct scope other[OWNER_KINDS];       /* "(other)": the owners that are not exported */
	struct scope host;
	uint64_t last_ns; /* CLOCK_MONOTONIC of the last pass's end; 0: no pass yet */
	bool is_single;   /* there is no later pass: snapshots have no counters */
	/* the pass has read the activities of its processes (activity.h); snapshots show those of
	 * namegroups */
	bool has_activity;
	uint64_t ns_per_tick; /* of the CPU times of activities */
	uint64_t most; /* bytes: upper bound of the sum of all processes, for the last pass */
};

/* The owners of a process, and their cgroups, by enum owner_kind. */
struct membership {
	uint32_t owner[OWNER_KINDS];
	uint32_t cgroup[OWNER_KINDS]; /* slots of memcg-charges.h, or MEMCG_CHARGES_NO_CGROUP */
};

/* Returns the membership in slot MEMBERSHIP. */
static inline const struct membership *owner_sums_membership(
	const struct owner_sums *t, uint32_t membership)
{
	return (const void *)owner_table_at(&t->memberships, membership)->key;
}

/* Returns the slots of its owners, by enum owner_kind. */
static inline const uint32_t *owner_sums_owners(const struct owner_sums *t, uint32_t membership)
{
	return owner_sums_membership(t, membership)->owner;
}

/*
 * Finds or adds the membership M and sets *RET_MEMBERSHIP to its slot. owner_sums_tidy() removes it
 * if it has no members in a pass. Returns 0 or -ENOMEM.
 */
int owner_sums_join(struct owner_sums *t, const struct membership *m, uint32_t *ret_membership);

/* Initializes T. CREATED_NS: CLOCK_REALTIME from which the counters count. */
void owner_sums_init(struct owner_sums *t, uint64_t created_ns);
void owner_sums_done(struct owner_sums *t);

/*
 * Begins a pass: empties the sums. Owners that are added during the pass get CREATED_NS
 * (CLOCK_REALTIME).
 */
void owner_sums_begin(struct owner_sums *t, uint64_t created_ns);

/*
 * Adds ROW of the process P to the sum of P's membership, which must be set. GROWTH is what
 * growth_take() returned for it.
 */
void owner_sums_add(struct owner_sums *t, const struct process *p,
	const struct snapshot_process *row, const struct growth_step *growth);

/*
 * Ends the sums of a pass at NOW_NS (CLOCK_MONOTONIC): adds memberships to owners, and computes
 * derived quantities and integrals. High bounds are lowered to MOST, the bytes that all processes
 * can have together (but not below the sum itself). The host's low bound is raised to LEAST.
 * Afterwards .sums of each owner are as a snapshot shows them, with counters.
 */
void owner_sums_end(struct owner_sums *t, uint64_t now_ns, uint64_t least, uint64_t most);

/*
 * Removes the memberships without members. Call it when no process has the slot of such a
 * membership any more (membership_drop()).
 */
void owner_sums_tidy(struct owner_sums *t);

/* Makes .other of KIND the sum of the owners that are not exported, and adds to its counters. */
void owner_sums_sum_other(struct owner_sums *t, enum owner_kind kind);

#endif
