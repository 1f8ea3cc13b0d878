/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally why`: what happened at a moment of the past, in plain words. */
#ifndef MEMTALLY_CLI_WHY_WHY_H
#define MEMTALLY_CLI_WHY_WHY_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int why_run(const struct settings *settings, bool is_check);

#endif
