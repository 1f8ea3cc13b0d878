/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-options.h"

#include <errno.h>
#include <stdio.h>

#include "cli/common/command.h"
#include "cli/sharing/sharing-row.h"

const char *sharing_options_by(unsigned int i)
{
	if (i == OWNER_KINDS)
		return SHARING_SELECTION;
	return i < OWNER_KINDS ? owner_of((enum owner_kind)i)->name : NULL;
}

/*
 * Returns the kind of the groups that filters choose if --by does not say: that of the filter with
 * several values, such as two users. OWNER_KINDS, one group, if there is no such filter, if there
 * are two, or if pids are given.
 */
static enum owner_kind kind_of_filters(const struct settings *c)
{
	enum owner_kind found = OWNER_KINDS;

	if (c->operands.count > 1 || c->pid.count)
		return OWNER_KINDS;
	for (unsigned int kind = 0; kind < OWNER_KINDS; kind++) {
		if (selection_filter(c, (enum owner_kind)kind)->count < 2)
			continue;
		if (found != OWNER_KINDS)
			return OWNER_KINDS;
		found = (enum owner_kind)kind;
	}
	return found;
}

/* Without pids and filters all processes are scanned. */
static int parse_chosen(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	int r = pid_selection_parse_or_all(c, &i->chosen, error);

	if (r < 0)
		return r;
	if (!c->by && pid_selection_is_some(&i->chosen))
		i->by = kind_of_filters(c);
	if (pid_selection_is_some(&i->chosen) || !sharing_options_is_set(i))
		return 0;
	snprintf(error, CLI_OPTION_ERROR_SIZE,
		"--by=selection needs a pid, or a filter such as --user or --program");
	return -EINVAL;
}

int sharing_options_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	int r;

	i->look = command_look(c, LIST_TABLE);
	i->by = OWNER_USER;
	i->sort = SHARING_COMES_BACK;
	r = cli_option_parse_by(c, sharing_options_by,
		"user, program, unit, another kind of owner or selection", &i->by, error);
	if (r == 0)
		r = sort_names_parse(c, &sharing_columns, NULL, &i->sort, &i->ascending, error);
	if (r == 0)
		r = parse_chosen(i, error);
	if (r == 0 && c->matrix && sharing_options_is_set(i)) {
		snprintf(error, CLI_OPTION_ERROR_SIZE,
			"--matrix needs groups to compare: give --by, too");
		r = -EINVAL;
	}
	return r;
}
