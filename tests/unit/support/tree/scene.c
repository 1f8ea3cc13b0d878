/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/snapshot/walk.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/scene.h"

static void add_host(const struct scene *s)
{
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
}

void scene_open(struct scene *s, bool is_empty)
{
	struct pass_options o = run_exact;

	tree_expect(NULL, 0);
	tree_open(&s->tree);
	for (size_t i = 0; !is_empty && i < CAST_SIZE; i++)
		tree_add(&s->tree, &cast[i]);
	if (is_empty)
		tree_write(&s->tree, "stat", ""); /* pass_open() requires this file */
	else
		add_host(s);
	o.procfs = s->tree.path;
	assert_int_equal(pass_open(&o, &s->pass), 0);
}

void scene_done(struct scene *s)
{
	tree_expect(NULL, 0);
	pass_free(s->pass);
	tree_done(&s->tree);
}

const struct snapshot_scope *scene_find(
	const struct view *view, enum metric_scope scope, const char *name)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!strcmp(view_text(view, row->name), name))
			return row;
	}
	fail_msg("there is no '%s'", name);
	return NULL;
}

void scene_assert_sums(const struct view *view)
{
	const char *wrong = walk_sums(view);

	if (wrong)
		fail_msg("%s", wrong);
}
