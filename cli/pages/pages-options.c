/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages/pages-options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/common/cli-option.h"
#include "cli/common/sort-names.h"
#include "cli/pages/partrow.h"
#include "inspect/pages/pagewalk.h"

void pages_options_done(struct pages_options *a)
{
	pid_selection_done(&a->chosen);
}

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

static int pages_options_parse_range(const struct settings *c, struct pages_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	uint64_t size = pagewalk_page_size();

	a->end = UINT64_MAX;
	if (!c->range)
		return 0;
	if (!pages_options_read_range(c->range, &a->start, &a->end))
		return cli_option_refuse("--range", c->range,
			"two addresses in hexadecimal digits, START-END, the first below the other",
			error);
	a->start -= a->start % size;
	if (a->end % size)
		a->end = a->end > UINT64_MAX - size ? UINT64_MAX : a->end - a->end % size + size;
	return 0;
}

const char *pages_options_by(unsigned int i)
{
	return i < PAGEROW_BYS ? pagerow_by_name((enum pagerow_by)i) : NULL;
}

static int pages_options_parse_by(const struct settings *c, struct pages_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	a->by = c->sections  ? PAGEROW_BY_SECTION
	        : c->symbols ? PAGEROW_BY_SYMBOL
	        : c->range   ? PAGEROW_BY_PAGE
	                     : PAGEROW_BY_KIND;
	if ((c->sections && c->symbols) || ((c->sections || c->symbols) && c->by)) {
		snprintf(error, PID_SELECTION_ERROR_SIZE, "--%s does not go with --%s",
			c->sections ? "sections" : "symbols", c->by ? "by" : "symbols");
		return -EINVAL;
	}
	if (c->by)
		a->by = pagerow_find_by(c->by);
	return a->by < PAGEROW_BYS
	               ? 0
	               : cli_option_refuse("--by", c->by,
				 "kind, process, mapping, page, section or symbol", error);
}

/*
 * Returns true if rows are sorted by an amount even without --sort. Of symbols a table is: most of
 * them are not resident. JSON and CSV have them as they come, which may be more than can be sorted.
 */
static bool is_sorted_anyway(const struct pages_options *a)
{
	return a->by == PAGEROW_BY_KIND || a->by == PAGEROW_BY_PROCESS ||
	       (a->by == PAGEROW_BY_SYMBOL && !a->json && !a->csv);
}

static int pages_options_parse_order(const struct settings *c, struct pages_options *a,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	bool by_parts = pages_options_is_by_parts(a);
	const struct column *column;
	size_t count;

	a->is_sorted = c->sort || c->order || is_sorted_anyway(a);
	if (a->is_sorted && a->by == PAGEROW_BY_PAGE) {
		snprintf(error, PID_SELECTION_ERROR_SIZE,
			"--%s does not go with single pages: these are in order of address",
			c->sort ? "sort" : "order");
		return -EINVAL;
	}
	a->sort = a->by == PAGEROW_BY_SYMBOL ? (unsigned int)PARTROW_PRIVATE
	          : by_parts                 ? (unsigned int)PARTROW_RESIDENT
	                                     : (unsigned int)PAGESUM_RSS;
	if (c->sort && by_parts)
		a->sort = partrow_find_sort(c->sort);
	else if (c->sort)
		a->sort = pagerow_find_sort(c->sort);
	if (a->sort == (by_parts ? (unsigned int)PARTROW_FIELDS : (unsigned int)PAGESUM_FIELDS)) {
		column = by_parts ? partrow_columns(&count) : pagerow_columns(&count);
		return sort_names_refuse_columns(c->sort, column, count, NULL, error);
	}
	return cli_option_parse_order(c, &a->ascending, error);
}

int pages_options_parse(const struct settings *settings, struct pages_options *ret,
	char error[static PID_SELECTION_ERROR_SIZE])
{
	struct pages_options a = {
		.bytes = settings->bytes,
		.json = settings->json,
		.csv = settings->csv,
		.limit = settings->limit,
	};
	int r = cli_option_check(settings, CLI_VIEW_PAGES, error);

	if (r == 0)
		r = pages_options_parse_by(settings, &a, error);
	if (r == 0)
		r = pages_options_parse_range(settings, &a, error);
	if (r == 0)
		r = pages_options_parse_order(settings, &a, error);
	if (r == 0)
		r = pid_selection_parse(settings, &a.chosen, error);
	if (r == 0)
		*ret = a;
	return r;
}
