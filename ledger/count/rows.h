/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owners in memory. Each has the state of memtallyd's last snapshot, and its usage since the
 * last write. Owners are told apart as memtallyd tells them apart: users and groups by their
 * number, all others by their name and their user.
 */
#ifndef MEMTALLY_LEDGER_COUNT_ROWS_H
#define MEMTALLY_LEDGER_COUNT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/siphash.h"
#include "snapshot/usage.h"

enum rows_series {
	ROWS_SERIES_UNKNOWN = 0, /* not looked up yet */
	ROWS_SERIES_NONE = -1,   /* the file has none of that name */
};

/* The state of an owner in a snapshot. */
struct row_state {
	bool is_known; /* it has this owner */
	bool has_pss, has_swap;
	uint64_t pss_bytes, swap_bytes, processes;
};

struct row {
	enum usage_kind kind;
	uint32_t number; /* uid of a user or gid of a group, as memtallyd has it; else 0 */
	/*
	 * As in struct usage_row: its user's uid, or its gid; OWNER_NO_ID: not known in our user
	 * namespace.
	 */
	uint32_t id;
	char *name;     /* owned; clean text */
	char *user;     /* owned; empty: it has no user */
	uint64_t hash;  /* of kind and number, or kind, name and user */
	int64_t series; /* id in the file, or an enum rows_series */

	struct row_state now; /* of the last snapshot, or of the part of it that is counted */
	uint64_t created_ns;  /* CLOCK_REALTIME at which its counter began at 0 */
	double counted;       /* byte seconds of its counter that are counted */

	/* Usage since the last write. */
	double pss_byte_s, swap_byte_s, process_s;
	bool has_pss_max, has_swap_s;
	uint64_t pss_max_bytes, processes_max;
	bool is_folded; /* its usage goes into "(other)" in the next write */
	bool is_gone;   /* added to "(other)" for good; rows_sweep() removes it */

	/* The snapshot that is being taken. */
	uint64_t seen; /* number of the last snapshot that had this owner */
	/* counts: it has a PSS counter; samples_swap: swap_gain is known */
	bool counts, samples_swap;
	/* Byte seconds and process seconds, over the whole time that it covers. */
	double gain, swap_gain, process_gain;
	struct row_state next; /* the state in it */
};

struct rows {
	struct row **row;       /* array and rows owned */
	size_t count, room;     /* rows, and places for rows */
	struct hashmap index;   /* of .row */
	struct siphash_key key; /* secret key of the hashes; set with the first row */
};

/* Frees all rows, and makes R empty. */
void rows_done(struct rows *r);

/*
 * Returns the row of that owner, and makes one if there is none: USER is "" for owners without a
 * user. Returns NULL if out of memory.
 */
struct row *rows_get(
	struct rows *r, enum usage_kind kind, uint32_t number, const char *name, const char *user);

/* Returns the row of that owner, or NULL. */
struct row *rows_find(const struct rows *r, enum usage_kind kind, uint32_t number, const char *name,
	const char *user);

/*
 * Gives ROW, a user or group, another NAME, so that its series is looked up again. Returns 0 or
 * -ENOMEM.
 */
int rows_rename(struct row *row, const char *name);

/* Returns whether ROW has usage to write. */
bool rows_has_content(const struct row *row);

/* Removes and frees the rows for which IS_LEFT returns false. */
void rows_sweep(struct rows *r, bool (*is_left)(const struct row *row));

/*
 * Returns whether owners of KIND are told apart by their number: users and groups, whose numbers an
 * administrator assigns. Users choose the names of all other owners.
 */
static inline bool rows_has_number(enum usage_kind kind)
{
	return kind == USAGE_USER || kind == USAGE_GROUP;
}

/*
 * Returns whether ROW is an owner with the real name "(other)": it is counted as a part of
 * "(other)".
 */
bool rows_is_other(const struct row *row);

#endif
