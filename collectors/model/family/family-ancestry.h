/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ancestry
 *
 * The member of a family (fork-families.h) from which each member was forked. If a parent has
 * exited, its own nearest known ancestor stands in for it. Pure, except for memory.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_ANCESTRY_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_ANCESTRY_H

#include <stdint.h>

#include "collectors/model/family/family-member.h"

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
 * Call when M has forked: returns M's record, for family_ancestry_use() by its children; NULL if
 * out of memory.
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
 * Call when M is gone, or is no longer a child of its parent: drops M's reference to its ancestor.
 * Its children find the ancestor by M's record, which stays until the last of them has left.
 */
void family_ancestry_leave(struct family_member *m);

#endif
