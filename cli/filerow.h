/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that processes have mapped, and who maps them, as tables, JSON or comma-separated values. Pure, but for what users
 * are called.
 */
#ifndef MEMTALLY_CLI_FILEROW_H
#define MEMTALLY_CLI_FILEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/mappers.h"
#include "cli/table.h"
#include "cli/username.h"
#include "inside/shelf.h"

struct filerow_list {
	const struct shelf *shelf;
	const struct mappers *mappers; /* sorted, where rows are theirs */
	struct usernames *names;
	const uint32_t *row; /* of the shelf, in order: those that are meant */
	size_t count;
	bool is_selected;      /* not all of the shelf's: there is no sum of them */
	size_t limit;          /* how many are shown; 0: all */
	enum shelf_field sort; /* what a table shows, however narrow */
	bool ascending;
	bool bytes;   /* exact, instead of in KiB, MiB ... */
	size_t width; /* the terminal's; 0: there is none */
};

/* A file a row, and the total, without the columns that matter least where the terminal is narrow; who maps them, a process and file a row, with how many there are below. -ENOMEM. */
int filerow_table(const struct filerow_list *list, struct table *ret);
int filerow_mapper_table(const struct filerow_list *list, struct table *ret);

/* A line that says how many of those who map them are shown, where that is not all. */
void filerow_add_mappers_shown(const struct filerow_list *list, struct buffer *to);

/* Objects in an array, without its brackets; with who maps each where WITH_MAPPERS, for which these are sorted by file. What there was no memory for is in TO. */
void filerow_add_json(const struct filerow_list *list, bool with_mappers, struct buffer *to);

/* An object of the sums in ROW: of what has no name. */
void filerow_add_json_sums(const struct shelf_row *row, struct buffer *to);

/* With heads. */
void filerow_add_csv(const struct filerow_list *list, struct buffer *to);
void filerow_add_mapper_csv(const struct filerow_list *list, struct buffer *to);

#endif
