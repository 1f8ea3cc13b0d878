/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pages-options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/common/command.h"
#include "cli/common/sort-names.h"
#include "cli/pages/partrow.h"
#include "inspect/pages/pagewalk.h"

/*
 * Parses a range such as "7f0000000000-7f0000010000", as in maps; each address may begin with 0x.
 * Returns false if it is invalid.
 */
static bool pages_options_read_range(const char *text, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t *const to[] = {ret_start, ret_end};
	const char *at = text;

	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		int n;

		if (i && *at++ != '-')
			return false;
		if (!strncmp(at, "0x", 2))
			at += 2;
		n = number_scan_hex(at, strlen(at), to[i]);
		if (n <= 0)
			return false;
		at += n;
	}
	return !*at && *ret_start < *ret_end;
}

static int pages_options_parse_range(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const char *range = i->settings->range;
	uint64_t size = pagewalk_page_size();

	i->end = UINT64_MAX;
	if (!range)
		return 0;
	if (!pages_options_read_range(range, &i->start, &i->end))
		return cli_option_refuse("--range", range,
			"two addresses in hexadecimal digits, START-END, the first below the other",
			error);
	i->start -= i->start % size;
	if (i->end % size)
		i->end = i->end > UINT64_MAX - size ? UINT64_MAX : i->end - i->end % size + size;
	return 0;
}

const char *pages_options_by(unsigned int i)
{
	return i < PAGEROW_BYS ? pagerow_by_name((enum pagerow_by)i) : NULL;
}

static int pages_options_parse_by(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;

	i->by = c->sections  ? PAGEROW_BY_SECTION
	        : c->symbols ? PAGEROW_BY_SYMBOL
	        : c->range   ? PAGEROW_BY_PAGE
	                     : PAGEROW_BY_KIND;
	if ((c->sections && c->symbols) || ((c->sections || c->symbols) && c->by)) {
		snprintf(error, CLI_OPTION_ERROR_SIZE, "--%s does not go with --%s",
			c->sections ? "sections" : "symbols", c->by ? "by" : "symbols");
		return -EINVAL;
	}
	return cli_option_parse_by(c, pages_options_by,
		"kind, process, mapping, page, section or symbol", &i->by, error);
}

/*
 * Returns true if rows are sorted by an amount even without --sort. Of symbols a table is: most of
 * them are not resident. JSON and CSV have them as they come, which may be more than can be sorted.
 */
static bool is_sorted_anyway(const struct inspection *i)
{
	return i->by == PAGEROW_BY_KIND || i->by == PAGEROW_BY_PROCESS ||
	       (i->by == PAGEROW_BY_SYMBOL && i->look.form == LIST_LINES);
}

static int pages_options_parse_order(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	const struct settings *c = i->settings;
	bool by_parts = pages_options_is_by_parts(i);

	i->is_sorted = c->sort || c->order || is_sorted_anyway(i);
	if (i->is_sorted && i->by == PAGEROW_BY_PAGE) {
		snprintf(error, CLI_OPTION_ERROR_SIZE,
			"--%s does not go with single pages: these are in order of address",
			c->sort ? "sort" : "order");
		return -EINVAL;
	}
	i->sort = i->by == PAGEROW_BY_SYMBOL ? (unsigned int)PARTROW_PRIVATE
	          : by_parts                 ? (unsigned int)PARTROW_RESIDENT
	                                     : (unsigned int)PAGESUM_RSS;
	return sort_names_parse(c, by_parts ? &partrow_columns : &pagerow_columns, NULL, &i->sort,
		&i->ascending, error);
}

int pages_options_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE])
{
	int r = pages_options_parse_by(i, error);

	i->look = command_look(i->settings, LIST_LINES);
	if (r == 0)
		r = pages_options_parse_range(i, error);
	if (r == 0)
		r = pages_options_parse_order(i, error);
	return r == 0 ? pid_selection_parse(i->settings, &i->chosen, error) : r;
}
