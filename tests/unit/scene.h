/* SPDX-License-Identifier: Apache-2.0 */
/* A tree (tree.h) with the cast (cast.h), and passes over it that measure each: for the tests of pass.h. */
#ifndef MEMTALLY_TESTS_UNIT_SCENE_H
#define MEMTALLY_TESTS_UNIT_SCENE_H

#include "base/cleanup.h"
#include "collectors/pass.h"
#include "snapshot/view.h"
#include "tests/unit/cast.h"
#include "tests/unit/tree.h"

struct scene {
	struct tree tree;
	struct pass *pass;
};

/* With the cast, or nobody. A failure of any of these functions fails the test. */
void scene_open(struct scene *s, bool is_empty);
void scene_done(struct scene *s);
#define AUTO_SCENE CLEANUP(scene_done)

/* The row of SCOPE that is called NAME. */
const struct snapshot_scope *scene_find(
	const struct view *view, enum metric_scope scope, const char *name);

/* Over users, over programs, over units and of the host: the same. */
void scene_assert_sums(const struct view *view);

#endif
