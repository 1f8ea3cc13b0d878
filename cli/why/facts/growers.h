/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owners and processes that grew most
 *
 * Ranks rows by their growth (cli/why/facts/trace.h) up to the last snapshot before an event. The amount
 * of a row is its PSS and the memory that it has in swap (VmSwap): memory that is swapped out has
 * not gone. A row without a PSS has its RSS instead. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_GROWERS_H
#define MEMTALLY_CLI_WHY_FACTS_GROWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/why/facts/moments.h"
#include "cli/why/facts/trace.h"

enum {
	GROWERS_MAX = 10,
	GROWERS_LEAST_BYTES = 1 << 20, /* less growth is not listed */
};

enum growers_amount {
	GROWERS_MEMORY, /* PSS (or RSS) and swap */
	GROWERS_SWAP,   /* VmSwap alone */
};

/* A row of the last snapshot before the event. */
struct grower {
	enum metric_scope scope;                /* METRIC_PROCESS or that of owners */
	const struct snapshot_scope *owner;     /* borrowed from the snapshot; NULL: a process */
	const struct snapshot_process *process; /* borrowed, too; NULL: an owner */
	struct trace_growth growth;
	bool is_new; /* the process started, or the owner had none, since the first snapshot */
	bool is_rss; /* its PSS is not known: the amounts are of RSS */
	bool is_estimated; /* the last amount is an estimate, or a part of it */
};

struct growers {
	struct grower item[GROWERS_MAX]; /* the largest growth first */
	size_t count;
};

/*
 * Writes to *RET the owners that grew most: users, programs, units, units of users' own systemd and
 * containers, all in one list. Returns 0 or -ENOMEM.
 */
int growers_find_owners(const struct moments *m, struct growers *ret);

/* An owner with processes. */
struct growers_within {
	enum owner_kind kind;
	const struct view *of;            /* the snapshot of .row */
	const struct snapshot_scope *row; /* NULL: all processes */
};

/* Writes to *RET the processes WITHIN an owner that grew most in AMOUNT. */
void growers_find_processes(const struct moments *m, enum growers_amount amount,
	const struct growers_within *within, struct growers *ret);

/*
 * Writes to *RET the memory of ROW, a process, as it is compared: see above; *RET_IS_RSS: it is of
 * RSS. Returns false if it is not known, or counts at another process.
 */
bool growers_process_bytes(
	const struct snapshot_process *row, uint64_t *ret_bytes, bool *ret_is_rss);

#endif
