/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of `memtally sharing`: statistics of the scan, and what its figures lack. */
#ifndef MEMTALLY_CLI_SHARING_SHARING_STATISTICS_H
#define MEMTALLY_CLI_SHARING_SHARING_STATISTICS_H

#include "cli/sharing/sharing-walk.h"

/* Logs them. W is complete: sharing_walk_all() has returned 0. */
void sharing_statistics_say(const struct sharing_walk *w);

#endif
