/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally map`: what processes have mapped, as the kernel says of each mapping, or together by file or by kind.
 */
#ifndef MEMTALLY_CLI_MAP_H
#define MEMTALLY_CLI_MAP_H

#include <stdbool.h>

#include "cli/chosen.h"
#include "cli/maprow.h"
#include "config/settings.h"

struct map {
	struct chosen chosen;
	struct maprow_format format;
	bool is_sorted; /* else mappings come as they are, and none is kept */
	enum mapping_field sort;
	bool ascending, json, csv;
	size_t limit; /* rows to show; 0: all */

	/* What is compared with: .then of 0 and NULL is nothing. */
	pid_t diff;
	const char *since; /* the settings' */
};

void map_done(struct map *m);
#define AUTO_MAP CLEANUP(map_done)

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int map_parse(
	const struct settings *settings, struct map *ret, char error[static CHOSEN_ERROR_SIZE]);

/*
 * Looks and prints, and says on the log of which processes it could not. 0; 1: of one of them it could not, or there was
 * none; or an error of printing.
 */
int map_show(const struct settings *settings, struct map *m);

/* As struct command has it. */
int map_run(const struct settings *settings, bool is_check);

#endif
