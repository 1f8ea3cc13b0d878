/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who maps the files that were asked for: processes, and what each has of which file. Pure.
 */
#ifndef MEMTALLY_CLI_MAPPERS_H
#define MEMTALLY_CLI_MAPPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "inside/shelf.h"

struct mapper_process {
	pid_t pid;
	uint32_t uid;
	char *program, *unit, *user_unit; /* owned; clean; a unit's is NULL where there is none */
};

struct mapper {
	uint32_t process; /* number in .process */
	struct shelf_part part;
};

struct mappers {
	struct mapper_process *process;
	size_t processes, processes_room;
	struct mapper *item;
	size_t count, room;
	size_t left_out; /* there are more than MAPPERS_MAX */
};

/* 40 MiB of them. */
enum { MAPPERS_MAX = 1 << 18 };

void mappers_done(struct mappers *m);
#define AUTO_MAPPERS CLEANUP(mappers_done)

/* A process whose files come, with copies of texts, of which units' may be NULL. -ENOMEM. */
int mappers_add_process(struct mappers *m, pid_t pid, uint32_t uid, const char *program,
	const char *unit, const char *user_unit);

/* That process has PART. -ENOMEM. */
int mappers_add(struct mappers *m, const struct shelf_part *part);

/* Leaves those of files of which IS_WANTED says so, by their row. */
void mappers_keep(struct mappers *m, bool (*is_wanted)(uint32_t row, const void *context),
	const void *context);

/* Sorts: by pid, or, unless FIELD is SHELF_FIELDS, by that, the largest first, those that lack it last. */
void mappers_sort(struct mappers *m, enum shelf_field field);

/* Sorts by file, and then by pid; so sorted, those of file ROW: the first, and how many. */
void mappers_sort_by_file(struct mappers *m);
const struct mapper *mappers_of(const struct mappers *m, uint32_t row, size_t *ret_count);

#endif
