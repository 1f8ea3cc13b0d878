/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally map`: the mappings of processes, single with the fields of smaps, or summed by file or
 * by kind.
 */
#ifndef MEMTALLY_CLI_MAP_MAP_H
#define MEMTALLY_CLI_MAP_MAP_H

#include <stdbool.h>

#include "cli/common/pid-selection.h"
#include "cli/map/maprow.h"
#include "config/settings.h"

struct map {
	struct pid_selection chosen;
	struct maprow_format format;
	bool is_sorted;    /* else rows are printed in the order of smaps, and none is kept */
	unsigned int sort; /* index of a column: see cli/map/maprow.h */
	bool ascending;
	enum list_form form;
	size_t limit; /* rows to show; 0: all */

	/* The other side of a comparison; none if .diff is 0 and .since is NULL. */
	pid_t diff;
	const char *since; /* path of a saved map; borrowed from the settings */
};

/* Frees what M owns. */
void map_done(struct map *m);
#define AUTO_MAP CLEANUP(map_done)

/*
 * Reads the options from SETTINGS into *RET, which map_done() frees. Returns 0; -EINVAL with a
 * sentence for the user in ERROR; -ENOMEM. Pure.
 */
int map_parse(const struct settings *settings, struct map *ret,
	char error[static PID_SELECTION_ERROR_SIZE]);

/*
 * Reads the processes, prints their mappings or the comparison, and logs which processes could not
 * be read. Returns 0; 1 if a process could not be read or there was none; -ENOMEM; or a negative
 * errno of write().
 */
int map_show(const struct settings *settings, struct map *m);

/* The by() and the run() of struct command (cli/common/command.h). */
const char *map_by(unsigned int i);
int map_run(const struct settings *settings, bool is_check);

#endif
