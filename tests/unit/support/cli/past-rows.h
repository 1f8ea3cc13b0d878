/* SPDX-License-Identifier: Apache-2.0 */
/* Small snapshots with chosen users and processes, as recordings have them. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_PAST_ROWS_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_PAST_ROWS_H

#include "tests/unit/support/snapshot/small.h"
#include "tests/unit/support/unit.h"

#include "cli/past/change.h"

#define PAST_ROWS_MIB (UINT64_C(1) << 20)

/* A user and its process. Amounts are in MiB. */
struct past_row {
	const char *user, *program;
	uint32_t id, pid;
	uint64_t start_ns;
	uint64_t pss, low, high; /* .high 0: there is no upper bound */
	bool is_denied;          /* the process has no PSS */
	bool is_empty;           /* the user has no process now */
};

static inline void past_rows_add_user(struct builder *b, const struct past_row *r)
{
	struct snapshot_scope *row;
	uint32_t name = builder_add_text(b, r->user, strlen(r->user));

	row = builder_add_scope(b, METRIC_USER);
	assert_non_null(row);
	row->name = name;
	row->id = r->id;
	ROW_SET(row, SCOPE_PROCESSES, !r->is_empty);
	if (r->is_denied)
		return;
	ROW_SET(row, SCOPE_PSS, r->pss * PAST_ROWS_MIB);
	ROW_SET(row, SCOPE_PSS_LOW, r->low * PAST_ROWS_MIB);
	if (r->high)
		ROW_SET(row, SCOPE_PSS_HIGH, r->high * PAST_ROWS_MIB);
}

static inline void past_rows_add_process(struct builder *b, const struct past_row *r)
{
	struct snapshot_process *row;
	uint32_t user = builder_add_text(b, r->user, strlen(r->user));
	uint32_t program = builder_add_text(b, r->program, strlen(r->program));

	row = builder_add_process(b);
	assert_non_null(row);
	row->pid = r->pid;
	row->uid = r->id;
	row->owner[OWNER_USER] = user;
	row->owner[OWNER_PROGRAM] = program;
	row->outcome = r->is_denied ? OUTCOME_DENIED : OUTCOME_MEASURED;
	if (r->start_ns)
		ROW_SET(row, PROCESS_START_TIME, r->start_ns);
	if (r->is_denied)
		return;
	row->source = SOURCE_ROLLUP;
	ROW_SET(row, PROCESS_PSS, r->pss * PAST_ROWS_MIB);
	ROW_SET(row, PROCESS_PSS_LOW, r->low * PAST_ROWS_MIB);
	if (r->high)
		ROW_SET(row, PROCESS_PSS_HIGH, r->high * PAST_ROWS_MIB);
}

/* Returns the snapshot of the COUNT ROWS, by ascending pid. The caller unrefs it. */
static inline struct view *past_rows_view(const struct past_row *rows, size_t count)
{
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	for (size_t i = 0; i < count; i++) {
		past_rows_add_user(&s.builder, &rows[i]);
		if (!rows[i].is_empty)
			past_rows_add_process(&s.builder, &rows[i]);
	}
	return small_view(&s.builder, NULL);
}

/* Adds the snapshot of the COUNT ROWS to C. */
static inline void past_rows_take(struct change *c, const struct past_row *rows, size_t count)
{
	AUTO_VIEW struct view *view = past_rows_view(rows, count);
	uint32_t row[64], found = view_count(view, c->scope);

	assert_in_range(found, 0, ARRAY_SIZE(row));
	for (uint32_t i = 0; i < found; i++)
		row[i] = i;
	assert_int_equal(change_add(c, view, row, found), 0);
}

#endif
