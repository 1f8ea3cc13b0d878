/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a snapshot with the rows: which owners are in it, which counters go on, and how much
 * each owner has gained over the whole time that the snapshot covers. The bucket (ledger/count/bucket.h)
 * decides which part of it is written when. Pure.
 */
#ifndef MEMTALLY_LEDGER_COUNT_INTAKE_H
#define MEMTALLY_LEDGER_COUNT_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/count/rows.h"
#include "snapshot/view.h"

/* How a snapshot's counters relate to the rows'. */
enum intake_relation {
	/* First snapshot of this memtallyd: take its counters as they are, without a gain. */
	INTAKE_FIRST,
	INTAKE_SEQUEL, /* same memtallyd as before: counters have gone up */
	INTAKE_NEW,    /* a new memtallyd: its counters began at 0 */
};

struct intake {
	const struct view *view; /* borrowed */
	enum intake_relation relation;
	uint64_t number;    /* number of this snapshot; each has another */
	uint64_t brings_ns; /* ns that it covers */
	bool is_sampled;    /* swap and processes are integrated over that time, too */
	bool own_userns;    /* the snapshot's uids are those of our user namespace */
};

/*
 * For each row of ROWS, fills in what it has gained and its state after the snapshot (struct row).
 * Adds rows for new owners. Returns 0 or -ENOMEM: then the snapshot counts as not taken.
 *
 * OTHER: by kind, the "(other)" counter that an earlier run of memtally-ledger has written, the sum
 * of all owners without a series in the file; if there is one, .now.is_known is set. Clears OTHER.
 */
int intake_take(
	const struct intake *in, struct rows *rows, struct row other[static USAGE_KINDS_END]);

#endif
