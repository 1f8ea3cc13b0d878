/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally sharing`: which pages users, programs, units or chosen processes have alone, and who shares what with whom, by
 * the identity of each page.
 */
#ifndef MEMTALLY_CLI_SHARING_H
#define MEMTALLY_CLI_SHARING_H

#include <stdbool.h>

#include "config/settings.h"

/* As struct command has it. */
int sharing_run(const struct settings *settings, bool is_check);

#endif
