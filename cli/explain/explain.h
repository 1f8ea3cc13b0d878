/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally explain`: the memory of single processes in plain words. */
#ifndef MEMTALLY_CLI_EXPLAIN_EXPLAIN_H
#define MEMTALLY_CLI_EXPLAIN_EXPLAIN_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int explain_run(const struct settings *settings, bool is_check);

#endif
