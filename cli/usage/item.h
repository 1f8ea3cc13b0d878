/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a bill
 *
 * A row of an answer of memtally-ledger with the figures that follow from it, and the choice and
 * order of rows. Pure.
 */
#ifndef MEMTALLY_CLI_USAGE_ITEM_H
#define MEMTALLY_CLI_USAGE_ITEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "config/option.h"
#include "snapshot/usage.h"

struct item {
	struct usage_row row;         /* borrows the answer's texts */
	bool has_mean, has_processes; /* the next two are known */
	double mean_bytes, processes; /* means over the time that was measured: PSS; processes */
};

/* Makes in *RET the item for ROW of the answer with HEAD. It borrows the texts of ROW. */
void item_of(const struct usage_head *head, const struct usage_row *row, struct item *ret);

/* Returns true if the row has quantity I. */
bool item_has(const struct item *item, enum usage_quantity i);

/* Returns the mean PSS in bytes, rounded, at most 2^63. ITEM must have .has_mean. */
uint64_t item_mean_bytes(const struct item *item);

/* Returns true if none of its memory could be read, so that no sum contains it. */
bool item_is_unread(const struct item *item);

/* A GiB hour in KiB seconds. */
#define ITEM_GIB_HOUR (3600.0 * 1048576.0)

/* Quantities in the order of JSON and comma-separated values. */
enum item_field {
	ITEM_PSS,           /* PSS over time, in byte seconds */
	ITEM_PSS_HOURS,     /* the same in GiB hours */
	ITEM_MEAN,          /* mean PSS, bytes */
	ITEM_MAX,           /* largest PSS, bytes */
	ITEM_SWAP,          /* SwapPss over time, in byte seconds */
	ITEM_SWAP_HOURS,    /* the same in GiB hours */
	ITEM_PROCESSES,     /* mean number of processes */
	ITEM_PROCESSES_MAX, /* largest number of processes */
	ITEM_FIELDS
};

/* Returns the name of FIELD in JSON, such as "pss_byte_seconds". */
const char *item_field_name(enum item_field field);

/* Appends the value of FIELD as a number. Returns false and appends nothing if it is absent. */
bool item_add(struct buffer *to, const struct item *item, enum item_field field);

/* The choice of items and their order; zeroed: all items, largest PSS first. */
struct item_choice {
	enum item_field sort; /* ITEM_FIELDS: by name, then by user */
	bool ascending;
	const struct text_list *names; /* borrowed; NULL or empty: any */
	/* borrowed; for items that belong to a user: the users; NULL or empty: any */
	const struct text_list *users;
};

/* Returns true if CHOICE includes ITEM. */
bool item_is_chosen(const struct item *item, const struct item_choice *choice);

/* Sorts COUNT items as CHOICE says. Items without the field come last in either order. */
void item_sort(struct item *items, size_t count, const struct item_choice *choice);

#endif
