/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Family Count
 *
 * Counts for each member of a fork family (fork-families.h) the sharers that were there at its
 * measurement and are still there, those born since, and which of these are its descendants: one
 * walk over the list, however many events there were. Pure, except for memory.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_COUNT_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/model/family/family-member.h"

/* All zeros: has not counted yet. Other modules only read it. */
struct family_count {
	uint64_t *number; /* owned; scratch space of the count */
	size_t capacity;
	uint64_t steps; /* over exited ancestors, ever */
};

/*
 * Departures from a family that were not counted yet: .count of them between .after_ns and
 * .until_ns, .late of them between .until_ns and .late_ns (CLOCK_BOOTTIME). A member that was
 * measured in the same interval may have seen them or not. .moved of all of them went to another
 * family, and still share what they shared.
 */
struct family_count_deaths {
	uint32_t count, late, moved;
	uint64_t after_ns, until_ns, late_ns;
};

/* Frees the scratch space of C, which is then all zeros. */
void family_count_done(struct family_count *c);

/*
 * Counts births and exits for the list of COUNT members that begins with FIRST: sets .then to
 * .unsure, .unseen, .gone and .lasting of each. DEATHS are the departures that were not counted
 * yet. *RET_OLDEST_NS becomes the time of the oldest measurement of a member, UINT64_MAX if there
 * is none. Returns 0, or -ENOMEM: then it has counted roughly, as if only missing members had
 * exited and all new ones were strays, and *RET_OLDEST_NS is unchanged.
 */
int family_count_take(struct family_count *c, struct family_member *first, uint32_t count,
	const struct family_count_deaths *deaths, uint64_t *ret_oldest_ns);

#endif
