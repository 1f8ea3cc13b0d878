/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of `memtally sharing`: statistics of the scan, and what its figures lack. */
#ifndef MEMTALLY_CLI_SHARING_SHARINGCOURSE_H
#define MEMTALLY_CLI_SHARING_SHARINGCOURSE_H

#include "cli/sharing/sharingwalk.h"

/* Logs them. W is complete: sharing_walk_all() has returned 0. */
void sharing_course_say(const struct sharing_walk *w);

#endif
