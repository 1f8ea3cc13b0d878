/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/aggregate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/builder.h"

/* A row while it is summed up. */
struct sum {
	uint64_t present;
	uint64_t q[SCOPE_QUANTITIES];
	uint64_t private_hugetlb, shared_hugetlb_max;
	bool has_hugetlb;
	bool is_unbounded; /* a member has neither PSS nor RSS */
};

static const struct {
	enum process_quantity process;
	enum scope_quantity scope;
} summed[] = {
	{PROCESS_PSS, SCOPE_PSS},
	{PROCESS_PSS_LOW, SCOPE_PSS_LOW},
	{PROCESS_USS, SCOPE_USS},
	{PROCESS_RSS, SCOPE_RSS},
	{PROCESS_SWAP_PSS, SCOPE_SWAP_PSS},
	{PROCESS_VM_SWAP, SCOPE_VM_SWAP},
	{PROCESS_VM_PTE, SCOPE_PAGETABLE},
};

/* A quantity of a snapshot is below 2^63; so is a sum, at the price of its exactness there. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

static void sum_add(struct sum *s, enum scope_quantity i, uint64_t value)
{
	ROW_SET(s, i, add(s->q[i], value));
}

static void count_outcome(struct sum *s, unsigned int outcome)
{
	sum_add(s, SCOPE_PROCESSES, 1);
	switch (outcome) {
	case OUTCOME_DENIED: sum_add(s, SCOPE_UNMEASURED_DENIED, 1); break;
	case OUTCOME_MALFORMED: sum_add(s, SCOPE_UNMEASURED_MALFORMED, 1); break;
	case OUTCOME_CHANGING: sum_add(s, SCOPE_UNMEASURED_CHANGING, 1); break;
	case OUTCOME_ERROR: sum_add(s, SCOPE_UNMEASURED_ERROR, 1); break;
	default: break;
	}
}

/* Of hugetlb pages the private ones are summed; of shared ones the largest amount stands for all. */
static void add_hugetlb(struct sum *s, const struct snapshot_process *p)
{
	if (ROW_HAS(p, PROCESS_PRIVATE_HUGETLB))
		s->private_hugetlb = add(s->private_hugetlb, p->q[PROCESS_PRIVATE_HUGETLB]);
	if (ROW_HAS(p, PROCESS_SHARED_HUGETLB) &&
		p->q[PROCESS_SHARED_HUGETLB] > s->shared_hugetlb_max)
		s->shared_hugetlb_max = p->q[PROCESS_SHARED_HUGETLB];
	s->has_hugetlb = s->has_hugetlb || ROW_HAS(p, PROCESS_PRIVATE_HUGETLB) ||
	                 ROW_HAS(p, PROCESS_SHARED_HUGETLB);
}

/* What cannot be measured is at most its RSS. */
static void add_high(struct sum *s, const struct snapshot_process *p)
{
	if (ROW_HAS(p, PROCESS_PSS_HIGH))
		sum_add(s, SCOPE_PSS_HIGH, p->q[PROCESS_PSS_HIGH]);
	else if (ROW_HAS(p, PROCESS_RSS))
		sum_add(s, SCOPE_PSS_HIGH, p->q[PROCESS_RSS]);
	else
		s->is_unbounded = true;
}

static void add_process(struct sum *s, const struct snapshot_process *p)
{
	count_outcome(s, p->outcome);
	if (p->outcome == OUTCOME_SHARED_MM)
		return; /* its memory is another row's */
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		if (ROW_HAS(p, summed[i].process))
			sum_add(s, summed[i].scope, p->q[summed[i].process]);
	add_high(s, p);
	add_hugetlb(s, p);
	if (ROW_HAS(p, PROCESS_VM_HWM) &&
		(!ROW_HAS(s, SCOPE_VM_HWM_MAX) || p->q[PROCESS_VM_HWM] > s->q[SCOPE_VM_HWM_MAX]))
		ROW_SET(s, SCOPE_VM_HWM_MAX, p->q[PROCESS_VM_HWM]);
}

static void sum_finish(struct sum *s, struct snapshot_scope *row)
{
	for (unsigned int i = SCOPE_PROCESSES; i <= SCOPE_UNMEASURED_ERROR; i++)
		ROW_SET(s, i, s->q[i]);
	if (s->has_hugetlb)
		ROW_SET(s, SCOPE_HUGETLB, add(s->private_hugetlb, s->shared_hugetlb_max));
	if (!s->q[SCOPE_PROCESSES]) { /* a sum over nothing is known: it is 0 */
		for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
			ROW_SET(s, summed[i].scope, 0);
		ROW_SET(s, SCOPE_PSS_HIGH, 0);
		ROW_SET(s, SCOPE_HUGETLB, 0);
	}
	if (s->is_unbounded)
		s->present &= ~(UINT64_C(1) << SCOPE_PSS_HIGH);
	row->present = s->present;
	memcpy(row->q, s->q, sizeof(row->q));
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

static const char *name_in(
	const struct view *view, enum metric_scope scope, const struct snapshot_process *p)
{
	switch (scope) {
	case METRIC_USER: return view_text(view, p->user);
	case METRIC_PROGRAM: return view_text(view, p->program);
	case METRIC_UNIT: return view_text(view, p->unit);
	default: return "";
	}
}

/* One row over the members from FIRST on that share its name; returns how many, 0: out of memory. */
static size_t add_group(struct builder *b, enum metric_scope scope, const struct member *first,
	const struct member *end)
{
	struct snapshot_scope *row = builder_add_scope(b, scope);
	const struct member *m = first;
	struct sum sum = {0};

	if (!row)
		return 0;
	for (; m < end && !strcmp(m->name, first->name); m++)
		add_process(&sum, m->row);
	row->name = builder_add_text(b, first->name, strlen(first->name));
	row->uid = scope == METRIC_USER ? first->row->uid : 0;
	sum_finish(&sum, row);
	return (size_t)(m - first);
}

static int add_scope(struct builder *b, const struct view *view, enum metric_scope scope,
	struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		members[i].name = name_in(view, scope, members[i].row);
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0, n; i < count; i += n) {
		n = add_group(b, scope, members + i, members + count);
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
	struct sum sum = {0};

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		add_process(&sum, members[i].row);
	sum_finish(&sum, row);
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
		row->user = copy_text(b, view, members[i].row->user);
		row->program = copy_text(b, view, members[i].row->program);
		row->unit = copy_text(b, view, members[i].row->unit);
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
	for (int scope = METRIC_USER; r == 0 && scope <= METRIC_UNIT; scope++)
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
