/* SPDX-License-Identifier: Apache-2.0 */
/* Complete passes as memtallyd makes them, and views of the snapshots that they publish. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_RUN_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_RUN_H

#include "collectors/pass/pass.h"
#include "snapshot/view.h"

/*
 * Interval 10 s, series for all rows. The adaptive pass may use a whole core; its maximum age is
 * 300 s.
 */
extern const struct pass_options run_exact, run_adaptive;

/* Calls pass_step() until the pass is over. Returns the last result of pass_step(). */
int run_steps(struct pass *pass);

/*
 * Makes and publishes a pass. It names root, alice (uid 1000) and group staff, and no other user.
 * Returns 0 and the image in *RET_FD, owned by the caller, or the negative errno of the step that
 * failed.
 */
int run_try(struct pass *pass, int *ret_fd);

/* Does the same with a brief pass; pass_may_be_brief() must hold. */
int run_try_brief(struct pass *pass, int *ret_fd);

/*
 * Opens the image at FD and checks all of it with walk_view(). Borrows FD. If this fails, the test
 * fails.
 */
struct view *run_view(int fd);

/* Calls run_try(), which must succeed, and returns run_view() of the image. */
struct view *run_pass(struct pass *pass);

#endif
