/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "tests/unit/support/snapshot/walk.h"

const struct pass_options run_exact = {
	.version = "1.2.3",
	.interval_ns = 10 * NS_PER_SEC,
	.export_owners[0 ... OWNER_KINDS - 1] = 100,
	.export_processes = 100,
};

const struct pass_options run_adaptive = {
	.version = "1.2.3",
	.interval_ns = 10 * NS_PER_SEC,
	.is_adaptive = true,
	.budget_cpu_ppm = 1000000,
	.max_age_ns = 300 * NS_PER_SEC,
	.stall_ns = 20 * NS_PER_MSEC,
	.giant_age_ns = 3600 * NS_PER_SEC,
	.export_owners[0 ... OWNER_KINDS - 1] = 100,
	.export_processes = 100,
};

static void name_all(struct pass *pass)
{
	struct principal who;

	while (pass_next_unnamed(pass, &who)) {
		const char *name = who.id == 0 ? "root" : who.id == 1000 ? "alice" : NULL;

		pass_name(pass, &who, who.id && who.kind == OWNER_GROUP ? "staff" : name);
	}
}

int run_steps(struct pass *pass)
{
	int r;

	do {
		r = pass_step(pass, 0);
		if (r == PASS_NAMES)
			name_all(pass);
	} while (r > 0);
	return r;
}

/* Continues a pass. R is the result of beginning it. */
static int finish(struct pass *pass, int r, int *ret_fd)
{
	int public_fd;

	if (r == 0)
		r = run_steps(pass);
	if (r == 0)
		name_all(pass);
	if (r == 0)
		r = pass_publish(pass, false, ret_fd, &public_fd);
	if (r == 0)
		assert_int_equal(public_fd, -1);
	return r;
}

int run_try(struct pass *pass, int *ret_fd)
{
	return finish(pass, pass_begin(pass), ret_fd);
}

int run_try_brief(struct pass *pass, int *ret_fd)
{
	return finish(pass, pass_begin_brief(pass), ret_fd);
}

struct view *run_view(int fd)
{
	struct view *view = NULL;
	const char *reason = "", *wrong;

	if (view_open(fd, &view, &reason) < 0)
		fail_msg("%s", reason);
	wrong = walk_view(view);
	if (wrong)
		fail_msg("%s", wrong);
	return view;
}

struct view *run_pass(struct pass *pass)
{
	AUTO_CLOSE int fd = -1;

	assert_int_equal(run_try(pass, &fd), 0);
	return run_view(fd);
}
