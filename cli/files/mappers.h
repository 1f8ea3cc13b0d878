/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File users
 *
 * The processes that map the files that `memtally files` was asked for, and the memory of each
 * process for each file. Pure.
 */
#ifndef MEMTALLY_CLI_FILES_MAPPERS_H
#define MEMTALLY_CLI_FILES_MAPPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inspect/files/shelf.h"

struct mapper_process {
	pid_t pid;
	uint32_t uid;
	char *program, *unit, *user_unit; /* owned; clean; .unit and .user_unit NULL: none */
};

struct mapper {
	uint32_t process; /* index in .process */
	struct shelf_part part;
};

struct mappers {
	struct mapper_process *process;
	size_t processes, processes_room;
	struct mapper *item;
	size_t count, room;
	size_t left_out; /* items that were dropped, because there are more than MAPPERS_MAX */
};

/* The largest number of items, which take 40 MiB. */
enum { MAPPERS_MAX = 1 << 18 };

/* Frees what M owns, and zeroes it. */
void mappers_done(struct mappers *m);
#define AUTO_MAPPERS CLEANUP(mappers_done)

/* Adds a process, and copies the texts. UNIT and USER_UNIT may be NULL. Returns 0 or -ENOMEM. */
int mappers_add_process(struct mappers *m, pid_t pid, uint32_t uid, const char *program,
	const char *unit, const char *user_unit);

/*
 * Adds PART, the memory of a file, of the process that was added last. Counts it in .left_out
 * instead if there are MAPPERS_MAX items. Returns 0 or -ENOMEM.
 */
int mappers_add(struct mappers *m, const struct shelf_part *part);

/* Removes the items of files for which IS_WANTED(ROW, CONTEXT) returns false; ROW is part.row. */
void mappers_keep(struct mappers *m, bool (*is_wanted)(uint32_t row, const void *context),
	const void *context);

/* Sorts by FIELD, the largest first and items without it last; if FIELD is SHELF_FIELDS, by pid. */
void mappers_sort(struct mappers *m, enum shelf_field field);

/*
 * Sorts by file, then by pid. After that mappers_of() returns the first item of file ROW, and their
 * number in *RET_COUNT.
 */
void mappers_sort_by_file(struct mappers *m);
const struct mapper *mappers_of(const struct mappers *m, uint32_t row, size_t *ret_count);

#endif
