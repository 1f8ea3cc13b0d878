/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ancestry
 *
 * The member of a family (kin.h) from which each member was forked. If a parent has exited, its own
 * nearest known ancestor stands in for it. Pure, except for memory.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_ANCESTRY_H
#define MEMTALLY_COLLECTORS_MODEL_ANCESTRY_H

#include <stdint.h>

#include "collectors/model/kin-member.h"

/*
 * A birth counts for at most this many ancestors. A family does not have more generations between
 * two passes.
 */
enum { ANCESTRY_GENERATIONS = 8 };

/*
 * Returns when the first known process of M's lineage was born. The parent of that process is not
 * known.
 */
uint64_t ancestry_root_ns(const struct kin_member *m);

/* M has forked. Returns its record, for ancestry_use() by its children; NULL if out of memory. */
struct kin_ancestor *ancestry_begin(struct kin_member *m);

/*
 * Adds a reference to A, which may be NULL: A is stored in a member's .ancestor, until
 * ancestry_leave() of that member. Returns A.
 */
struct kin_ancestor *ancestry_use(struct kin_ancestor *a);

/*
 * Makes the nearest ancestor of M that is still there its parent, in place of exited ones. Returns
 * the number of steps.
 */
uint64_t ancestry_settle(struct kin_member *m);

/*
 * Returns M's parent as ancestry_settle() would set it; NULL if it is not known, has exited without
 * a known parent, or is behind more than ANCESTRY_GENERATIONS exited ones.
 */
struct kin_member *ancestry_parent(const struct kin_member *m);

/* M is gone, or is no longer a child of its parent: drops its reference. */
void ancestry_leave(struct kin_member *m);

#endif
