/* SPDX-License-Identifier: Apache-2.0 */
/* The command `memtally compare`: a running process-exporter compared with memtallyd. */
#ifndef MEMTALLY_CLI_COMPARE_COMPARE_H
#define MEMTALLY_CLI_COMPARE_COMPARE_H

#include <stdbool.h>

#include "config/settings.h"

/*
 * Runs the command with SETTINGS; if IS_CHECK, only parses them. Returns an enum command_exit:
 * COMMAND_FAILED also if a difference has no explanation. Errors have been logged.
 */
int compare_run(const struct settings *settings, bool is_check);

#endif
