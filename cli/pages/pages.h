/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally pages`: the pages of processes, and how often each is mapped: page by page, or summed
 * by kind, process, mapping, section or symbol.
 */
#ifndef MEMTALLY_CLI_PAGES_PAGES_H
#define MEMTALLY_CLI_PAGES_PAGES_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int pages_run(const struct settings *settings, bool is_check);

#endif
