/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The groups that `memtally sharing` is asked for, of a snapshot's processes.
 */
#ifndef MEMTALLY_CLI_SHARINGCROWD_H
#define MEMTALLY_CLI_SHARINGCROWD_H

#include <stdbool.h>

#include "cli/crowd.h"
#include "cli/sharingasked.h"
#include "collectors/procfs.h"
#include "snapshot/view.h"

/*
 * The groups of VIEW's processes; of one who was named and has no memory that anything could be told of, it is said why, as PROCFS
 * has it, and *RET_HAS_FAILED is true. 0; -ECANCELED: nobody is left, which was said; -ENOMEM, or another error of the query.
 */
int sharing_crowd_make(const struct sharing_asked *a, const struct view *view,
	const struct procfs *procfs, struct crowd *ret, bool *ret_has_failed);

#endif
