/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memtally pages` was asked for, looked at and printed: rows of sums with a histogram, page by page, or sections and symbols
 * (cli/loaded.h).
 */
#ifndef MEMTALLY_CLI_PAGEVIEW_H
#define MEMTALLY_CLI_PAGEVIEW_H

#include "cli/pages.h"
#include "collectors/procfs.h"

/* Of the processes that P has. As pages_show(), or -ENOMEM. */
int pageview_show(struct pages *p, const struct procfs *procfs);

#endif
