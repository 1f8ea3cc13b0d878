/* SPDX-License-Identifier: Apache-2.0 */
/* Makes snapshots of owners and processes with chosen amounts of memory, in MiB. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_GROWING_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_GROWING_H

#include "tests/unit/support/snapshot/small.h"
#include "tests/unit/support/unit.h"

#include "base/clock.h"

#define GROWING_MIB (UINT64_C(1) << 20)

/* Adds an owner of SCOPE. Returns its row. */
static inline struct snapshot_scope *growing_add_owner(
	struct builder *b, enum metric_scope scope, const char *name, uint32_t id, uint64_t pss)
{
	uint32_t text = builder_add_text(b, name, strlen(name));
	struct snapshot_scope *row = builder_add_scope(b, scope);

	assert_non_null(row);
	row->name = text;
	row->id = id;
	ROW_SET(row, SCOPE_PSS, pss * GROWING_MIB);
	return row;
}

/* Adds a process of USER and PROGRAM, which started at START_S. Returns its row. */
static inline struct snapshot_process *growing_add_process(struct builder *b, uint32_t pid,
	const char *user, const char *program, int64_t start_s, uint64_t pss)
{
	uint32_t owner[2] = {builder_add_text(b, user, strlen(user)),
		builder_add_text(b, program, strlen(program))};
	struct snapshot_process *row = builder_add_process(b);

	assert_non_null(row);
	row->pid = pid;
	row->uid = 1000;
	row->owner[OWNER_USER] = owner[0];
	row->owner[OWNER_PROGRAM] = owner[1];
	row->outcome = OUTCOME_MEASURED;
	row->source = SOURCE_ROLLUP;
	ROW_SET(row, PROCESS_PSS, pss * GROWING_MIB);
	ROW_SET(row, PROCESS_START_TIME, (uint64_t)start_s * NS_PER_SEC);
	return row;
}

/* Returns the header of a snapshot at AT_S. */
static inline struct image_header growing_head(int64_t at_s)
{
	return (struct image_header){.sequence = 1,
		.interval_ns = 1,
		.stale_ns = 1,
		.realtime_ns = (uint64_t)at_s * NS_PER_SEC};
}

#endif
