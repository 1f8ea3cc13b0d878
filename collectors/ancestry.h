/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of whom a member of a family (kin.h) was forked, and who stands in for parents that are gone:
 * their own, as far as that is known. Pure, but for the memory.
 */
#ifndef MEMTALLY_COLLECTORS_ANCESTRY_H
#define MEMTALLY_COLLECTORS_ANCESTRY_H

#include <stdint.h>

#include "collectors/kin-member.h"

/* Ancestors that are told of a birth; more are not in one family between two passes. */
enum { ANCESTRY_GENERATIONS = 8 };

/* When the first of M's line that is known was born: of whom that was forked nobody knows. */
uint64_t ancestry_root_ns(const struct kin_member *m);

/* M has forked: its record, for its children to use. NULL: out of memory. */
struct kin_ancestor *ancestry_begin(struct kin_member *m);

/* A, or NULL, is one's .ancestor from now on, until ancestry_leave(). Returns it. */
struct kin_ancestor *ancestry_use(struct kin_ancestor *a);

/* The next of M's ancestors that is here becomes its parent. In so many steps. */
uint64_t ancestry_settle(struct kin_member *m);

/*
 * M's parent as it is after ancestry_settle(), but for one with many between them who are gone;
 * NULL: not known.
 */
struct kin_member *ancestry_parent(const struct kin_member *m);

/* M is gone, or no child of its parent any more. */
void ancestry_leave(struct kin_member *m);

#endif
