/* SPDX-License-Identifier: Apache-2.0 */
/* For the sources of cli/why/facts/cause.h alone. */
#ifndef MEMTALLY_CLI_WHY_FACTS_CAUSE_PRIVATE_H
#define MEMTALLY_CLI_WHY_FACTS_CAUSE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/why/facts/cause.h"
#include "cli/why/facts/same-row.h"

/*
 * Adds to C->gone those of the owners in BEFORE, of the last snapshot before the event, that have none
 * of their processes any more in UNTIL, if they are units or containers and a later reading of their
 * counter does not exclude them. Sets C->is_gone_unclear. UNTIL is of the last snapshot before the
 * next kill, END of the last one of M.
 */
void cause_add_gone(const struct moments *m, const struct same_row_index *before,
	const struct same_row_index *until, const struct same_row_index *end, struct cause *c);

/* Returns true if PROCESS of VIEW is in the cgroup at P: a slice has the processes of slices in it, too. */
bool cause_is_member(const struct view *view, const struct snapshot_process *process,
	const struct cause_place *p);

/*
 * Returns true if cgroup B, which is of a kind further in, is inside of cgroup A: a process that both
 * have shows it. Without rows of processes only names do: of nested slices, of a container's unit
 * and of its pod.
 */
bool cause_is_inside(
	const struct moments *m, const struct cause_place *a, const struct cause_place *b);

/* Returns when the counters of ROW in VIEW were read, in nanoseconds since the epoch. */
uint64_t cause_read_ns(const struct view *view, const struct snapshot_scope *row);

/*
 * Assigns kills of C that no counter of a unit or container explains to the one in C->gone that may
 * have had them, if there is one alone. M has at least one snapshot after the event; UNTIL is the last
 * one before the next kill.
 */
void cause_find_lost(const struct moments *m, const struct view *until, struct cause *c);

#endif
