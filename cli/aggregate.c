/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/aggregate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/builder.h"
#include "snapshot/owner.h"
#include "snapshot/sums.h"

/* What is a part of HOST has no more than it. */
static void set_sums(
	struct snapshot_scope *row, struct sums *sums, const struct snapshot_scope *host)
{
	sums_end(sums);
	if (ROW_HAS(host, SCOPE_PSS_HIGH))
		sums_cap(sums, host->q[SCOPE_PSS_HIGH]);
	row->present = sums->present;
	memcpy(row->q, sums->q, sizeof(row->q));
}

/* A selected process and the name that it is grouped by. */
struct member {
	const char *name;
	const struct snapshot_process *row;
};

static int compare_members(const void *a_, const void *b_)
{
	const struct member *a = a_, *b = b_;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->row->pid > b->row->pid) - (a->row->pid < b->row->pid);
}

/* One row over the members from FIRST on that share its name; returns how many, 0: out of memory. */
static size_t add_group(struct builder *b, enum metric_scope scope,
	const struct snapshot_scope *host, const struct member *first, const struct member *end)
{
	struct snapshot_scope *row = builder_add_scope(b, scope);
	const struct member *m = first;
	struct sums sums = {0};

	if (!row)
		return 0;
	for (; m < end && !strcmp(m->name, first->name); m++)
		sums_add(&sums, m->row);
	row->name = builder_add_text(b, first->name, strlen(first->name));
	row->id = scope == METRIC_USER ? first->row->uid : 0;
	set_sums(row, &sums, host);
	return (size_t)(m - first);
}

static int add_scope(struct builder *b, const struct view *view, enum metric_scope scope,
	struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		members[i].name = view_owner(view, members[i].row, owner_kind_of(scope));
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0, n; i < count; i += n) {
		n = add_group(b, scope, view_host(view), members + i, members + count);
		if (!n)
			return -ENOMEM;
	}
	return 0;
}

static int add_host(
	struct builder *b, const struct view *view, const struct member *members, size_t count)
{
	static const enum scope_quantity kept[] = {SCOPE_MEM_TOTAL, SCOPE_MEM_AVAILABLE};
	const struct snapshot_scope *from = view_host(view);
	struct snapshot_scope *row = builder_add_scope(b, METRIC_HOST);
	struct sums sums = {0};

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sums_add(&sums, members[i].row);
	set_sums(row, &sums, from);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (ROW_HAS(from, kept[i]))
			ROW_SET(row, kept[i], from->q[kept[i]]);
	return 0;
}

static uint32_t copy_text(struct builder *b, const struct view *view, uint32_t ref)
{
	const char *text = view_text(view, ref);

	return builder_add_text(b, text, strlen(text));
}

/* MEMBERS by rising pid, as an image has them. */
static int add_processes(
	struct builder *b, const struct view *view, const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct snapshot_process *row = builder_add_process(b);

		if (!row)
			return -ENOMEM;
		*row = *members[i].row;
		for (unsigned int kind = 0; kind < OWNER_KINDS; kind++)
			row->owner[kind] = copy_text(b, view, members[i].row->owner[kind]);
		row->user_unit = copy_text(b, view, members[i].row->user_unit);
	}
	return 0;
}

static int add_self(struct builder *b, const struct view *view)
{
	struct snapshot_self *self = builder_add_self(b);

	if (!self)
		return -ENOMEM;
	*self = *view_self(view);
	self->version = copy_text(b, view, view_self(view)->version);
	return 0;
}

static int build(struct builder *b, const struct view *view, struct member *members, size_t count)
{
	int r;

	for (size_t i = 0; i < count; i++)
		members[i].name = "";
	qsort(members, count, sizeof(*members), compare_members);
	r = add_processes(b, view, members, count);
	if (r == 0)
		r = add_host(b, view, members, count);
	if (r == 0)
		r = add_self(b, view);
	for (int scope = METRIC_USER; r == 0 && scope < METRIC_OWNERS_END; scope++)
		r = add_scope(b, view, (enum metric_scope)scope, members, count);
	return r;
}

int aggregate_processes(
	const struct view *view, const uint32_t *rows, size_t count, struct view **ret)
{
	AUTO_FREE struct member *members = calloc(count + 1, sizeof(*members));
	CLEANUP(builder_done) struct builder b = {0};
	AUTO_CLOSE int fd = -1;
	const char *reason;
	int r;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		members[i].row = view_process(view, rows[i]);
	builder_begin(&b);
	r = build(&b, view, members, count);
	if (r == 0)
		r = builder_seal(&b, view->header, &fd);
	return r == 0 ? view_open(fd, ret, &reason) : r;
}
