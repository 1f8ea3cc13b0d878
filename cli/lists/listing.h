/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists owners, processes or the host from a snapshot (memtallyd's, or one that is measured now),
 * and prints memtallyd's status.
 */
#ifndef MEMTALLY_CLI_LISTS_LISTING_H
#define MEMTALLY_CLI_LISTS_LISTING_H

#include <stdbool.h>

#include "cli/common/sort-names.h"
#include "config/settings.h"

/*
 * The run() of struct command (cli/common/command.h) for lists, host and status. Without operands it
 * lists programs.
 */
int listing_run(const struct settings *settings, bool is_check);

/* The add_sorts() of struct command for LIST, owners or processes. */
void listing_add_sorts(const char *list, struct sort_names *to);

#endif
