/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally pages`: what processes' memory is page by page, and how often each is mapped; together by kind, process or mapping, or by
 * section or symbol of what is mapped.
 */
#ifndef MEMTALLY_CLI_PAGES_H
#define MEMTALLY_CLI_PAGES_H

#include <stdbool.h>

#include "config/settings.h"

/* As struct command has it. */
int pages_run(const struct settings *settings, bool is_check);

#endif
