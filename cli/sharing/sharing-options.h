/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally sharing`. */
#ifndef MEMTALLY_CLI_SHARING_SHARING_OPTIONS_H
#define MEMTALLY_CLI_SHARING_SHARING_OPTIONS_H

#include "cli/common/inspection.h"
#include "snapshot/owner.h"

/*
 * Parses the options (see inspection_parse): .by is the kind of groups, an enum owner_kind, and .sort
 * an enum sharing_field. If .by is OWNER_KINDS, the chosen processes are one group.
 */
int sharing_options_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Returns true if the chosen processes are one group, which is compared with all other processes.
 */
static inline bool sharing_options_is_set(const struct inspection *i)
{
	return i->by == OWNER_KINDS;
}

/* The by() of struct command (cli/common/command.h). */
const char *sharing_options_by(unsigned int i);

#endif
