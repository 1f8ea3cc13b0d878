/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-options.h"

#include <errno.h>
#include <stdio.h>

#include "cli/common/flag.h"
#include "cli/common/selection.h"
#include "cli/common/sort-names.h"
#include "snapshot/owner.h"

void sharing_options_done(struct sharing_options *a)
{
	pid_selection_done(&a->chosen);
}

const char *sharing_options_by(unsigned int i)
{
	return i < OWNER_KINDS ? owner_of((enum owner_kind)i)->name : NULL;
}

static int parse_form(const struct settings *c, struct sharing_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	size_t count;
	const struct column *column = sharing_columns(&count);

	if (c->by) {
		a->kind = owner_find(c->by);
		if (a->kind == OWNER_KINDS)
			return flag_refuse("--by", c->by,
				"user, program, unit or another kind of owner", error);
	}
	if (c->sort) {
		a->sort = sharing_find_sort(c->sort);
		if (a->sort == SHARING_FIELDS)
			return sort_names_refuse_columns(c->sort, column, count, NULL, error);
	}
	return flag_parse_order(c, &a->ascending, error);
}

/* Without pids and filters all processes are scanned. */
static int parse_chosen(const struct settings *c, struct sharing_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	struct selection selection = {0};
	bool has_filters = false;
	int r = selection_parse_processes(c, &selection, &has_filters, error);

	if (r < 0 || (!has_filters && c->operands.count < 2 && !c->pid.count))
		return r;
	if (!c->by)
		a->kind = OWNER_KINDS;
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
	int r = flag_check(settings, FLAG_SHARING, error);

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
