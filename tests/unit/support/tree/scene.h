/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree (tree.h) with the processes of cast.h, and exact passes over it, for tests of
 * collectors/pass/pass.h.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_SCENE_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_SCENE_H

#include "base/cleanup.h"
#include "collectors/pass/pass.h"
#include "snapshot/view.h"
#include "tests/unit/support/tree/cast.h"
#include "tests/unit/support/tree/tree.h"

struct scene {
	struct tree tree;
	struct pass *pass;
};

/*
 * Makes a tree with the cast, or without processes if IS_EMPTY, and opens a pass. All functions
 * fail the test on errors.
 */
void scene_open(struct scene *s, bool is_empty);
void scene_done(struct scene *s);
#define AUTO_SCENE CLEANUP(scene_done)

/* Returns the row NAME of SCOPE. Fails the test if there is none. */
const struct snapshot_scope *scene_find(
	const struct view *view, enum metric_scope scope, const char *name);

/* Asserts that the sums over each kind of owner equal the host's row (see walk_sums()). */
void scene_assert_sums(const struct view *view);

#endif
