/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree (tree.h) with processes for every way of reading, all with known values, and checks of
 * snapshots of them. After a failed system call a snapshot may lack values, but no value may be
 * wrong.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_WITNESS_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_WITNESS_H

#include <stdbool.h>

#include "collectors/procfs/cgroup/memcg-mount.h"
#include "snapshot/view.h"
#include "tests/unit/support/tree/tree.h"

/*
 * Adds the processes to T, among them a kernel thread, a zombie, a dead leader with a live thread,
 * a process without smaps_rollup, and one with a cut comm that is named after its executable. All
 * functions fail the test on errors.
 */
void witness_populate(const struct tree *t);

/*
 * Makes FS find the memory controller in a directory of T where some of the cgroups have charges.
 */
void witness_mount(const struct tree *t, struct memcg_mount *fs);

/* Adds 4000 KiB to one process, or resets it if not IS_GROWN. */
void witness_grow(const struct tree *t, bool is_grown);

/*
 * Returns NULL, or a sentence with the first wrong value of VIEW or the first process that it
 * neither shows nor counts. Both sizes of the growing process are right.
 */
const char *witness_wrong(const struct view *view);

/*
 * For a VIEW that is not wrong: returns NULL, or a sentence with the first process, value or name
 * that it lacks.
 */
const char *witness_missing(const struct view *view);

/* Same for the charges of cgroups, if witness_mount() was called. */
const char *witness_uncharged(const struct view *view);

#endif
