/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree (tree.h) with processes that are read in every way there is, of which all is known; and what may be said of
 * them when something has failed: less than is true, but nothing else.
 */
#ifndef MEMTALLY_TESTS_UNIT_WITNESS_H
#define MEMTALLY_TESTS_UNIT_WITNESS_H

#include <stdbool.h>

#include "collectors/cgroupfs.h"
#include "snapshot/view.h"
#include "tests/unit/tree.h"

/*
 * Among them a kernel thread, a zombie, a dead leader with a live thread, one without smaps_rollup, one whose name is cut and
 * told by its executable. A failure of any of these functions fails the test.
 */
void witness_populate(const struct tree *t);

/* Has FS find the memory controller, a folder of T in which some of their cgroups are charged. */
void witness_mount(const struct tree *t, struct cgroupfs *fs);

/* One of them has 4000 KiB more, or no more. */
void witness_grow(const struct tree *t, bool is_grown);

/*
 * NULL, or a sentence on what VIEW says that is not true, or on whom it neither shows nor counts. Of one who has grown either
 * is true.
 */
const char *witness_wrong(const struct view *view);

/* NULL, or a sentence on what VIEW, in which nothing is wrong, lacks: a process, a figure, a name. */
const char *witness_missing(const struct view *view);

/* Likewise of what cgroups are charged, where it is mounted. */
const char *witness_uncharged(const struct view *view);

#endif
