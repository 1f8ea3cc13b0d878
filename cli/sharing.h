/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally sharing`: which pages users, programs, units or chosen processes have alone, and who shares what with whom, by
 * the identity of each page.
 */
#ifndef MEMTALLY_CLI_SHARING_H
#define MEMTALLY_CLI_SHARING_H

#include <stdbool.h>

#include "cli/chosen.h"
#include "cli/sharingrow.h"
#include "config/settings.h"

struct sharing_asked {
	struct chosen chosen; /* .count of 0 and no filters: everybody */
	enum owner_kind kind; /* OWNER_KINDS: those who are chosen are one group */
	enum sharing_field sort;
	bool ascending, json, csv, matrix, bytes;
	size_t limit;
};

void sharing_asked_done(struct sharing_asked *a);
#define AUTO_SHARING_ASKED CLEANUP(sharing_asked_done)

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int sharing_parse(const struct settings *settings, struct sharing_asked *ret,
	char error[static CHOSEN_ERROR_SIZE]);

/*
 * Looks, and fills in RET, which borrows names that live as long as *RET_VIEW, which the caller owns; says on the log what it
 * could not do, and on a terminal how far it is. 0; 1: one who was asked for could not be looked at, and all else is there;
 * -ECANCELED: nothing is, and it was said why.
 */
int sharing_look(const struct settings *settings, struct sharing_asked *a,
	struct sharing_report *ret, struct view **ret_view);

/* As struct command has it. */
int sharing_run(const struct settings *settings, bool is_check);

#endif
