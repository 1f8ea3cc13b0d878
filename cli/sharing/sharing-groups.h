/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the groups that `memtally sharing` compares from a snapshot and the options. */
#ifndef MEMTALLY_CLI_SHARING_SHARING_GROUPS_H
#define MEMTALLY_CLI_SHARING_SHARING_GROUPS_H

#include <stdbool.h>

#include "cli/sharing/groups.h"
#include "cli/sharing/sharing-options.h"
#include "collectors/procfs/procfs.h"
#include "snapshot/view.h"

enum sharing_groups_outcome {
	SHARING_GROUPS_NONE = 1, /* no process is left */
};

/*
 * Groups the processes of VIEW as A asks, in *RET, which the caller frees with groups_done(). For
 * each given pid that VIEW does not have, or that has no memory, logs the reason, which it looks up
 * in PROCFS; *RET_HAS_FAILED is true if there was one. Returns 0; SHARING_GROUPS_NONE; -ENOMEM; or
 * another error of the query. Sets nothing but on 0.
 */
int sharing_groups_make(const struct inspection *a, const struct view *view,
	const struct procfs *procfs, struct groups *ret, bool *ret_has_failed);

#endif
