/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What owners that are cgroups are charged: which cgroups they are, in which order these are read, and what was read of
 * each last.
 *
 *     charges_get ... (as it is found where processes belong to) -> charges_begin -> charges_step ... -> charges_end
 *
 * A cgroup is read whole: its figures are of one moment, and have one age. Several owners may be one cgroup, as a
 * container and its unit are; it is read once.
 */
#ifndef MEMTALLY_COLLECTORS_CHARGES_H
#define MEMTALLY_COLLECTORS_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/cgroupfs.h"
#include "collectors/scopes.h"
#include "collectors/tally.h"

enum {
	CHARGES_NO_CGROUP = UINT32_MAX,     /* instead of a slot */
	CHARGES_AMBIGUOUS = UINT32_MAX - 1, /* of an owner: its members do not agree */
	CHARGES_UNSETTLED = UINT32_MAX - 2, /* of an owner without members */
};

/* What was read of a cgroup last. */
struct charges_reading {
	uint64_t at_ns; /* CLOCK_BOOTTIME; 0: it was not read yet */
	struct charge charge;
	enum charge_outcome outcome;
	bool is_wanted; /* it is an owner of somebody who is counted */
};

struct charges {
	struct cgroupfs fs;
	struct scopes cgroups;           /* by path */
	struct charges_reading *reading; /* by their slots */
	uint32_t readings;
	/* Of the pass: */
	struct buffer order;              /* slots, in which they are to be read */
	uint32_t at, least;               /* the next; so many are read, whatever it costs, */
	uint64_t spare_ns, spent_ns;      /* and more as long as less of this CPU time is used */
	bool are_counted;                 /* what was found could be opened, too */
	uint64_t counts[CHARGE_OUTCOMES]; /* of owners */
};

void charges_init(struct charges *c);
void charges_done(struct charges *c);

/* Looks where the memory controller is, by what is mounted: PROCFS_FD is of a proc file system. What can't be read stays. */
void charges_look(struct charges *c, int procfs_fd);

/* Whether there is a memory controller. If not, no owner is charged, and nothing is counted. */
static inline bool charges_are_there(const struct charges *c)
{
	return cgroupfs_is_found(&c->fs);
}

/*
 * The slot of the cgroup at PATH, as long as somebody who belongs to it is counted: see charges_begin(). CHARGES_NO_CGROUP
 * where LEN is 0, or no controller is there. -ENOMEM.
 */
int charges_get(struct charges *c, const char *path, size_t len, uint32_t *ret_slot);

/*
 * All members of the pass are in T, which has not been ended: forgets what is no owner's any more, and sets the order in
 * which the others are read. Passes are PERIOD_NS apart: so many are read that each is within a minute; more, the oldest
 * first, as far as SPARE_NS of CPU time suffice. -ENOMEM: there is none, and nobody is charged.
 */
int charges_begin(struct charges *c, struct tally *t, uint64_t period_ns, uint64_t spare_ns);

/* Reads one. False: there was none left to be read. */
bool charges_step(struct charges *c);

/* After tally_end(): owners have what was read of their cgroups as of NOW_NS (CLOCK_BOOTTIME). */
void charges_end(struct charges *c, struct tally *t, uint64_t now_ns);

#endif
