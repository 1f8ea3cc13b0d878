/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking a path up without waiting for anybody: name by name, and none in a directory of a file system that may not answer
 * (inside/mounts.h), nor onto one. Whoever may mount what they like, may do so at any moment: what was looked at is what is asked.
 */
#ifndef MEMTALLY_INSIDE_LOOKUP_H
#define MEMTALLY_INSIDE_LOOKUP_H

#include <stdbool.h>

#include "inside/mounts.h"

enum lookup_outcome {
	LOOKUP_MAY_WAIT = 1, /* it leads through, or to, a file system that may not answer */
};

/*
 * Opens what PATH leads to below ROOT, a directory that is open, for its place alone (O_PATH). Links lead to below ROOT, too; the last name is followed if IT_FOLLOWS, and else may be one. Nothing is
 * mounted. 0, a lookup_outcome, or open's errors.
 */
int lookup_open(struct mounts *mounts, int root, const char *path, bool it_follows, int *ret_fd);

#endif
