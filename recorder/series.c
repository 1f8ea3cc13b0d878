/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/series.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "snapshot/owner.h"

enum {
	UID_SIZE = 12,      /* of a uid as text */
	HAS_VALUE = 1 << 0, /* bits of .present of a point */
	HAS_BOUNDS = 1 << 1,
};

/*
 * Start times of one process, which memtallyd computes from the ticks since the start of the host,
 * differ at most by this while the clock is slewed.
 */
#define START_SLACK_NS (2 * NS_PER_SEC)

void series_clamp(uint64_t first_ns, uint64_t last_ns, uint64_t *from_ns, uint64_t *until_ns)
{
	if (*from_ns < first_ns)
		*from_ns = first_ns;
	if (*until_ns > last_ns)
		*until_ns = last_ns;
	if (*until_ns < *from_ns)
		*until_ns = *from_ns;
}

uint64_t series_step_ns(uint64_t from_ns, uint64_t until_ns, uint64_t step_ns)
{
	/* A span may be cut at either end, so so many spans may have one more. */
	uint64_t least = (until_ns - from_ns) / (PAST_POINTS_MAX - 1) + 1;

	return step_ns > least ? step_ns : least;
}

static const struct snapshot_scope *find_scope(
	const struct view *view, enum metric_scope scope, const char *name)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (scope == METRIC_HOST || !strcmp(view_text(view, row->name), name))
			return row;
	}
	return NULL;
}

static bool is_start(const struct snapshot_process *row, uint64_t start_ns)
{
	uint64_t found = row->q[PROCESS_START_TIME];

	if (!ROW_HAS(row, PROCESS_START_TIME))
		return false;
	return (found > start_ns ? found - start_ns : start_ns - found) <= START_SLACK_NS;
}

static const struct snapshot_process *find_process(
	const struct view *view, const struct past_request *r, const struct sight *sight)
{
	const struct snapshot_process *row = view_find_process(view, r->pid);

	if (!row || !sight_has(sight, row) || (r->start_ns && !is_start(row, r->start_ns)))
		return NULL;
	return row;
}

/* Writes quantity I of a row with PRESENT and Q to *RET; if I is PSS, with the bounds LOW and HIGH. */
static void put_quantity(uint64_t present, const uint64_t *q, unsigned int i, unsigned int pss,
	unsigned int low, unsigned int high, struct past_point *ret)
{
	if (!((present >> i) & 1))
		return;
	ret->present = HAS_VALUE;
	ret->value = q[i];
	if (i != pss || !((present >> low) & 1) || !((present >> high) & 1) || q[low] > q[high])
		return;
	ret->present |= HAS_BOUNDS;
	ret->low = q[low];
	ret->high = q[high];
}

/* Returns whether ROW of SCOPE belongs to the user UID. */
static bool series_is_own(const struct view *view, const struct snapshot_scope *row,
	enum metric_scope scope, uint32_t uid)
{
	const char *user = view_text(view, row->user);
	char number[UID_SIZE];

	if (scope == METRIC_USER)
		return row->id == uid && !(row->flags & SCOPE_OTHER);
	if (!owner_of(metric_owner_kind(scope))->has_user || !*user)
		return false;
	snprintf(number, sizeof(number), "%u", uid);
	if (!strcmp(user, number))
		return true;
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++) {
		const struct snapshot_scope *s = view_scope(view, METRIC_USER, i);

		if (s->id == uid && !(s->flags & SCOPE_OTHER))
			return !strcmp(user, view_text(view, s->name));
	}
	return false;
}

/* Returns whether SIGHT lets ROW of SCOPE be seen in a series: the rule of /api/v1/history. */
static bool series_is_seen(const struct view *view, const struct snapshot_scope *row,
	enum metric_scope scope, const struct sight *sight)
{
	if (sight->kind == SIGHT_ALL || scope == METRIC_HOST)
		return true;
	return sight->kind == SIGHT_OWN && series_is_own(view, row, scope, sight->uid);
}

void series_point(const struct view *view, const struct past_request *r, const struct sight *sight,
	struct past_point *ret)
{
	*ret = (struct past_point){0};
	if (r->scope == METRIC_PROCESS) {
		const struct snapshot_process *row = find_process(view, r, sight);

		if (row)
			put_quantity(row->present, row->q, r->quantity, PROCESS_PSS,
				PROCESS_PSS_LOW, PROCESS_PSS_HIGH, ret);
	} else {
		const struct snapshot_scope *row = find_scope(view, r->scope, r->name);

		if (row && series_is_seen(view, row, r->scope, sight))
			put_quantity(row->present, row->q, r->quantity, SCOPE_PSS, SCOPE_PSS_LOW,
				SCOPE_PSS_HIGH, ret);
	}
}

void series_add(struct past_point *to, uint32_t *count, const struct past_point *point)
{
	if (*count < PAST_POINTS_MAX && point->at_ns &&
		(!*count || to[*count - 1].at_ns < point->at_ns))
		to[(*count)++] = *point;
}
