/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `memtally files`, which are files or the processes that map them, as tables, JSON or
 * comma-separated values. Pure, except that names of users are looked up. Errors of functions that
 * only append are those of TO.
 */
#ifndef MEMTALLY_CLI_FILES_FILEROW_H
#define MEMTALLY_CLI_FILES_FILEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/common/username.h"
#include "cli/files/file-users.h"
#include "cli/table/table.h"
#include "inspect/files/file-table.h"

struct filerow_list {
	const struct file_table *files; /* borrowed */
	const struct file_users *users; /* borrowed; sorted if they are the rows */
	struct usernames *names;
	const uint32_t *row; /* borrowed; indices of the rows to show in .files, in order */
	size_t count;
	bool is_selected;           /* .row may lack rows of the file table, so there is no total */
	size_t limit;               /* rows to show; 0: all */
	enum file_table_field sort; /* a table always shows this column */
	bool ascending;
	bool bytes;   /* exact bytes, instead of KiB, MiB ... */
	size_t width; /* columns of the terminal; 0: none */
};

/*
 * Makes in *RET a table with a row for each file, and a total; on terminals of less than 100
 * columns without the less important columns. The caller frees it with table_done(). Returns 0 or
 * -ENOMEM.
 */
int filerow_table(const struct filerow_list *list, struct table *ret);

/*
 * Makes in *RET a table with a row for each process and file. The caller frees it with
 * table_done(). Returns 0 or -ENOMEM.
 */
int filerow_mapper_table(const struct filerow_list *list, struct table *ret);

/* Appends a line with the number of rows shown if not all rows of the second table are. */
void filerow_add_mappers_shown(const struct filerow_list *list, struct buffer *to);

/*
 * Appends the files as objects of a JSON array, without its brackets. With WITH_USERS each has
 * the processes that map it; .users must be sorted by file for that.
 */
void filerow_add_json(const struct filerow_list *list, bool with_users, struct buffer *to);

/* Appends a JSON object with only the amounts of ROW, which is a sum without a name. */
void filerow_add_json_sums(const struct file_table_row *row, struct buffer *to);

/* Appends comma-separated values: a line of heads, and a line for each file. */
void filerow_add_csv(const struct filerow_list *list, struct buffer *to);

/* Appends comma-separated values: a line of heads, and a line for each process and file. */
void filerow_add_mapper_csv(const struct filerow_list *list, struct buffer *to);

#endif
