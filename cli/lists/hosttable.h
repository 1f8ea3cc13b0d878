/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the host's memory: its balance sheet, its swap space, shared memory by user, and tmpfs.
 * Pure.
 */
#ifndef MEMTALLY_CLI_LISTS_HOSTTABLE_H
#define MEMTALLY_CLI_LISTS_HOSTTABLE_H

#include "cli/table/table.h"

enum hosttable {
	HOSTTABLE_MEMORY, /* adds up to MemTotal */
	HOSTTABLE_SWAP,   /* adds up to SwapTotal */
	HOSTTABLE_SHMEM,
	HOSTTABLE_TMPFS,
	HOSTTABLES
};

enum hosttable_outcome {
	HOSTTABLE_EMPTY = 1, /* the table has no rows: the host has none, or VIEW does not tell */
};

/*
 * Makes table WHICH of VIEW in *RET, which the caller frees with table_done() in any case. Amounts
 * are exact if BYTES, else in KiB, MiB ... Returns 0, HOSTTABLE_EMPTY or -ENOMEM.
 */
int hosttable_build(const struct view *view, enum hosttable which, bool bytes, struct table *ret);

#endif
