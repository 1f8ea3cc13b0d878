/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owners that the ledger knows of at the moment, each with what memtallyd last said of it and what it has used
 * since that was written down. Found by what memtallyd tells them apart by: users and groups by their number, all
 * others by their name and their user.
 */
#ifndef MEMTALLY_LEDGER_ROWS_H
#define MEMTALLY_LEDGER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/siphash.h"
#include "snapshot/usage.h"

enum rows_series {
	ROWS_SERIES_UNKNOWN = 0, /* to be looked for */
	ROWS_SERIES_NONE = -1,   /* the store has none of that name */
};

struct row {
	enum usage_kind kind;
	uint32_t number; /* memtallyd's: of a user or a group; else 0 */
	uint32_t id;     /* as in struct usage_row: whose own it is, where that can be known here */
	char *name;      /* owned, clean */
	char *user;      /* owned; empty where it is nobody's */
	uint64_t hash;
	int64_t series; /* what the store calls it, or a rows_series */

	/* As of the last snapshot, or as far as it has been counted. */
	bool is_known;       /* it is in there */
	uint64_t created_ns; /* CLOCK_REALTIME at which the counter began at 0 of which it is: */
	double counted;      /* of its counter: byte seconds */
	bool has_pss, has_swap;
	uint64_t pss_bytes, swap_bytes, processes;

	/* Used since it was last written down. */
	double pss_byte_s, swap_byte_s, process_s;
	bool has_pss_max, has_swap_s;
	uint64_t pss_max_bytes, processes_max;
	bool is_folded; /* into "(other)" */
	bool is_gone;   /* likewise, for good: to be removed */

	/* Of the snapshot that is being taken. */
	uint64_t seen; /* its number */
	bool counts, samples_swap;
	double gain, swap_gain, process_gain; /* over the whole time that it brings */
	bool will_be_known, will_have_pss, will_have_swap;
	uint64_t will_pss_bytes, will_swap_bytes, will_processes;
};

struct rows {
	struct row **row;
	size_t count, room;
	uint32_t *index; /* open addressing: a number in ROW + 1, or 0 */
	size_t index_size;
	struct siphash_key key; /* of hashes; set with the first row */
};

void rows_done(struct rows *r);

/* The row, which is made if there is none. NULL: out of memory. */
struct row *rows_get(
	struct rows *r, enum usage_kind kind, uint32_t number, const char *name, const char *user);

/* The row, or NULL. */
struct row *rows_find(const struct rows *r, enum usage_kind kind, uint32_t number, const char *name,
	const char *user);

/* Calls it by another name. -ENOMEM. */
int rows_rename(struct row *row, const char *name);

/* Whether ROW has used anything that is to be written. */
bool rows_has_content(const struct row *row);

/* Removes those for which IS_LEFT is false. */
void rows_sweep(struct rows *r, bool (*is_left)(const struct row *row));

/*
 * Whether rows of KIND are told apart by their number, as users and groups are: theirs are given out by whoever runs
 * the machine. All others have names that whoever runs a program can choose.
 */
static inline bool rows_has_number(enum usage_kind kind)
{
	return kind == USAGE_USER || kind == USAGE_GROUP;
}

/* Whether ROW is truly called as those are who have none of their own: it is one of them. */
bool rows_is_other(const struct row *row);

#endif
