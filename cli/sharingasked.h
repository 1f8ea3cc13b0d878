/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `memtally sharing` is asked for.
 */
#ifndef MEMTALLY_CLI_SHARINGASKED_H
#define MEMTALLY_CLI_SHARINGASKED_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/chosen.h"
#include "cli/sharingrow.h"
#include "config/settings.h"
#include "snapshot/owner.h"

struct sharing_asked {
	struct chosen chosen; /* where it says nobody: everybody */
	enum owner_kind kind; /* OWNER_KINDS: those who are chosen are one group */
	enum sharing_field sort;
	bool ascending, json, csv, matrix, bytes;
	size_t limit;
};

void sharing_asked_done(struct sharing_asked *a);
#define AUTO_SHARING_ASKED CLEANUP(sharing_asked_done)

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int sharing_asked_parse(const struct settings *settings, struct sharing_asked *ret,
	char error[static CHOSEN_ERROR_SIZE]);

/* Whether only the pages of those who are chosen are to be told from all others'. */
static inline bool sharing_asked_is_set(const struct sharing_asked *a)
{
	return a->kind == OWNER_KINDS;
}

#endif
