/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/cli-option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "config/nearest.h"

/* As messages name them. CLI_VIEW_LIST has no name, since users type the name of the list. */
static const char *const view_names[CLI_VIEWS] = {
	[CLI_VIEW_HOST] = "host",
	[CLI_VIEW_STATUS] = "status",
	[CLI_VIEW_USAGE] = "usage",
	[CLI_VIEW_MAP] = "map",
	[CLI_VIEW_FILES] = "files",
	[CLI_VIEW_PAGES] = "pages",
	[CLI_VIEW_SHARING] = "sharing",
	[CLI_VIEW_EXPLAIN] = "explain",
	[CLI_VIEW_COMPARE] = "compare",
	[CLI_VIEW_TOP] = "top",
	[CLI_VIEW_GROWTH] = "growth",
	[CLI_VIEW_DIFF] = "diff",
	[CLI_VIEW_HISTORY] = "history",
	[CLI_VIEW_WHY] = "why",
	[CLI_VIEW_HELP] = "help",
};

#define ONLY(view) (1U << CLI_VIEW_##view)

/* The views that print figures; of these, the views with rows. */
#define ALL  ((1U << CLI_VIEWS) - 1 - ONLY(HELP))
#define ROWS (ALL & ~(ONLY(HOST) | ONLY(STATUS) | ONLY(HISTORY) | ONLY(WHY)))

/* The views that need memtally-recorder, and those that can show the past. */
#define RECORDED (ONLY(DIFF) | ONLY(HISTORY) | ONLY(GROWTH) | ONLY(WHY))
#define PAST     (RECORDED | ONLY(LIST) | ONLY(HOST) | ONLY(STATUS))

/* The views that have no use for a filter by owner. */
#define UNFILTERED (ONLY(STATUS) | ONLY(COMPARE) | ONLY(HISTORY) | ONLY(WHY))

/*
 * The views that an option has a meaning for, and those that accept it because they do what it asks
 * for anyway. All other options have a meaning for each view.
 */
static const struct {
	const char *name;
	unsigned int views, accepted;
} options[] = {
	{"all", ONLY(HOST) | ONLY(HISTORY) | ONLY(GROWTH)},
	{"at", ONLY(LIST) | ONLY(HOST) | ONLY(STATUS) | ONLY(WHY)},
	{"from", ONLY(LIST) | ONLY(HISTORY)},
	{"to", ONLY(LIST) | ONLY(HISTORY)},
	{"diff", ONLY(MAP)},
	{"oom", ONLY(WHY)},
	{"deleted", ONLY(FILES)},
	{"file", ONLY(FILES)},
	{"matrix", ONLY(SHARING)},
	{"process-exporter", ONLY(COMPARE)},
	{"sections", ONLY(PAGES)},
	{"symbols", ONLY(PAGES)},
	{"range", ONLY(PAGES)},
	{"replay", ONLY(TOP)},
	{"since", ONLY(USAGE) | ONLY(MAP) | ONLY(GROWTH)},
	{"until", ONLY(USAGE)},
	{"per", ONLY(USAGE)},
	{"by", ONLY(USAGE) | ONLY(MAP) | ONLY(PAGES) | ONLY(SHARING) | ONLY(TOP) | ONLY(DIFF)},
	{"csv", ALL & ~(ONLY(STATUS) | ONLY(EXPLAIN) | ONLY(TOP) | ONLY(WHY))},
	{"json", ALL & ~ONLY(TOP)},
	{"bytes", ALL & ~(ONLY(STATUS) | ONLY(TOP))},
	{"sort", ROWS & ~(ONLY(EXPLAIN) | ONLY(COMPARE) | ONLY(GROWTH))},
	{"order", ROWS & ~(ONLY(EXPLAIN) | ONLY(COMPARE) | ONLY(GROWTH))},
	{"limit", ROWS & ~ONLY(TOP)},
	{"live", ALL & ~(ONLY(STATUS) | ONLY(USAGE) | ONLY(SHARING) | RECORDED), ONLY(SHARING)},
	{"user", ALL & ~UNFILTERED},
	{"program", ALL & ~UNFILTERED},
	{"unit", ALL & ~UNFILTERED},
	{"group", ALL & ~UNFILTERED},
	{"container", ALL & ~UNFILTERED},
	{"user_unit", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"session", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"slice", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"machine", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"pod", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"namegroup", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"pid", ALL & ~(UNFILTERED | ONLY(USAGE))},
	{"snapshot.socket", ALL & ~(ONLY(USAGE) | RECORDED)},
	{"ledger.socket", ONLY(USAGE) | ONLY(HISTORY)},
	{"recorder.socket", PAST | ONLY(TOP)},
	{"recorder.directory", PAST},
	{"path.procfs", ALL & ~(ONLY(STATUS) | ONLY(USAGE) | ONLY(DIFF) | ONLY(HISTORY))},
	{"accounting.user", ALL & ~(ONLY(STATUS) | ONLY(USAGE) | RECORDED)},
	{"naming.process_exporter", ALL & ~(ONLY(STATUS) | ONLY(USAGE) | RECORDED)},
};

