/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/same-row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

const struct snapshot_process *same_row_process(
	const struct view *view, const struct snapshot_process *row)
{
	const struct snapshot_process *found = view_find_process(view, row->pid);

	if (!found || !ROW_HAS(found, PROCESS_START_TIME) || !ROW_HAS(row, PROCESS_START_TIME))
		return found;
	return saturate_distance(found->q[PROCESS_START_TIME], row->q[PROCESS_START_TIME]) <
	                       SAME_ROW_NOISE_NS
	               ? found
	               : NULL;
}

bool same_row_is_gone(const struct view *view, const struct snapshot_process *row)
{
	const struct snapshot_process *now = same_row_process(view, row);

	return !now || now->outcome == OUTCOME_NO_MM || now->outcome == OUTCOME_GONE;
}

static bool same_row_is_by_id(enum owner_kind kind)
{
	return kind == OWNER_USER || kind == OWNER_GROUP;
}

/* Compares the owners of KIND with rows A in the snapshot OF_A and B in OF_B, as strcmp(). */
static int same_row_compare(enum owner_kind kind, const struct view *of_a,
	const struct snapshot_scope *a, const struct view *of_b, const struct snapshot_scope *b)
{
	int order;

	if (same_row_is_by_id(kind))
		return a->id < b->id ? -1 : a->id > b->id;
	order = strcmp(view_text(of_a, a->name), view_text(of_b, b->name));
	return order ? order : strcmp(view_text(of_a, a->user), view_text(of_b, b->user));
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct same_row_index *index = context;

	return same_row_compare(index->kind, index->view, *(const struct snapshot_scope *const *)a,
		index->view, *(const struct snapshot_scope *const *)b);
}

bool same_row_is_owner(const struct view *view, const struct snapshot_scope *row)
{
	return !(row->flags & SCOPE_OTHER) && strcmp(view_text(view, row->name), OWNER_NONE) != 0;
}

int same_row_index_make(const struct view *view, enum owner_kind kind, struct same_row_index *ret)
{
	enum metric_scope scope = metric_owner_scope(kind);
	uint32_t count = view_count(view, scope);
	struct same_row_index index = {.view = view, .kind = kind};

	index.row = calloc((size_t)count + 1, sizeof(void *));
	if (!index.row)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (same_row_is_owner(view, row))
			index.row[index.rows++] = row;
	}
	qsort_r(index.row, index.rows, sizeof(void *), compare_rows, &index);
	*ret = index;
	return 0;
}

void same_row_index_done(struct same_row_index *index)
{
	free(index->row);
	*index = (struct same_row_index){.row = NULL};
}

const struct snapshot_scope *same_row_owner(
	const struct same_row_index *index, const struct view *of, const struct snapshot_scope *row)
{
	size_t at = ARRAY_FIRST(index->rows, i,
		same_row_compare(index->kind, index->view, index->row[i], of, row) >= 0);

	if (at == index->rows ||
		same_row_compare(index->kind, index->view, index->row[at], of, row) != 0)
		return NULL;
	return index->row[at];
}

const struct snapshot_scope *same_row_find(const struct view *view, enum owner_kind kind,
	const struct view *of, const struct snapshot_scope *row)
{
	enum metric_scope scope = metric_owner_scope(kind);
	uint32_t count = view_count(view, scope);

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_scope *found = view_scope(view, scope, i);

		if (same_row_is_owner(view, found) &&
			same_row_compare(kind, view, found, of, row) == 0)
			return found;
	}
	return NULL;
}

bool same_row_is_member(const struct view *view, const struct snapshot_process *process,
	enum owner_kind kind, const struct view *of, const struct snapshot_scope *row)
{
	if (strcmp(view_owner(view, process, kind), view_text(of, row->name)) != 0)
		return false;
	return kind != OWNER_USER_UNIT ||
	       !strcmp(view_owner(view, process, OWNER_USER), view_text(of, row->user));
}
