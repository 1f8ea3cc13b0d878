/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts for each member of a family (kin.h) who of those that were there at its measurement still is, who came since,
 * and whose children they are: one walk over the list, whatever has happened. Pure, but for the memory.
 */
#ifndef MEMTALLY_COLLECTORS_CENSUS_H
#define MEMTALLY_COLLECTORS_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/kin-member.h"

/* All zeros has not counted yet. For reading alone. */
struct census {
	uint64_t *number; /* owned: room to count in */
	size_t capacity;
	uint64_t steps; /* over ancestors who are gone, ever */
};

/*
 * So many have ended AFTER one moment and until another, CLOCK_BOOTTIME, and so many LATE, between that and still another;
 * whoever was measured meanwhile may have seen them. Of all these some have MOVED to another family, and share what they did.
 */
struct census_deaths {
	uint32_t count, late, moved;
	uint64_t after_ns, until_ns, late_ns;
};

void census_done(struct census *c);

/*
 * Counts for the COUNT members from FIRST on; DEATHS are those that were not told of yet. *RET_OLDEST_NS becomes the
 * moment of the oldest of their measurements, UINT64_MAX if there is none. -ENOMEM: it has counted
 * roughly, as if only those who are missing had died and all who are new were strays, and *RET_OLDEST_NS is untouched.
 */
int census_take(struct census *c, struct kin_member *first, uint32_t count,
	const struct census_deaths *deaths, uint64_t *ret_oldest_ns);

#endif
