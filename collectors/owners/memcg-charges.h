/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charges: finds which owners are cgroups, decides in which order a pass reads these, and keeps the
 * last reading of each.
 *
 *     memcg_charges_get ... (owners of a process) -> memcg_charges_begin -> memcg_charges_step ... -> memcg_charges_end
 *
 * All figures of a cgroup are read together, so they have one age. Several owners may be one
 * cgroup, for example a container and its unit; it is read once.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_MEMCG_CHARGES_H
#define MEMTALLY_COLLECTORS_OWNERS_MEMCG_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/owners/owner-sums.h"
#include "collectors/owners/owner-table.h"
#include "collectors/procfs/cgroup/memcg-mount.h"

enum {
	MEMCG_CHARGES_NO_CGROUP = UINT32_MAX, /* instead of a slot */
	/* of an owner: its members are in different cgroups */
	MEMCG_CHARGES_AMBIGUOUS = UINT32_MAX - 1,
	MEMCG_CHARGES_UNSETTLED = UINT32_MAX - 2, /* of an owner without members */
};

/* The last reading of a cgroup. */
struct memcg_charges_reading {
	uint64_t at_ns; /* CLOCK_BOOTTIME; 0: not read yet */
	struct memcg_stat charge;
	enum charge_outcome outcome;
	bool is_wanted; /* an owner with members in this pass is this cgroup */
};

struct memcg_charges {
	struct memcg_mount fs;
	struct owner_table cgroups;            /* by path */
	struct memcg_charges_reading *reading; /* by slot in .cgroups */
	size_t readings;
	/* The fields below are of the current pass. */
	struct buffer order; /* the cgroups to read, oldest reading first */
	/* .at: index of the next one in .order; .least: how many are read whatever they cost */
	uint32_t at, least;
	/* CPU time: beyond .least, cgroups are read only while .spent_ns is below .spare_ns */
	uint64_t spare_ns, spent_ns;
	bool are_counted;                 /* the hierarchy was found and could be opened */
	uint64_t counts[CHARGE_OUTCOMES]; /* owners, by enum charge_outcome */
};

void memcg_charges_init(struct memcg_charges *c);
void memcg_charges_done(struct memcg_charges *c);

/*
 * Looks for the mounted memory controller in "self/mountinfo" below PROCFS_FD, the root of a proc
 * file system. Keeps the last result if that cannot be read.
 */
void memcg_charges_look(struct memcg_charges *c, int procfs_fd);

/*
 * Returns whether there is a memory controller. If not, no owner has charges, and no outcomes are
 * counted.
 */
static inline bool memcg_charges_are_there(const struct memcg_charges *c)
{
	return memcg_mount_is_found(&c->fs);
}

/*
 * Finds or adds the cgroup at PATH (LEN bytes) and sets *RET_SLOT. The slot stays valid as long as
 * a process that belongs to the cgroup is counted: see memcg_charges_begin(). *RET_SLOT is
 * MEMCG_CHARGES_NO_CGROUP if LEN is 0 or there is no controller. Returns 0 or -ENOMEM.
 */
int memcg_charges_get(struct memcg_charges *c, const char *path, size_t len, uint32_t *ret_slot);

/*
 * Begins the reading of a pass. Call it when T has all members of the pass, before
 * owner_sums_end(). Removes the cgroups that are no owner's any more, and sets the order in which
 * the others are read.
 *
 * PERIOD_NS is the time between passes. Each pass reads as many cgroups as are needed to read each
 * once a minute, and at least all new ones. It reads more, oldest first, while SPARE_NS of CPU time
 * lasts. With a PERIOD_NS of 0, for a pass between two others, it is the oldest one and all new ones.
 * Returns 0 or -ENOMEM.
 */
int memcg_charges_begin(
	struct memcg_charges *c, struct owner_sums *t, uint64_t period_ns, uint64_t spare_ns);

/* Reads the next cgroup. Returns false, and closes the hierarchy, if there is no more to read. */
bool memcg_charges_step(struct memcg_charges *c);

/*
 * Call it after owner_sums_end(). Sets in T's owners the last reading of their cgroups, with its
 * age at NOW_NS (CLOCK_BOOTTIME), and counts the outcomes.
 */
void memcg_charges_end(struct memcg_charges *c, struct owner_sums *t, uint64_t now_ns);

#endif
