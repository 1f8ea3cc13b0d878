/* SPDX-License-Identifier: Apache-2.0 */
/* Whole passes, as the daemon makes them, and the views of what they publish. */
#ifndef MEMTALLY_TESTS_UNIT_RUN_H
#define MEMTALLY_TESTS_UNIT_RUN_H

#include "collectors/pass.h"
#include "snapshot/view.h"

/* Each 10 s, with series for all; adaptive ones may take the whole of a core, with a maximum age of 300 s. */
extern const struct pass_options run_exact, run_adaptive;

/* Steps until the pass that was begun is over: what pass_step() says last. */
int run_steps(struct pass *pass);

/* A pass with names: root, alice (1000), and none for others. What it can't do for lack of memory is handed up. */
int run_try(struct pass *pass, int *ret_fd);

/* The image at FD, which stays the caller's; it is walked (walk.h), and a failure fails the test. */
struct view *run_view(int fd);

/* run_try(), which succeeds, and run_view() of it. */
struct view *run_pass(struct pass *pass);

#endif
