/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a bill: a row of an answer of memtally-ledger's, with what follows from it; by what lines are sorted, and
 * which of them are asked for. Pure.
 */
#ifndef MEMTALLY_CLI_ITEM_H
#define MEMTALLY_CLI_ITEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "config/option.h"
#include "snapshot/usage.h"

struct item {
	struct usage_row row; /* borrows the answer's texts */
	bool has_mean, has_processes;
	double mean_bytes, processes;
};

/* ROW of an answer with HEAD. */
void item_of(const struct usage_head *head, const struct usage_row *row, struct item *ret);

bool item_has(const struct item *item, enum usage_quantity i);

/* Its mean, rounded; of one that has it. */
uint64_t item_mean_bytes(const struct item *item);

/* Whether none of its memory could be read, so that it is in no sum. */
bool item_is_unread(const struct item *item);

/* KiB seconds of a GiB hour. */
#define ITEM_GIB_HOUR (3600.0 * 1048576.0)

/* The quantities, as JSON and comma-separated values have them, in their order. */
enum item_field {
	ITEM_PSS,
	ITEM_PSS_HOURS,
	ITEM_MEAN,
	ITEM_MAX,
	ITEM_SWAP,
	ITEM_SWAP_HOURS,
	ITEM_PROCESSES,
	ITEM_PROCESSES_MAX,
	ITEM_FIELDS
};

const char *item_field_name(enum item_field field);

/* Appends the number; false: it is absent, and nothing is appended. */
bool item_add(struct buffer *to, const struct item *item, enum item_field field);

/* Which items, and in which order; zeroed: all, who used most first. */
struct item_choice {
	enum item_field sort; /* ITEM_FIELDS: by name, and by the user beside it */
	bool ascending;
	const struct text_list *names; /* borrowed; NULL or empty: any */
	const struct text_list *users; /* likewise; of those that are somebody's own */
};

/* Whether it is one of those that are asked for. */
bool item_is_chosen(const struct item *item, const struct item_choice *choice);

/* Sorts; what lacks the field that is sorted by comes last in either order. */
void item_sort(struct item *items, size_t count, const struct item_choice *choice);

#endif
