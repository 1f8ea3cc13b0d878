/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History of rows
 *
 * What `memtally top` remembers of the PSS of each row: a sample every 15 seconds for the last ten
 * minutes. Growth and trend are made of it. Times are CLOCK_BOOTTIME, so steps of the wall clock do
 * not matter. What was not seen is absent, never 0. An entry takes about 240 bytes; rows that are
 * not in the snapshots are forgotten (history_end()). Pure.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_HISTORY_H
#define MEMTALLY_CLI_TOP_ROWS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hashmap.h"

#define HISTORY_SLOT_NS (15 * NS_PER_SEC)
#define HISTORY_SPAN_NS (600 * NS_PER_SEC)

enum {
	HISTORY_SLOTS = 48,        /* remembered: more than ten minutes of them */
	HISTORY_TREND = 8,         /* cells of a trend */
	HISTORY_LEVELS = 8,        /* of a cell of a trend */
	HISTORY_ROWS_MAX = 100000, /* entries at most: 24 MB; further rows have no history */
	HISTORY_SUMS_MAX = HISTORY_ROWS_MAX / 2, /* entries up to which sums get new ones */
};

/* A row. */
struct history_id {
	uint64_t key; /* evenly spread, with a secret (base/siphash.h) */
	/*
	 * For a process CLOCK_BOOTTIME at which this memtallyd first saw it or its last exec, in ns;
	 * 0: not known, or the row is an owner
	 */
	uint64_t since_ns;
	uint64_t salt;   /* of a sum over chosen processes: a number of the choice; else 0 */
	bool is_lasting; /* the row may come back: it is remembered for ten minutes without samples */
};

/* The maker of the snapshots. Each may see other processes, and so have other sums. */
enum history_source { HISTORY_OF_MEMTALLYD, HISTORY_OF_CHILD };

struct history_entry {
	struct history_id id;
	uint64_t last_slot;          /* the newest slot with a sample; UINT64_MAX: none */
	bool is_seen;                /* in the snapshot that is being added */
	uint32_t kib[HISTORY_SLOTS]; /* by slot % HISTORY_SLOTS; HISTORY_ABSENT: no sample */
};

/* Zeroed: empty. */
struct history {
	struct hashmap map;
	struct history_entry *entry; /* owned */
	size_t count, room;
	size_t next;       /* the entry that the next row probably has */
	uint64_t slot;     /* of the newest snapshot */
	uint64_t begin_ns; /* CLOCK_BOOTTIME of the snapshot that began it */
	bool has_sums;     /* history_begin_sums() was called in it */
	enum history_source source;
	uint64_t interval_ns; /* between its snapshots */
};

/* Frees what H owns, and empties it. */
void history_done(struct history *h);

/* Says that SOURCE makes the next snapshots. If it was another one, forgets lasting rows: sums. */
void history_take_from(struct history *h, enum history_source source);

/*
 * Says that a snapshot of BOOTTIME_NS is shown, after which the next one comes in INTERVAL_NS. Returns
 * true if it begins a slot: then the caller adds all rows by history_add() and calls history_end(). An
 * older snapshot than the last one begins no slot.
 */
bool history_begin(struct history *h, uint64_t boottime_ns, uint64_t interval_ns);

/*
 * Returns true if the snapshot of BOOTTIME_NS began the present slot, and this is the first call in the
 * slot: then the caller adds the sums over the processes of choice SALT, which is not 0, by
 * history_add(). Those of other choices are forgotten.
 */
bool history_begin_sums(struct history *h, uint64_t boottime_ns, uint64_t salt);

/*
 * Adds the sample PSS_BYTES of row ID in the present slot; does nothing if the slot has one. Forgets
 * the earlier samples of a process that has called exec, or is told by another memtallyd, which does
 * not know. Without memory the row gets no history.
 */
void history_add(struct history *h, const struct history_id *id, uint64_t pss_bytes);

/*
 * Forgets the rows that have not been added since history_begin(): lasting ones if they have no
 * sample of the last ten minutes, others at once.
 */
void history_end(struct history *h);

/*
 * Writes to *RET by how many bytes the PSS of row ID, now PSS_BYTES, has grown over SPAN_NS; it may
 * be negative. Returns false if there is no sample of that time. The sample is at most 15 s, or one
 * interval between snapshots, away from that time.
 */
bool history_growth(const struct history *h, const struct history_id *id, uint64_t boottime_ns,
	uint64_t span_ns, uint64_t pss_bytes, int64_t *ret);

/*
 * Writes the trend of row ID, PSS_BYTES at BOOTTIME_NS, over the ten minutes before that to RET, the
 * oldest part first: levels from 1 to HISTORY_LEVELS, or 0 where there is no sample. Level 1 is the
 * lowest PSS of the row in that time, and the highest level its highest one; but if they are close,
 * the trend is nearly flat.
 */
void history_trend(const struct history *h, const struct history_id *id, uint64_t boottime_ns,
	uint64_t pss_bytes, uint8_t ret[static HISTORY_TREND]);

#endif
