/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one process or owner in different snapshots
 *
 * A process is the same if its pid and its start are. A user or group is the same if its id is,
 * because its name may be known later than its number; any other owner if its name and its user are.
 * Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_SAME_ROW_H
#define MEMTALLY_CLI_WHY_FACTS_SAME_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "snapshot/view.h"

/* Start times are this inexact: a clock that is set moves them. */
#define SAME_ROW_NOISE_NS (2 * NS_PER_SEC)

/* Returns the row in VIEW of the process of ROW, of any snapshot; NULL: there is none. */
const struct snapshot_process *same_row_process(
	const struct view *view, const struct snapshot_process *row);

/* Returns true if VIEW does not have the process of ROW, or has it without memory (a zombie). */
bool same_row_is_gone(const struct view *view, const struct snapshot_process *row);

/* The owners of one kind in one snapshot, in an order in which they can be searched. */
struct same_row_index {
	const struct view *view; /* borrowed */
	enum owner_kind kind;
	const struct snapshot_scope **row; /* owned */
	size_t rows;
};

/* Makes an index in *RET, which the caller gives to same_row_index_done(). Returns 0 or -ENOMEM. */
int same_row_index_make(const struct view *view, enum owner_kind kind, struct same_row_index *ret);

/* Frees what INDEX owns. Accepts a zeroed INDEX. */
void same_row_index_done(struct same_row_index *index);
#define AUTO_SAME_ROW_INDEX CLEANUP(same_row_index_done)

/* Returns the row in INDEX of the owner that has ROW in the snapshot OF; NULL: there is none. */
const struct snapshot_scope *same_row_owner(const struct same_row_index *index,
	const struct view *of, const struct snapshot_scope *row);

/*
 * Returns the row in VIEW of the owner of KIND that has ROW in the snapshot OF; NULL: there is none.
 * Looks at all rows: for many owners make an index.
 */
const struct snapshot_scope *same_row_find(const struct view *view, enum owner_kind kind,
	const struct view *of, const struct snapshot_scope *row);

/*
 * Returns true if PROCESS of VIEW belongs to the owner of KIND that has ROW in the snapshot OF. A
 * unit of a user's own systemd has only the processes of that user.
 */
bool same_row_is_member(const struct view *view, const struct snapshot_process *process,
	enum owner_kind kind, const struct view *of, const struct snapshot_scope *row);

/* Returns true if ROW of VIEW is an owner: neither "(other)" nor "(none)". */
bool same_row_is_owner(const struct view *view, const struct snapshot_scope *row);

#endif
