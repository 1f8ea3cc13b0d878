/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/flag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

/* As messages name them. FLAG_LIST has no name, since users type the name of the list. */
static const char *const view_names[FLAG_VIEWS] = {
	[FLAG_USAGE] = "usage",
	[FLAG_MAP] = "map",
	[FLAG_FILES] = "files",
	[FLAG_PAGES] = "pages",
	[FLAG_SHARING] = "sharing",
	[FLAG_EXPLAIN] = "explain",
};

#define ONLY(view) (1U << FLAG_##view)

/* Appends the names of the views with a bit in VIEWS: "usage, map and pages". */
static void add_views(unsigned int views, struct buffer *to)
{
	bool is_first = true;

	for (unsigned int i = 0; i < FLAG_VIEWS; i++) {
		if (!(views >> i & 1) || !view_names[i])
			continue;
		if (!is_first)
			buffer_add_text(to, views >> (i + 1) ? ", " : " and ");
		buffer_add_text(to, view_names[i]);
		is_first = false;
	}
}

static int flag_refuse_view(const char *flag, enum flag_view view, unsigned int views,
	char error[static FLAG_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};

	if (view == FLAG_LIST) {
		buffer_printf(&text, "--%s is for ", flag);
		add_views(views, &text);
	} else {
		buffer_printf(&text, "--%s does not go with %s", flag, view_names[view]);
	}
	snprintf(error, FLAG_ERROR_SIZE, "%.*s", (int)text.len, text.data ? text.data : "");
	return -EINVAL;
}

int flag_check(const struct settings *c, enum flag_view view, char error[static FLAG_ERROR_SIZE])
{
	const unsigned int all = (1U << FLAG_VIEWS) - 1;
	const struct {
		const char *name;
		bool is_given;
		unsigned int views; /* the views that accept it */
	} flags[] = {
		{"diff", c->diff, ONLY(MAP)},
		{"deleted", c->deleted, ONLY(FILES)},
		{"file", c->file, ONLY(FILES)},
		{"matrix", c->matrix, ONLY(SHARING)},
		{"sections", c->sections, ONLY(PAGES)},
		{"symbols", c->symbols, ONLY(PAGES)},
		{"range", c->range, ONLY(PAGES)},
		{"since", c->since, ONLY(USAGE) | ONLY(MAP)},
		{"until", c->until, ONLY(USAGE)},
		{"per", c->per, ONLY(USAGE)},
		{"by", c->by, all & ~(ONLY(LIST) | ONLY(EXPLAIN) | ONLY(FILES))},
		{"csv", c->csv, all & ~ONLY(EXPLAIN)},
		{"sort", c->sort, all & ~ONLY(EXPLAIN)},
		{"order", c->order, all & ~ONLY(EXPLAIN)},
		{"live", c->live, all & ~ONLY(USAGE)},
		{"user_unit", c->user_unit.count, all & ~ONLY(USAGE)},
		{"session", c->session.count, all & ~ONLY(USAGE)},
		{"slice", c->slice.count, all & ~ONLY(USAGE)},
		{"machine", c->machine.count, all & ~ONLY(USAGE)},
		{"pod", c->pod.count, all & ~ONLY(USAGE)},
		{"pid", c->pid.count, all & ~ONLY(USAGE)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].is_given && !(flags[i].views >> view & 1))
			return flag_refuse_view(flags[i].name, view, flags[i].views, error);
	if (!c->json || !c->csv)
		return 0;
	snprintf(error, FLAG_ERROR_SIZE, "--csv does not go with --json");
	return -EINVAL;
}

int flag_refuse(
	const char *flag, const char *got, const char *expected, char error[static FLAG_ERROR_SIZE])
{
	snprintf(error, FLAG_ERROR_SIZE, "%s: expected %s, got '%.60s'", flag, expected, got);
	return -EINVAL;
}

int flag_parse_order(
	const struct settings *settings, bool *ret_ascending, char error[static FLAG_ERROR_SIZE])
{
	const char *order = settings->order;

	if (order && strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0)
		return flag_refuse("--order", order, "asc or desc", error);
	*ret_ascending = order && !strcmp(order, "asc");
	return 0;
}
