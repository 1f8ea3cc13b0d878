/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots with namegroups, for tests of comparisons with process-exporter. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_COMPARED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_COMPARED_H

#include "base/clock.h"
#include "tests/unit/support/snapshot/small.h"

/* A namegroup. Amounts in KiB; COMPARED_ABSENT: not known. */
struct compared_group {
	const char *name;
	int64_t processes, rss, pss, low, high;
	uint32_t flags;
	int64_t age_s; /* of the measurement of its only process in the snapshot; 0: it has none */
	int64_t denied, blocked; /* processes that were not measured */
};

enum { COMPARED_ABSENT = -1 };

static inline void compared_set(
	struct snapshot_scope *row, enum scope_quantity i, int64_t value, uint64_t unit)
{
	if (value != COMPARED_ABSENT)
		ROW_SET(row, i, (uint64_t)value * unit);
}

/* Adds G to B, as process NUMBER if it has one in the snapshot. */
static inline void compared_add(struct builder *b, const struct compared_group *g, uint32_t number)
{
	struct snapshot_scope *row = builder_add_scope(b, metric_owner_scope(OWNER_NAMEGROUP));
	struct snapshot_process *process;

	assert_non_null(row);
	row->name = builder_add_text(b, g->name, strlen(g->name));
	row->flags = g->flags;
	compared_set(row, SCOPE_PROCESSES, g->processes, 1);
	compared_set(row, SCOPE_RSS, g->rss, 1024);
	compared_set(row, SCOPE_PSS, g->pss, 1024);
	compared_set(row, SCOPE_PSS_LOW, g->low, 1024);
	compared_set(row, SCOPE_PSS_HIGH, g->high, 1024);
	compared_set(row, SCOPE_UNMEASURED_DENIED, g->denied, 1);
	compared_set(row, SCOPE_UNMEASURED_BLOCKED, g->blocked, 1);
	if (!g->age_s)
		return;
	process = builder_add_process(b);
	assert_non_null(process);
	process->pid = number;
	process->owner[OWNER_NAMEGROUP] = row->name;
	ROW_SET(process, PROCESS_PSS, row->q[SCOPE_PSS]);
	ROW_SET(process, PROCESS_PSS_AGE, (uint64_t)g->age_s * NS_PER_SEC);
}

/* Adds the COUNT GROUPS to B. */
static inline void compared_fill(
	struct builder *b, const struct compared_group *group, size_t count)
{
	for (size_t i = 0; i < count; i++)
		compared_add(b, &group[i], (uint32_t)i + 1);
}

#endif
