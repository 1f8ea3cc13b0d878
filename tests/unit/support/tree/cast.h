/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sample processes of several users and units, for simulated trees (tree.h) of tests that need any
 * processes.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CAST_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CAST_H

#include "tests/unit/support/tree/tree.h"

/* cast[1] is a kernel thread. */
enum { CAST_SIZE = 7 };
extern const struct tree_process cast[CAST_SIZE];

#endif
