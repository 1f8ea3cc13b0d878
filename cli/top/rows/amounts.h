/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amounts of a row
 *
 * The few quantities that `memtally top` shows, of a process, an owner or a branch of a tree. They
 * add up by the rules of snapshot/sums.h, which has all quantities and takes six times the memory.
 * An absent amount is not 0. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_AMOUNTS_H
#define MEMTALLY_CLI_TOP_ROWS_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

/* Bytes unless a comment says otherwise. */
enum amount {
	AMOUNT_PSS,
	AMOUNT_PSS_LOW,
	AMOUNT_PSS_HIGH,
	AMOUNT_USS,
	AMOUNT_RSS,
	AMOUNT_SWAP,       /* SwapPss */
	AMOUNT_ESTIMATED,  /* the part of the PSS that is an estimate */
	AMOUNT_PROCESSES,  /* a count, as the next two */
	AMOUNT_UNMEASURED, /* processes that were not measured */
	AMOUNT_GUESSED,    /* processes that were never measured and have a guess */
	AMOUNTS,
	AMOUNT_PSS_SWAP = AMOUNTS, /* PSS and SwapPss together: computed by amounts_get() */
};

/* Zeroed: of no process; .present has no bit set. */
struct amounts {
	uint32_t present;  /* a bit for each enum amount */
	bool lacks_uss;    /* a member has a PSS but no USS: their sum would be that of a part */
	bool is_unbounded; /* the RSS of a member is not known: there is no upper bound */
	bool is_elsewhere; /* a process with memory that counts at another one */
	uint64_t q[AMOUNTS];
};

/* Gets the amounts of a process. */
void amounts_of_process(const struct snapshot_process *row, struct amounts *ret);

/* Gets the amounts of a row of sums. PRESENT and Q are by enum scope_quantity. */
void amounts_of_sums(uint64_t present, const uint64_t *q, struct amounts *ret);

/*
 * Begins the sum of no process. It has no amount yet; if it stays without processes, amounts_end()
 * makes all present, and 0.
 */
void amounts_begin(struct amounts *ret);

/*
 * Adds FROM, of a process or another sum, to TO, a sum. A quantity that no member has stays absent.
 * No sum exceeds INT64_MAX.
 */
void amounts_add(struct amounts *to, const struct amounts *from);

/*
 * Completes the sum A. HOST is the host's row: a part of the host has no higher upper bound than the
 * host.
 */
void amounts_end(struct amounts *a, const struct snapshot_scope *host);

/* Writes amount I to *RET. Returns false if it is absent. I may be AMOUNT_PSS_SWAP. */
bool amounts_get(const struct amounts *a, enum amount i, uint64_t *ret);

/* The doubt about a PSS. */
enum amounts_doubt {
	AMOUNTS_EXACT,    /* the bounds are so close that they are not shown; or there is no PSS */
	AMOUNTS_BETWEEN,  /* the PSS is within a distance of it */
	AMOUNTS_UP_TO,    /* the upper bound is more than twice the PSS */
	AMOUNTS_AT_LEAST, /* there is no upper bound */
};

/*
 * Returns how A's PSS is in doubt, by the limits of cli/table/note.h. *RET is the distance of the
 * farther bound from the PSS if that is AMOUNTS_BETWEEN, the upper bound if it is AMOUNTS_UP_TO,
 * else 0; in bytes.
 */
enum amounts_doubt amounts_doubt(const struct amounts *a, uint64_t *ret);

#endif
