/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What snapshots around an event show
 *
 * All that `memtally why` says about an event: its kind, the owners and processes that grew before
 * it, and what changed on the host. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_FINDINGS_H
#define MEMTALLY_CLI_WHY_FACTS_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/why/facts/cause.h"
#include "cli/why/facts/growers.h"
#include "cli/why/facts/incident.h"
#include "cli/why/facts/moments.h"
#include "cli/why/facts/vanished.h"
#include "snapshot/balance.h"

enum {
	FINDINGS_LINES = 6, /* of the balance sheet */
	FINDINGS_SWAPPED = 3,
	FINDINGS_WAITERS = 3,
	FINDINGS_LEAST_BYTES = 1 << 20, /* smaller changes are not listed */
};

/* A quantity of the host at the three times of a page. */
struct findings_amount {
	bool has_start, has_before, has_after;
	uint64_t start, before, after;
};

/* A line of the host's balance sheet: the residual as well, which may be negative. */
struct findings_line {
	const struct balance_kind *kind; /* NULL: the residual */
	int64_t start_bytes, before_bytes;
};

/* A unit or container of which processes waited for memory. */
struct findings_waiter {
	struct cause_place place;
	uint64_t waited_ns;
};

/* All pointers are into the snapshots of .moments, which the caller keeps. */
struct findings {
	struct incident incident;
	struct moments moments;
	bool is_own_only; /* the snapshots have rows of the caller's own processes alone */
	bool is_public;   /* they have no rows of processes */

	struct cause cause;
	struct growers owners, processes;
	struct growers inside;  /* processes of the first owner with OOM kills; empty: none */
	struct growers swapped; /* processes that most memory was swapped out of */
	struct vanished vanished;

	/* From here on the page compares: the snapshot in which the first growth began, or the first */
	const struct view *start;
	struct findings_amount available, total; /* MemAvailable and MemTotal */
	struct findings_amount swap_used, swap_free;
	struct findings_line line[FINDINGS_LINES]; /* the largest change first */
	size_t lines;

	/*
	 * For how long processes of the host waited for memory, one at least (.waited) or all at once
	 * (.stalled), between two snapshots with .waited_span_ns between them; absent: not known
	 */
	const struct view *waited_from, *waited_to;
	bool has_waited, has_stalled;
	uint64_t waited_ns, stalled_ns, waited_span_ns;
	struct findings_waiter waiter[FINDINGS_WAITERS]; /* the longest first */
	size_t waiters;

	bool has_restart; /* memtallyd started between the first snapshot and the last */
	uint64_t restart_ns;
	bool has_reboot; /* the host started after the last snapshot before the event */
	bool has_gap;    /* no snapshot was recorded for longer than three intervals at the event */
};

/*
 * Compares the snapshots M around INCIDENT. Returns 0 with the findings in *RET, or -ENOMEM.
 */
int findings_make(const struct moments *m, const struct incident *incident, bool is_own_only,
	struct findings *ret);

/*
 * Returns the process that the page names first: of those inside of the owner with OOM kills the one
 * that grew most, or else of all. If the kill was probably at the limit of an unknown cgroup, only
 * the suspect is named, because others are as likely innocent. NULL: none grew.
 */
const struct grower *findings_first_process(const struct findings *f);

/*
 * Returns true if the OOM kill was in no cgroup that a counter tells while at least a tenth of MemTotal
 * was available: it was probably at the limit of a cgroup.
 */
bool findings_is_limit_likely(const struct findings *f);

/*
 * Returns the largest process that vanished at an OOM kill in no known cgroup, of a cgroup that is
 * gone if there is one: perhaps the killed one. NULL: the cgroup is known, or nothing vanished.
 */
const struct vanished_process *findings_suspect(const struct findings *f);

/*
 * Returns the owner that the page names instead: a program that grew at least twice as much as any
 * process, or, if no process grew or is shown, the owner that grew most. NULL: there is none.
 */
const struct grower *findings_first_owner(const struct findings *f);

#endif
