/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/flag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

/* As messages name them. FLAG_LIST has no name, since users type the name of the list. */
static const char *const view_names[FLAG_VIEWS] = {
	[FLAG_HOST] = "host",
	[FLAG_STATUS] = "status",
	[FLAG_USAGE] = "usage",
	[FLAG_MAP] = "map",
	[FLAG_FILES] = "files",
	[FLAG_PAGES] = "pages",
	[FLAG_SHARING] = "sharing",
	[FLAG_EXPLAIN] = "explain",
	[FLAG_HELP] = "help",
};

#define ONLY(view) (1U << FLAG_##view)

/* The views that print figures; of these, the views with rows. */
#define ALL  ((1U << FLAG_VIEWS) - 1 - ONLY(HELP))
#define ROWS (ALL & ~(ONLY(HOST) | ONLY(STATUS)))

/* The views that an option has a meaning for. All other options have a meaning for each view. */
static const struct {
	const char *name;
	unsigned int views;
} flags[] = {
	{"all", ONLY(HOST)},
	{"diff", ONLY(MAP)},
	{"deleted", ONLY(FILES)},
	{"file", ONLY(FILES)},
	{"matrix", ONLY(SHARING)},
	{"sections", ONLY(PAGES)},
	{"symbols", ONLY(PAGES)},
	{"range", ONLY(PAGES)},
	{"since", ONLY(USAGE) | ONLY(MAP)},
	{"until", ONLY(USAGE)},
	{"per", ONLY(USAGE)},
	{"by", ONLY(USAGE) | ONLY(MAP) | ONLY(PAGES) | ONLY(SHARING)},
	{"csv", ALL & ~(ONLY(STATUS) | ONLY(EXPLAIN))},
	{"json", ALL},
	{"bytes", ALL & ~ONLY(STATUS)},
	{"sort", ROWS & ~ONLY(EXPLAIN)},
	{"order", ROWS & ~ONLY(EXPLAIN)},
	{"limit", ROWS},
	{"live", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"user", ALL & ~ONLY(STATUS)},
	{"program", ALL & ~ONLY(STATUS)},
	{"unit", ALL & ~ONLY(STATUS)},
	{"group", ALL & ~ONLY(STATUS)},
	{"container", ALL & ~ONLY(STATUS)},
	{"user_unit", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"session", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"slice", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"machine", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"pod", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"pid", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"snapshot.socket", ALL & ~ONLY(USAGE)},
	{"ledger.socket", ONLY(USAGE)},
	{"path.procfs", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
	{"accounting.user", ALL & ~(ONLY(STATUS) | ONLY(USAGE))},
};

bool flag_is_for(const char *name, enum flag_view view)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(flags[i].name, name))
			return flags[i].views >> view & 1;
	return true;
}

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
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct option_spec *spec = option_find(flags[i].name, PROGRAM_MEMTALLY);

		if (spec && !spec->in_file && option_is_set(spec, c) &&
			!(flags[i].views >> view & 1))
			return flag_refuse_view(flags[i].name, view, flags[i].views, error);
	}
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
