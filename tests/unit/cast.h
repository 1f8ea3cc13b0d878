/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in the trees (tree.h) of passes, where it does not matter who: a few processes of several users and units. */
#ifndef MEMTALLY_TESTS_UNIT_CAST_H
#define MEMTALLY_TESTS_UNIT_CAST_H

#include "tests/unit/tree.h"

/* The second is a kernel thread. */
enum { CAST_SIZE = 7 };
extern const struct tree_process cast[CAST_SIZE];

#endif
