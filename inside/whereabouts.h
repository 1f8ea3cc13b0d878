/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has become of a file that a process has mapped, where the kernel has " (deleted)" behind its name: that may be
 * part of the name, and another file may have taken its place.
 */
#ifndef MEMTALLY_INSIDE_WHEREABOUTS_H
#define MEMTALLY_INSIDE_WHEREABOUTS_H

#include <stdbool.h>

#include "inside/mounts.h"
#include "inside/shelf.h"
#include "inside/target.h"

/* Where a process's names of files are looked up. */
struct whereabouts {
	int root; /* a directory; -1: there is none */
	struct mounts mounts;
};

/*
 * Of process T. The kernel prints names as whoever reads them has them, so they are looked up in our own root where that
 * process has our mounts, else in its own. 0, a target_outcome, or errors of opening them.
 */
int whereabouts_open(struct target *t, struct whereabouts *ret);
void whereabouts_close(struct whereabouts *w);
#define AUTO_WHEREABOUTS CLEANUP(whereabouts_close)

/*
 * What has become of ROW's file; SHELF_UNCERTAIN: it can't be seen from here, or who would have to be asked may not answer. *RET_IS_LITERAL: " (deleted)" is a part
 * of its name, and it is there.
 */
enum shelf_fate whereabouts_find(
	struct whereabouts *w, const struct shelf_row *row, bool *ret_is_literal);

/*
 * As target_mappings(), with what has become of files that the kernel calls deleted (.fate); of a tree that only looks like /proc nothing
 * is known. What is of any other file costs nothing.
 */
int whereabouts_mappings(struct target *t, mapping_taker take, void *context);

#endif
