/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path Lookup Without Blocking
 *
 * Looks a path up name by name, and enters no directory and no mount of a file system that may not
 * answer (inspect/files/mounts.h). Users in a mount namespace of their own can mount at any moment,
 * so each name is checked on an open descriptor.
 */
#ifndef MEMTALLY_INSPECT_FILES_SAFE_LOOKUP_H
#define MEMTALLY_INSPECT_FILES_SAFE_LOOKUP_H

#include <stdbool.h>

#include "inspect/files/mounts.h"

enum safe_lookup_outcome {
	/* the path leads to or through a file system that may not answer */
	SAFE_LOOKUP_MAY_WAIT = 1,
};

/*
 * Opens the file at PATH below the directory ROOT with O_PATH. Symbolic links and ".." cannot lead
 * above ROOT. A link at the end of PATH is followed if IT_FOLLOWS, otherwise opened itself. Does
 * not trigger automounts. Returns 0, and the descriptor in *RET_FD, which the caller owns; an enum
 * safe_lookup_outcome; -ENAMETOOLONG; -ELOOP, also after 8192 steps; or another negative errno of
 * open().
 */
int safe_lookup_open(
	struct mounts *mounts, int root, const char *path, bool it_follows, int *ret_fd);

#endif
