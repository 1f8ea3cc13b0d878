/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally sharing`: the memory that users, programs, units or chosen processes have alone and
 * share with each other, by the identity of each page.
 */
#ifndef MEMTALLY_CLI_SHARING_SHARING_H
#define MEMTALLY_CLI_SHARING_SHARING_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int sharing_run(const struct settings *settings, bool is_check);

#endif
