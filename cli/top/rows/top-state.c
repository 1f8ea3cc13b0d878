/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/rows/top-state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum metric_scope scope;
} views[TOP_VIEWS] = {
	[TOP_VIEW_USER] = {"user", METRIC_USER},
	[TOP_VIEW_PROGRAM] = {"program", METRIC_PROGRAM},
	[TOP_VIEW_UNIT] = {"unit", METRIC_UNIT},
	[TOP_VIEW_CONTAINER] = {"container", METRIC_CONTAINER},
	[TOP_VIEW_PROCESS] = {"process", METRIC_PROCESS},
	[TOP_VIEW_TREE] = {"tree", METRIC_PROCESS},
	[TOP_VIEW_NESTED] = {"nested", METRIC_PROCESS},
};

void top_state_init(struct top_state *s, enum top_view view)
{
	*s = (struct top_state){0};
	s->asks.sort = TOP_COLUMN_PSS;
	s->flat = TOP_VIEW_PROGRAM;
	top_state_show(s, view);
}

bool top_state_is_alike(const struct top_asks *a, const struct top_asks *b)
{
	return a->view == b->view && a->sort == b->sort && a->is_turned == b->is_turned &&
	       a->is_opposite == b->is_opposite && !strcmp(a->user, b->user) &&
	       !strcmp(a->filter, b->filter) && a->branches == b->branches &&
	       !memcmp(a->branch, b->branch, a->branches * sizeof(*a->branch));
}

void top_state_say(struct top_state *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->said, sizeof(s->said), format, arguments);
	va_end(arguments);
}

const char *top_state_view_name(enum top_view view)
{
	return views[view].name;
}

enum metric_scope top_state_scope(enum top_view view)
{
	return views[view].scope;
}

static size_t find_branch(const struct top_asks *a, uint64_t key)
{
	size_t i = 0;

	while (i < a->branches && a->branch[i] != key)
		i++;
	return i;
}

/* The tree is open at first. The nested view shows users, each of them closed. */
bool top_state_is_open(const struct top_asks *a, uint64_t key)
{
	bool is_open = a->view == TOP_VIEW_TREE;

	return is_open ^ a->is_opposite ^ (find_branch(a, key) < a->branches);
}

static void remove_branch(struct top_asks *a, size_t i)
{
	memmove(a->branch + i, a->branch + i + 1, (a->branches - i - 1) * sizeof(*a->branch));
	a->branches--;
}

void top_state_turn(struct top_asks *a, uint64_t key)
{
	size_t i = find_branch(a, key);

	if (i < a->branches) {
		remove_branch(a, i);
		return;
	}
	if (a->branches == TOP_BRANCHES_MAX)
		remove_branch(a, 0);
	a->branch[a->branches++] = key;
}

void top_state_sort(struct top_asks *a, enum top_column column)
{
	a->is_turned = a->sort == column ? !a->is_turned : false;
	a->sort = column;
}

void top_state_show(struct top_state *s, enum top_view view)
{
	if (!top_state_is_tree(view))
		s->flat = view;
	s->asks.view = view;
	s->asks.is_opposite = false;
	s->asks.branches = 0;
	s->selected = 0;
	s->index = s->scroll = 0;
}

void top_state_settle(struct top_state *s, size_t count,
	uint64_t (*key_of)(const void *rows, size_t i), const void *rows)
{
	size_t at = 0;

	if (s->selected) {
		while (at < count && key_of(rows, at) != s->selected)
			at++;
		if (at == count)
			at = s->index < count ? s->index : count ? count - 1 : 0;
		s->selected = count ? key_of(rows, at) : s->selected;
	}
	s->index = at;
	if (s->scroll > at)
		s->scroll = at;
	if (s->height && at >= s->scroll + s->height)
		s->scroll = at - s->height + 1;
	if (s->scroll + s->height > count)
		s->scroll = count > s->height ? count - s->height : 0;
}
