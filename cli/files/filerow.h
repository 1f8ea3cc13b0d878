/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `memtally files`, which are files or the processes that map them. Pure, except that full
 * buffers go to standard output and names of users are looked up.
 */
#ifndef MEMTALLY_CLI_FILES_FILEROW_H
#define MEMTALLY_CLI_FILES_FILEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "cli/files/usernames.h"
#include "cli/files/file-users.h"
#include "cli/table/list.h"
#include "inspect/files/file-table.h"

/* Of the processes that map a file, the one with the lowest pid. */
struct filerow_owner {
	pid_t pid; /* 0: not known */
	uint32_t uid;
};

struct filerow_list {
	const struct file_table *files; /* borrowed */
	/* borrowed; by row of .files: a table shows those of anonymous shared memory */
	const struct filerow_owner *owner;
	size_t owners;
	const struct file_users *users; /* borrowed; sorted if they are the rows */
	struct usernames *names;
	const uint32_t *row; /* borrowed; indices of the rows to show in .files, in order */
	size_t count;
	/* .row may lack rows of the file table: there is no total, and JSON has the users */
	bool is_selected;
	struct list_look look;
	enum file_table_field sort; /* a table always shows this column */
	bool ascending;
};

/*
 * Returns true if FILE is anonymous shared memory: its name, such as "[shared]", is the same for
 * many.
 */
bool filerow_is_anonymous(const struct file_table_row *file);

/* Notes in O that process PID of user UID maps the file. */
void filerow_owner_note(struct filerow_owner *o, pid_t pid, uint32_t uid);

/* The columns of files; those that --sort takes have a file_table_field as .index. */
extern const struct columns filerow_columns;

/*
 * Appends a row for each file: a table with a total; objects of a JSON array without its brackets,
 * for which .users must be sorted by file if .is_selected; or comma-separated values. Returns 0,
 * -ENOMEM, or a negative errno of write().
 */
int filerow_print_files(const struct filerow_list *list, struct buffer *to);

/*
 * Appends a row for each process and file, as a table, with a last line if not all are shown, or as
 * comma-separated values. Returns as filerow_print_files().
 */
int filerow_print_users(const struct filerow_list *list, struct buffer *to);

/*
 * Appends a JSON object with only the amounts of ROW, which is a sum without a name. Errors are
 * those of TO.
 */
void filerow_add_json_sums(const struct file_table_row *row, struct buffer *to);

#endif
