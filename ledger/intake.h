/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot brings to each owner: who of them is there, who goes on from whose counter, and what each has gained
 * over the whole time that it brings. When that was, and what of it is written when, is the bucket's. Pure.
 */
#ifndef MEMTALLY_LEDGER_INTAKE_H
#define MEMTALLY_LEDGER_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/rows.h"
#include "snapshot/view.h"

/* How it goes with what has been counted. */
enum intake_relation {
	INTAKE_FIRST,  /* counters are where they are */
	INTAKE_SEQUEL, /* counters have gone up */
	INTAKE_NEW,    /* counters began at 0 */
};

/* What a ledger that has ended had counted of those of a kind who have no counter of their own in the file. */
struct intake_pool {
	bool is_set, has_swap;
	double counted;
	uint64_t swap_bytes, processes;
};

struct intake {
	const struct view *view; /* borrowed */
	enum intake_relation relation;
	uint64_t number;    /* no other snapshot has it */
	uint64_t brings_ns; /* how long it is of */
	bool is_sampled;    /* swap and processes can be known of that time, too */
	bool own_userns;    /* its uids are those of our user namespace */
};

/*
 * Takes it: what is of the snapshot that is being taken is filled in of each of ROWS, those who are new among them. POOL
 * is used up. -ENOMEM: it is as if it had not come.
 */
int intake_take(const struct intake *in, struct rows *rows,
	struct intake_pool pool[static USAGE_KINDS_END]);

#endif
