/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the host's memory is, as tables: its balance sheet, its swap space, who holds shared memory, what is on tmpfs.
 * Pure.
 */
#ifndef MEMTALLY_CLI_HOSTTABLE_H
#define MEMTALLY_CLI_HOSTTABLE_H

#include "cli/table.h"

enum hosttable {
	HOSTTABLE_MEMORY, /* adds up to MemTotal */
	HOSTTABLE_SWAP,   /* adds up to SwapTotal */
	HOSTTABLE_SHMEM,
	HOSTTABLE_TMPFS,
	HOSTTABLES
};

enum hosttable_outcome {
	HOSTTABLE_EMPTY =
		1, /* there is nothing to be shown: the host has none, or VIEW does not say */
};

/* The table WHICH of VIEW; exact in BYTES, or in KiB, MiB ... 0, HOSTTABLE_EMPTY or -ENOMEM. */
int hosttable_build(const struct view *view, enum hosttable which, bool bytes, struct table *ret);

#endif
