/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File State: whether a mapped file with " (deleted)" behind its name is still at its path. " (deleted)" may be a part of the
 * name, and another file may be at the path by now.
 */
#ifndef MEMTALLY_INSIDE_WHEREABOUTS_H
#define MEMTALLY_INSIDE_WHEREABOUTS_H

#include <stdbool.h>

#include "inside/mounts.h"
#include "inside/shelf.h"
#include "inside/target.h"

/* The place where paths of a process are looked up. */
struct whereabouts {
	struct target *target; /* borrowed: the process */
	int root;              /* a directory; -1: there is none */
	struct mounts mounts;
};

/*
 * Opens the place for paths of T, which stays borrowed: the own root if T has the same mounts, else the root of T. Returns 0;
 * an enum target_outcome; or a negative errno of open().
 */
int whereabouts_open(struct target *t, struct whereabouts *ret);
void whereabouts_close(struct whereabouts *w);
#define AUTO_WHEREABOUTS CLEANUP(whereabouts_close)

/*
 * Returns the state of ROW's file. It asks no file system that may not answer.
 *
 * SHELF_UNCERTAIN: the path cannot be looked up from here, or is on a file system that may not answer. SHELF_UNLINKED: the
 * process made and unlinked the file itself. One of these is known: the name is one that only temporary files have; the file
 * was made after the process had started and has no name any more (and if it is not a library in a folder of temporary files:
 * it is code, and was unlinked within a minute); or, if its times can't be seen, it is a library in a folder of temporary
 * files and nothing is at its path.
 *
 * *RET_IS_LITERAL: the file is there, and " (deleted)" is a part of its name.
 */
enum shelf_fate whereabouts_find(
	struct whereabouts *w, const struct shelf_row *row, bool *ret_is_literal);

/*
 * As target_mappings(), and sets .fate of files that the kernel calls deleted, and whether these have another name
 * (.has_name; false if map_files may not be followed). In a tree of files that only looks like /proc both stay unknown. Other
 * files cost nothing.
 */
int whereabouts_mappings(struct target *t, mapping_taker take, void *context);

#endif
