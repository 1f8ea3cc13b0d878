/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History of rows
 *
 * What `memtally top` remembers of the PSS of each row: a sample every 15 seconds for the last ten
 * minutes. Growth and trend are made of it. Times are CLOCK_BOOTTIME, so steps of the wall clock do
 * not matter. What was not seen is absent, never 0. An entry takes about 240 bytes; rows that are
 * not in the snapshots are forgotten (history_end()). Older snapshots, those of a recording, fill
 * slots before them (history_fill()). Pure.
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
	size_t next;   /* the entry that the next row probably has */
	uint64_t slot; /* of the newest snapshot */
	/* By slot % HISTORY_SLOTS: CLOCK_BOOTTIME of the snapshot that the samples are of; 0: none */
	uint64_t at_ns[HISTORY_SLOTS];
	/* By slot % HISTORY_SLOTS: the choice of which sums have samples; 0: none */
	uint64_t salt[HISTORY_SLOTS];
	uint64_t fill_slot; /* of history_fill() */
	bool is_exact;      /* growth is since a snapshot, not interpolated between two */
	enum history_source source;
	uint64_t interval_ns; /* between its snapshots */
};

/* Frees what H owns, and empties it. */
void history_done(struct history *h);

/* Says that SOURCE makes the next snapshots. If it was another one, forgets all rows. */
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
 * Begins the slot of an older snapshot, of BOOTTIME_NS. Returns true if the slot has no samples yet and
 * can be remembered: then the caller adds all rows by history_fill_add(). If SALT is not 0, the rows
 * have the sums of that choice.
 */
bool history_fill(struct history *h, uint64_t boottime_ns, uint64_t salt);

/*
 * Adds the sample PSS_BYTES of row ID in the slot of history_fill(). A process that has no entry stays
 * without one: it has exited since. So do sums of a choice.
 */
void history_fill_add(struct history *h, const struct history_id *id, uint64_t pss_bytes);

/*
 * Returns CLOCK_BOOTTIME of the oldest snapshot, at or before BOOTTIME_NS and not older than growth and
 * trends need, with samples of the sums of choice SALT; SALT 0: of processes and owners. Returns
 * BOOTTIME_NS if there is none.
 */
uint64_t history_oldest(const struct history *h, uint64_t boottime_ns, uint64_t salt);

/* Returns what H remembers of ID, until H changes; NULL: nothing, or it is of an image before an exec. */
const struct history_entry *history_get(const struct history *h, const struct history_id *id);

enum history_outcome {
	HISTORY_NOT_KNOWN = 1, /* no snapshot of that time was seen */
	HISTORY_NEW = 2,       /* the snapshot of that time lacks the row, or its PSS */
};

/*
 * Writes to *RET by how many bytes the PSS of row ID, now PSS_BYTES, has grown over SPAN_NS; it may
 * be negative. E is history_get() of ID. The PSS of that time is interpolated between the samples
 * before and after it; if H .is_exact, it is the sample before. Returns 0, or an enum history_outcome. The samples of a span may be as far
 * apart as an eighth of it, a slot and an interval between snapshots together.
 */
int history_growth(const struct history *h, const struct history_id *id,
	const struct history_entry *e, uint64_t boottime_ns, uint64_t span_ns, uint64_t pss_bytes,
	int64_t *ret);

/*
 * Writes the trend of the row that E (NULL: nothing) is remembered of, PSS_BYTES at BOOTTIME_NS, over
 * the ten minutes before that to RET, the oldest part first: levels from 1 to HISTORY_LEVELS, or 0
 * where there is no sample. Level 1 is the lowest PSS of the row in that time, and the highest level
 * its highest one; but if they are close, the trend is nearly flat.
 */
void history_trend(const struct history_entry *e, uint64_t boottime_ns, uint64_t pss_bytes,
	uint8_t ret[static HISTORY_TREND]);

#endif