bool cli_option_is_for(const char *name, enum cli_view view)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, name))
			return options[i].views >> view & 1;
	return true;
}

/* Appends the names of the views with a bit in VIEWS: "usage, map and pages". */
static void add_views(unsigned int views, struct buffer *to)
{
	bool is_first = true;

	for (unsigned int i = 0; i < CLI_VIEWS; i++) {
		if (!(views >> i & 1) || !view_names[i])
			continue;
		if (!is_first)
			buffer_add_text(to, views >> (i + 1) ? ", " : " and ");
		buffer_add_text(to, view_names[i]);
		is_first = false;
	}
}

static int cli_option_refuse_view(const char *option, enum cli_view view, unsigned int views,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	AUTO_BUFFER struct buffer text = {0};

	if (view == CLI_VIEW_LIST) {
		buffer_printf(&text, "--%s is for ", option);
		add_views(views, &text);
	} else {
		buffer_printf(&text, "--%s does not go with %s", option, view_names[view]);
		if (view == CLI_VIEW_TOP && !strcmp(option, "at"))
			buffer_add_text(&text, "; use --replay");
	}
	snprintf(error, CLI_OPTION_ERROR_SIZE, "%.*s", (int)text.len, text.data ? text.data : "");
	return -EINVAL;
}

/* Options that contradict each other. */
static const struct {
	const char *one, *other;
} contradictions[] = {
	{"csv", "json"},
	{"live", "at"},
	{"live", "from"},
	{"live", "to"},
	{"at", "from"},
	{"at", "to"},
	{"oom", "at"},
};

/* Returns true if the option NAME is set in C. */
static bool is_given(const struct settings *c, const char *name)
{
	const struct option_spec *spec = option_find(name, PROGRAM_MEMTALLY);

	return spec && option_is_set(spec, c);
}

static int refuse_contradictions(const struct settings *c, char error[static CLI_OPTION_ERROR_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(contradictions); i++) {
		if (!is_given(c, contradictions[i].one) || !is_given(c, contradictions[i].other))
			continue;
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--%s does not go with --%s",
			contradictions[i].one, contradictions[i].other);
		return -EINVAL;
	}
	return 0;
}

int cli_option_check(
	const struct settings *c, enum cli_view view, char error[static CLI_OPTION_ERROR_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option_spec *spec = option_find(options[i].name, PROGRAM_MEMTALLY);

		if (spec && !spec->in_file && option_is_set(spec, c) &&
			!((options[i].views | options[i].accepted) >> view & 1))
			return cli_option_refuse_view(
				options[i].name, view, options[i].views, error);
	}
	return refuse_contradictions(c, error);
}

int cli_option_refuse(const char *option, const char *got, const char *expected,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	snprintf(error, CLI_OPTION_ERROR_SIZE, "%s: expected %s, got '%.60s'", option, expected,
		got);
	return -EINVAL;
}

/* Returns true if GIVEN is NAME or its plural, as lists are called: user, users, processes. */
static bool cli_option_is_named(const char *given, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(given, name, len) &&
	       (!given[len] || !strcmp(given + len, "s") || !strcmp(given + len, "es"));
}

/* Refuses the value of --by, with the nearest one that BY returns, if there is one. */
static int cli_option_refuse_by(const char *given, const char *(*by)(unsigned int i),
	const char *expected, char error[static CLI_OPTION_ERROR_SIZE])
{
	char suggestion[NEAREST_TEXT_SIZE];
	struct nearest nearest;
	size_t len;

	cli_option_refuse("--by", given, expected, error);
	nearest_init(&nearest, given);
	for (unsigned int i = 0; by(i); i++)
		nearest_consider(&nearest, by(i), strlen(by(i)));
	len = strlen(error);
	snprintf(
		error + len, CLI_OPTION_ERROR_SIZE - len, "%s", nearest_text(&nearest, suggestion));
	return -EINVAL;
}

int cli_option_parse_by(const struct settings *settings, const char *(*by)(unsigned int i),
	const char *expected, unsigned int *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	unsigned int i = 0;

	if (!settings->by)
		return 0;
	while (by(i) && !cli_option_is_named(settings->by, by(i)))
		i++;
	if (!by(i))
		return cli_option_refuse_by(settings->by, by, expected, error);
	*ret = i;
	return 0;
}

int cli_option_parse_order(const struct settings *settings, bool *ret_ascending,
	char error[static CLI_OPTION_ERROR_SIZE])
{
	const char *order = settings->order;

	if (order && strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0)
		return cli_option_refuse("--order", order, "asc or desc", error);
	*ret_ascending = order && !strcmp(order, "asc");
	return 0;
}
