/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally sharing`. */
#ifndef MEMTALLY_CLI_SHARING_SHARINGASKED_H
#define MEMTALLY_CLI_SHARING_SHARINGASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/common/chosen.h"
#include "cli/sharing/sharingrow.h"
#include "config/settings.h"
#include "snapshot/owner.h"

struct sharing_asked {
	struct chosen chosen; /* the chosen processes; empty: all */
	/* the kind of groups; OWNER_KINDS: the chosen processes are one group */
	enum owner_kind kind;
	enum sharing_field sort;
	bool ascending, json, csv, matrix, bytes;
	size_t limit;
};

/* Frees what A owns. */
void sharing_asked_done(struct sharing_asked *a);
#define AUTO_SHARING_ASKED CLEANUP(sharing_asked_done)

/*
 * Reads the options from SETTINGS into *RET, which sharing_asked_done() frees. Returns 0; -EINVAL
 * with a sentence for the user in ERROR; -ENOMEM. Pure.
 */
int sharing_asked_parse(const struct settings *settings, struct sharing_asked *ret,
	char error[static CHOSEN_ERROR_SIZE]);

/*
 * Returns true if the chosen processes are one group, which is compared with all other processes.
 */
static inline bool sharing_asked_is_set(const struct sharing_asked *a)
{
	return a->kind == OWNER_KINDS;
}

#endif
