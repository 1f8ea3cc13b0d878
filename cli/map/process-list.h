/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process list
 *
 * The processes of a map, from its JSON array "processes", and how those of a saved map differ from
 * those of now: a comparison of different processes says nothing about any of them. Pure.
 */
#ifndef MEMTALLY_CLI_MAP_PROCESS_LIST_H
#define MEMTALLY_CLI_MAP_PROCESS_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct process_list_item {
	pid_t pid;
	uint64_t start_ns; /* start time, ns since 1970; 0: not known */
	char *program;     /* owned, clean; NULL: not known */
};

/* A zeroed struct is empty. */
struct process_list {
	struct process_list_item *item; /* owned */
	size_t count, room;
};

/* Frees what L owns. */
void process_list_done(struct process_list *l);
#define AUTO_PROCESS_LIST CLEANUP(process_list_done)

/*
 * Adds to L the complete processes of the array PROCESSES. Ignores items that are not valid.
 * Returns 0 or -ENOMEM.
 */
int process_list_add(struct process_list *l, const json_t *processes);

/*
 * Adds to L the complete processes in OBJECTS, LEN bytes: JSON objects, separated by commas.
 * Ignores items that are not valid. Returns 0 or -ENOMEM.
 */
int process_list_add_text(struct process_list *l, const char *objects, size_t len);

/*
 * Appends to TO a line for each kind of difference between THEN, the processes of the file PATH,
 * and NOW: processes that are missing now, that are new, and that are others under the same pid or
 * have executed another program. IS_FOUND: a filter chose the processes of now, so that only lists
 * without a common process differ.
 */
void process_list_compare(const struct process_list *then, const struct process_list *now,
	const char *path, bool is_found, struct buffer *to);

#endif
