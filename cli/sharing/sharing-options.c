/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/cli-option.h"
#include "cli/common/selection.h"
#include "cli/common/sort-names.h"
#include "snapshot/owner.h"

void sharing_options_done(struct sharing_options *a)
{
	pid_selection_done(&a->chosen);
}

const char *sharing_options_by(unsigned int i)
{
	if (i == OWNER_KINDS)
		return SHARING_SELECTION;
	return i < OWNER_KINDS ? owner_of((enum owner_kind)i)->name : NULL;
}

static int parse_form(const struct settings *c, struct sharing_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	size_t count;
	const struct column *column = sharing_columns(&count);

	if (c->by) {
		a->kind = owner_find(c->by);
		if (a->kind == OWNER_KINDS && strcmp(c->by, SHARING_SELECTION) != 0)
			return cli_option_refuse("--by", c->by,
				"user, program, unit, another kind of owner or selection", error);
	}
	if (c->sort) {
		a->sort = sharing_find_sort(c->sort);
		if (a->sort == SHARING_FIELDS)
			return sort_names_refuse_columns(c->sort, column, count, NULL, error);
	}
	return cli_option_parse_order(c, &a->ascending, error);
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
static int parse_chosen(const struct settings *c, struct sharing_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	struct selection selection = {0};
	bool has_filters = false;
	int r = selection_parse_processes(c, &selection, &has_filters, error);

	if (r < 0)
		return r;
	if (!has_filters && c->operands.count < 2 && !c->pid.count) {
		if (a->kind != OWNER_KINDS)
			return 0;
		snprintf(error, PID_SELECTION_ERROR_SIZE,
			"--by=selection needs a pid, or a filter such as --user or --program");
		return -EINVAL;
	}
	if (!c->by)
		a->kind = kind_of_filters(c);
	return pid_selection_parse(c, &a->chosen, error);
}

int sharing_options_parse(const struct settings *settings, struct sharing_options *ret,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	struct sharing_options a = {
		.kind = OWNER_USER,
		.sort = SHARING_COMES_BACK,
		.json = settings->json,
		.csv = settings->csv,
		.matrix = settings->matrix,
		.bytes = settings->bytes,
		.limit = settings->limit,
	};
	int r = cli_option_check(settings, CLI_VIEW_SHARING, error);

	if (r == 0)
		r = parse_form(settings, &a, error);
	if (r == 0)
		r = parse_chosen(settings, &a, error);
	if (r == 0 && a.matrix && a.kind == OWNER_KINDS) {
		snprintf(error, PID_SELECTION_ERROR_SIZE,
			"--matrix needs groups to compare: give --by, too");
		r = -EINVAL;
	}
	if (r == 0)
		*ret = a;
	else
		sharing_options_done(&a);
	return r;
}
