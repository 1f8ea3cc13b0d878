/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally map`: the mappings of processes, single with the fields of smaps, or summed by file or
 * by kind.
 */
#ifndef MEMTALLY_CLI_MAP_MAP_H
#define MEMTALLY_CLI_MAP_MAP_H

#include <stdbool.h>

#include "config/settings.h"

/* The by() and the run() of struct command (cli/common/command.h). */
const char *map_by(unsigned int i);
int map_run(const struct settings *settings, bool is_check);

#endif
