/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally usage`: who has used how much over time, by memtally-ledger, and what is to be known about that.
 */
#ifndef MEMTALLY_CLI_BILLING_H
#define MEMTALLY_CLI_BILLING_H

#include <stdbool.h>

#include "config/settings.h"

/* As struct command has it. */
int billing_run(const struct settings *settings, bool is_check);

#endif
