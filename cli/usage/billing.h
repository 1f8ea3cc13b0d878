/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally usage`: memory used over time, as memtally-ledger has recorded it. */
#ifndef MEMTALLY_CLI_USAGE_BILLING_H
#define MEMTALLY_CLI_USAGE_BILLING_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int billing_run(const struct settings *settings, bool is_check);

/* Returns the reason for R, an error of usage_ask() (cli/usage/usage.h), as text. */
const char *billing_why(int r);

#endif
