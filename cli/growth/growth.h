/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally growth`: which owners and processes grow, and whether they grow as a leak does, from the
 * snapshots of memtally-recorder.
 */
#ifndef MEMTALLY_CLI_GROWTH_GROWTH_H
#define MEMTALLY_CLI_GROWTH_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/cli-option.h"
#include "cli/table/list.h"
#include "config/settings.h"
#include "snapshot/query.h"

enum { GROWTH_SCOPES_MAX = OWNER_KINDS + 1 };

struct growth_choice {
	struct query query[GROWTH_SCOPES_MAX]; /* one for each scope that is judged */
	size_t scopes;
	int64_t since_s; /* seconds since the epoch */
	bool has_all;    /* rows without growth are shown, too */
	struct list_look look;
};

/*
 * Reads the operands and options of growth from SETTINGS in *RET. Filters leave only the scopes with
 * rows that they name: processes, and for --user users. NOW_S is the present, in seconds since the
 * epoch. Returns 0, or -EINVAL with a sentence for the user in ERROR. Pure except for TZ.
 */
int growth_parse(const struct settings *settings, int64_t now_s, struct growth_choice *ret,
	char error[static QUERY_ERROR_SIZE]);

/* The run() of struct command (cli/common/command.h). */
int growth_run(const struct settings *settings, bool is_check);

#endif
