/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/top-options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/when.h"
#include "cli/top/rows/top-columns.h"

/* The views in the order of --by: the default first. */
static const enum top_view by_order[TOP_VIEWS] = {TOP_VIEW_PROGRAM, TOP_VIEW_USER, TOP_VIEW_UNIT,
	TOP_VIEW_CONTAINER, TOP_VIEW_PROCESS, TOP_VIEW_TREE, TOP_VIEW_NESTED};

const char *top_options_by(unsigned int i)
{
	return i < TOP_VIEWS ? top_state_view_name(by_order[i]) : NULL;
}

void top_options_add_sorts(const char *name, struct sort_names *to)
{
	(void)name;
	for (unsigned int c = 0; c < TOP_COLUMNS; c++)
		if (top_columns_spec((enum top_column)c)->name)
			sort_names_add(to, top_columns_spec((enum top_column)c)->name,
				top_columns_spec((enum top_column)c)->field);
}

/* Adds the filters of the command line to O. */
static int top_options_parse_filters(struct top_options *o, const struct settings *settings,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = selection_parse_processes(settings, &o->filters, &o->has_filters, error);

	for (size_t i = 0; r == 0 && i < settings->pid.count; i++) {
		r = query_set(&o->filters.query, "pid", settings->pid.item[i], error);
		o->has_filters = true;
	}
	return r;
}

/* Reads --sort and --order. */
static int top_options_parse_sort(struct top_asks *asks, const struct settings *settings,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	bool is_ascending;
	int r;

	if (settings->sort) {
		asks->sort = top_columns_find(settings->sort);
		if (asks->sort == TOP_COLUMNS) {
			struct sort_names names;

			sort_names_init(&names, settings->sort);
			top_options_add_sorts("", &names);
			sort_names_refuse(&names, error);
			return -EINVAL;
		}
	}
	r = cli_option_parse_order(settings, &is_ascending, error);
	if (r == 0 && settings->order)
		asks->is_turned = is_ascending != top_columns_spec(asks->sort)->is_text;
	return r;
}

/* Reads --replay, where it begins, if it is set. */
static int top_options_parse_replay(struct top_state *s, const struct settings *settings,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	uint64_t ns;

	if (!settings->replay)
		return 0;
	if (strcmp(settings->replay, "oom") != 0 &&
		when_parse_moment(settings->replay, clock_now_ns(CLOCK_REALTIME), &ns) < 0)
		return cli_option_refuse("--replay", settings->replay,
			"a time such as -15m, 03:12, '2026-11-23 08:00' or oom", error);
	snprintf(s->time, sizeof(s->time), "%s", settings->replay);
	s->step = TOP_STEP_TIME;
	s->is_playing = true;
	return 0;
}

int top_options_parse(struct top_options *o, struct top_state *s, const struct settings *settings,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	unsigned int by = 0;
	int r = cli_option_check(settings, CLI_VIEW_TOP, error);

	*o = (struct top_options){0};
	query_init(&o->filters.query, METRIC_PROCESS);
	if (r == 0 && settings->operands.count > 1) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "unexpected argument '%.100s' after top",
			settings->operands.item[1]);
		r = -EINVAL;
	}
	if (r == 0)
		r = cli_option_parse_by(settings, top_options_by,
			"program, user, unit, container, process, tree or nested", &by, error);
	if (r < 0)
		return r;
	top_state_init(s, by_order[by]);
	r = top_options_parse_sort(&s->asks, settings, error);
	if (r == 0)
		r = top_options_parse_replay(s, settings, error);
	return r == 0 ? top_options_parse_filters(o, settings, error) : r;
}
