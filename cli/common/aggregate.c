/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/aggregate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/keytable.h"
#include "snapshot/builder.h"
#include "snapshot/owner.h"
#include "snapshot/sums.h"

/*
 * Ends SUMS and stores them in ROW. The upper bound is at most that of HOST, because ROW is a part
 * of it.
 */
static void aggregate_set_sums(
	struct snapshot_scope *row, struct sums *sums, const struct snapshot_scope *host)
{
	sums_end(sums);
	if (ROW_HAS(host, SCOPE_PSS_HIGH))
		sums_cap(sums, host->q[SCOPE_PSS_HIGH]);
	row->present = sums->present;
	memcpy(row->q, sums->q, sizeof(row->q));
}

/*
 * A chosen process, and its owners as references to texts: .from of the old image (for the kind
 * that is being added), .owner of the new one.
 */
struct member {
	const struct snapshot_process *row;
	uint32_t from, owner[OWNER_KINDS];
};

static int aggregate_compare_pids(const void *a_, const void *b_)
{
	const struct member *a = a_, *b = b_;

	return (a->row->pid > b->row->pid) - (a->row->pid < b->row->pid);
}

/* Each name of an owner is in an image once, so equal references mean the same owner. */
static int compare_owners(const void *a_, const void *b_)
{
	const struct member *a = a_, *b = b_;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return aggregate_compare_pids(a_, b_);
}

static uint32_t copy_text(struct builder *b, const struct view *view, uint32_t ref)
{
	const char *text = view_text(view, ref);

	return builder_add_text(b, text, strlen(text));
}

/* Adds the rows of SCOPE to TO by their names. Returns 0 or -ENOMEM. */
static int index_rows(const struct view *view, enum metric_scope scope, struct keytable *to)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		r = keytable_set(to, keytable_key(to, row->name, 0), (void *)(uintptr_t)row);
	}
	return r;
}

/*
 * Adds one row for the members from FIRST on that have the same owner. FROM is the old row of that
 * owner, NULL if there is none. Returns the number of these members; 0 if there is no memory.
 */
static size_t aggregate_add_owner(struct builder *b, const struct view *view, enum owner_kind kind,
	const struct snapshot_scope *from, struct member *first, const struct member *end)
{
	struct snapshot_scope *row = builder_add_scope(b, metric_owner_scope(kind));
	struct member *m = first;
	struct sums sums = {0};

	if (!row)
		return 0;
	row->name = copy_text(b, view, first->from);
	if (from) {
		row->id = from->id;
		row->above = copy_text(b, view, from->above);
		row->user = copy_text(b, view, from->user);
	}
	for (; m < end && m->from == first->from; m++) {
		m->owner[kind] = row->name;
		sums_add(&sums, m->row);
	}
	aggregate_set_sums(row, &sums, view_host(view));
	return (size_t)(m - first);
}

static int add_owners(struct builder *b, const struct view *view, enum owner_kind kind,
	struct member *members, size_t count)
{
	CLEANUP(keytable_done) struct keytable rows = {0};
	int r = index_rows(view, metric_owner_scope(kind), &rows);

	for (size_t i = 0; i < count; i++)
		members[i].from = members[i].row->owner[kind];
	qsort(members, count, sizeof(*members), compare_owners);
	for (size_t i = 0, n; r == 0 && i < count; i += n) {
		uint64_t key = keytable_key(&rows, members[i].from, 0);

		n = aggregate_add_owner(
			b, view, kind, keytable_find(&rows, key), members + i, members + count);
		if (!n)
			r = -ENOMEM;
	}
	return r;
}

static int aggregate_add_host(
	struct builder *b, const struct view *view, const struct member *members, size_t count)
{
	static const enum scope_quantity kept[] = {SCOPE_MEM_TOTAL, SCOPE_MEM_AVAILABLE,
		SCOPE_OOM_KILLS, SCOPE_MEMORY_WAITING, SCOPE_MEMORY_STALLED};
	const struct snapshot_scope *from = view_host(view);
	struct snapshot_scope *row = builder_add_scope(b, METRIC_HOST);
	struct sums sums = {0};

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sums_add(&sums, members[i].row);
	aggregate_set_sums(row, &sums, from);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (ROW_HAS(from, kept[i]))
			ROW_SET(row, kept[i], from->q[kept[i]]);
	return 0;
}

/* Images have processes in the order of pids. */
static int aggregate_add_processes(struct builder *b, struct member *members, size_t count)
{
	qsort(members, count, sizeof(*members), aggregate_compare_pids);
	for (size_t i = 0; i < count; i++) {
		struct snapshot_process *row = builder_add_process(b);

		if (!row)
			return -ENOMEM;
		*row = *members[i].row;
		memcpy(row->owner, members[i].owner, sizeof(members[i].owner));
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

static int aggregate_build(
	struct builder *b, const struct view *view, struct member *members, size_t count)
{
	int r = aggregate_add_host(b, view, members, count);

	for (unsigned int kind = 0; r == 0 && kind < OWNER_KINDS; kind++)
		r = add_owners(b, view, (enum owner_kind)kind, members, count);
	if (r == 0)
		r = aggregate_add_processes(b, members, count);
	return r == 0 ? add_self(b, view) : r;
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
	r = aggregate_build(&b, view, members, count);
	if (r == 0)
		r = builder_seal(&b, view->header, &fd);
	return r == 0 ? view_open(fd, ret, &reason) : r;
}
