/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally top`: the largest rows of each snapshot on the whole screen. */
#ifndef MEMTALLY_CLI_TOP_TOP_H
#define MEMTALLY_CLI_TOP_TOP_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int top_run(const struct settings *settings, bool is_check);

#endif
