/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Membership: the owner of each kind that a process belongs to. The tally adds the process to all
 * of them.
 *
 * A process holds the slot of a membership (struct process). A process that is no member of the
 * pass must hold none: memberships without members are removed and their slots reused.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_MEMBERSHIP_H
#define MEMTALLY_COLLECTORS_OWNERS_MEMBERSHIP_H

#include "collectors/owners/memcg-charges.h"
#include "collectors/owners/owner-sums.h"
#include "collectors/owners/owner-table.h"
#include "collectors/process/process.h"

/*
 * Sets P's membership from S, a sample of P as a member of this pass. READER has P's program name
 * if S.is_renamed is set, and its cgroup if S.has_cgroup is set. Adds the cgroups of its owners to
 * C. Does nothing if the owners are those of the last sample.
 *
 * Returns 0, or -ENOMEM. After -ENOMEM the names that READER holds may be lost, so call
 * membership_drop().
 */
int membership_set(struct owner_sums *t, struct memcg_charges *c,
	const struct process_reader *reader, struct process *p, const struct sample *s);

/* Makes SLOT of OWNER_NAMEGROUP the group of P, which has a membership. Returns 0 or -ENOMEM. */
int membership_set_namegroup(struct owner_sums *t, struct process *p, uint32_t slot);

/*
 * Takes P's membership away, and makes the next sample read all names again. Call it if P is no
 * member of the pass, or if its names must be read again.
 */
void membership_drop(struct process *p);

#endif
