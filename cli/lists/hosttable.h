/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the host: its balance sheet, its swap space, shared memory by user, tmpfs, and its
 * other quantities.
 */
#ifndef MEMTALLY_CLI_LISTS_HOSTTABLE_H
#define MEMTALLY_CLI_LISTS_HOSTTABLE_H

#include "cli/table/list.h"
#include "snapshot/view.h"

enum hosttable {
	HOSTTABLE_MEMORY, /* adds up to MemTotal */
	HOSTTABLE_SWAP,   /* adds up to SwapTotal */
	HOSTTABLE_SHMEM,
	HOSTTABLE_TMPFS,
	/*
	 * The other quantities that are not 0, with field and meaning. It is the only table with
	 * CSV, which has a row for each quantity of the host.
	 */
	HOSTTABLE_FIELDS,
	HOSTTABLES
};

enum hosttable_outcome {
	HOSTTABLE_EMPTY = 1, /* the table has no rows: the host has none, or VIEW does not tell */
};

/*
 * Adds the rows of table WHICH of VIEW to a list with the LOOK that appends to TO, which the caller
 * ends with list_end() and frees with list_done(), in any case. Returns 0, HOSTTABLE_EMPTY, -ENOMEM,
 * or a negative errno of write().
 */
int hosttable_build(const struct view *view, enum hosttable which, const struct list_look *look,
	struct buffer *to, struct list *ret);

#endif
