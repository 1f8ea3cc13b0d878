/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot says, memtallyd's or one that is taken now: owners, processes, the host; and what memtallyd is doing.
 */
#ifndef MEMTALLY_CLI_LISTING_H
#define MEMTALLY_CLI_LISTING_H

#include <stdbool.h>

#include "config/settings.h"

/* As struct command has it, for what no other command is. */
int listing_run(const struct settings *settings, bool is_check);

#endif
