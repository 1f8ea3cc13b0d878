/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memtally sharing` says on the log of how its walk went, and of what its figures lack.
 */
#ifndef MEMTALLY_CLI_SHARINGCOURSE_H
#define MEMTALLY_CLI_SHARINGCOURSE_H

#include "cli/sharingwalk.h"

/* Of W, which is complete. */
void sharing_course_say(const struct sharing_walk *w);

#endif
