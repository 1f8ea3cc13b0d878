/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File users
 *
 * The processes that map the files that `memtally files` was asked for, and the memory of each
 * process for each file. Pure.
 */
#ifndef MEMTALLY_CLI_FILES_FILE_USERS_H
#define MEMTALLY_CLI_FILES_FILE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inspect/files/file-table.h"

struct file_user_process {
	pid_t pid;
	uint32_t uid;
	char *program, *unit, *user_unit; /* owned; clean; .unit and .user_unit NULL: none */
};

struct file_user {
	uint32_t process; /* index in .process */
	struct file_table_part part;
};

struct file_users {
	struct file_user_process *process;
	size_t processes, processes_room;
	struct file_user *item;
	size_t count, room;
	size_t left_out; /* items that were dropped, because there are more than FILE_USERS_MAX */
};

/* The largest number of items, which take 40 MiB. */
enum { FILE_USERS_MAX = 1 << 18 };

/* Frees what M owns, and zeroes it. */
void file_users_done(struct file_users *m);
#define AUTO_FILE_USERS CLEANUP(file_users_done)

/* Adds a process, and copies the texts. UNIT and USER_UNIT may be NULL. Returns 0 or -ENOMEM. */
int file_users_add_process(struct file_users *m, pid_t pid, uint32_t uid, const char *program,
	const char *unit, const char *user_unit);

/*
 * Adds PART, the memory of a file, of the process that was added last. Counts it in .left_out
 * instead if there are FILE_USERS_MAX items. Returns 0 or -ENOMEM.
 */
int file_users_add(struct file_users *m, const struct file_table_part *part);

/* Removes the items of files for which IS_WANTED(ROW, CONTEXT) returns false; ROW is part.row. */
void file_users_keep(struct file_users *m, bool (*is_wanted)(uint32_t row, const void *context),
	const void *context);

/*
 * Sorts by FIELD, the largest first and items without it last; if FIELD is FILE_TABLE_FIELDS, by
 * pid.
 */
void file_users_sort(struct file_users *m, enum file_table_field field);

/*
 * Sorts by file, then by pid. After that file_users_of() returns the first item of file ROW, and
 * their number in *RET_COUNT.
 */
void file_users_sort_by_file(struct file_users *m);
const struct file_user *file_users_of(const struct file_users *m, uint32_t row, size_t *ret_count);

#endif
