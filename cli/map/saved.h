/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved maps
 *
 * Loads the output of `memtally map --json` for a comparison (--since). The file must be complete:
 * rows that --limit left out, or processes that could not be read, would seem to be new. A process
 * that a filter had found and that exited while it was read is no error: its rows are skipped.
 */
#ifndef MEMTALLY_CLI_MAP_SAVED_H
#define MEMTALLY_CLI_MAP_SAVED_H

#include "cli/map/process-list.h"
#include "inspect/maps/mapping-table.h"

enum {
	SAVED_VERSION = 1, /* version of the JSON format */
	SAVED_ERROR_SIZE = 512,
};

/*
 * Adds the rows of the file at PATH to RET, with RET->by set by the caller, and its complete
 * processes to PROCESSES. Returns 0; -ENOMEM; or -EINVAL with a sentence for the user in ERROR if
 * the file cannot be read, is no such file, has another version, is summed by something else than
 * RET->by, or is incomplete.
 */
int saved_load(const char *path, struct mapping_table *ret, struct process_list *processes,
	char error[static SAVED_ERROR_SIZE]);

/*
 * Does the same as saved_load() for TEXT, the LEN bytes of the file. PATH is only for messages.
 * Pure.
 */
int saved_parse(const char *path, const char *text, size_t len, struct mapping_table *ret,
	struct process_list *processes, char error[static SAVED_ERROR_SIZE]);

#endif
