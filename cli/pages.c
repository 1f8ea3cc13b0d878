/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/flag.h"
#include "cli/pageview.h"
#include "cli/partrow.h"
#include "inside/pagewalk.h"

void pages_done(struct pages *p)
{
	chosen_done(&p->chosen);
}

bool pages_is_by_parts(const struct pages *p)
{
	return p->format.by >= PAGEROW_BY_SECTION;
}

/* "7f0000000000-7f0000010000", as maps has them; each may begin with 0x. */
static bool read_range(const char *text, uint64_t *ret_start, uint64_t *ret_end)
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

static int parse_range(
	const struct settings *c, struct pages *p, char error[static CHOSEN_ERROR_SIZE])
{
	uint64_t size = pagewalk_page_size();

	p->end = UINT64_MAX;
	if (!c->range)
		return 0;
	if (!read_range(c->range, &p->start, &p->end))
		return flag_refuse("--range", c->range,
			"two addresses in hexadecimal digits, START-END, the first below the other",
			error);
	p->start -= p->start % size;
	if (p->end % size)
		p->end = p->end > UINT64_MAX - size ? UINT64_MAX : p->end - p->end % size + size;
	return 0;
}

static int parse_by(const struct settings *c, struct pages *p, char error[static CHOSEN_ERROR_SIZE])
{
	p->format.by = c->sections  ? PAGEROW_BY_SECTION
	               : c->symbols ? PAGEROW_BY_SYMBOL
	               : c->range   ? PAGEROW_BY_PAGE
	                            : PAGEROW_BY_KIND;
	if ((c->sections && c->symbols) || ((c->sections || c->symbols) && c->by)) {
		snprintf(error, CHOSEN_ERROR_SIZE, "--%s does not go with --%s",
			c->sections ? "sections" : "symbols", c->by ? "by" : "symbols");
		return -EINVAL;
	}
	if (c->by)
		p->format.by = pagerow_find_by(c->by);
	return p->format.by < PAGEROW_BYS
	               ? 0
	               : flag_refuse("--by", c->by,
				 "kind, process, mapping, page, section or symbol", error);
}

static int parse_order(
	const struct settings *c, struct pages *p, char error[static CHOSEN_ERROR_SIZE])
{
	p->is_sorted = c->sort || c->order || p->format.by == PAGEROW_BY_KIND ||
	               p->format.by == PAGEROW_BY_PROCESS;
	p->sort = PAGESUM_RSS;
	if (p->is_sorted && p->format.by == PAGEROW_BY_PAGE) {
		snprintf(error, CHOSEN_ERROR_SIZE,
			"--%s does not go with pages by themselves: they come as they lie",
			c->sort ? "sort" : "order");
		return -EINVAL;
	}
	if (pages_is_by_parts(p)) {
		p->sort = c->sort ? partrow_find(c->sort) : PARTROW_RESIDENT;
		if (p->sort == PARTROW_FIELDS)
			return flag_refuse("--sort", c->sort,
				"an amount of the rows in JSON, such as resident_bytes or private_bytes",
				error);
	} else if (c->sort) {
		p->sort = pagesum_find(c->sort);
		if (p->sort == PAGESUM_FIELDS)
			return flag_refuse("--sort", c->sort,
				"an amount of the rows in JSON, such as rss_bytes or mapped_1_bytes",
				error);
	}
	return flag_parse_order(c, &p->ascending, error);
}

int pages_parse(
	const struct settings *settings, struct pages *ret, char error[static CHOSEN_ERROR_SIZE])
{
	struct pages p = {
		.format.bytes = settings->bytes,
		.json = settings->json,
		.csv = settings->csv,
		.limit = settings->limit,
	};
	int r = flag_check(settings, FLAG_PAGES, error);

	if (r == 0)
		r = parse_by(settings, &p, error);
	if (r == 0)
		r = parse_range(settings, &p, error);
	if (r == 0)
		r = parse_order(settings, &p, error);
	if (r == 0)
		r = chosen_parse(settings, &p.chosen, error);
	if (r == 0)
		*ret = p;
	return r;
}

int pages_show(const struct settings *settings, struct pages *p)
{
	CLEANUP(procfs_close) struct procfs procfs = {.fd = -1};

	if (chosen_open(settings, &p->chosen, &procfs) != 0)
		return 1;
	p->format.has_pid = p->chosen.count > 1;
	return pageview_show(p, &procfs);
}

int pages_run(const struct settings *settings, bool is_check)
{
	AUTO_PAGES struct pages pages = {0};
	char error[CHOSEN_ERROR_SIZE] = "";

	if (pages_parse(settings, &pages, error) < 0)
		return command_refuse(error);
	return is_check ? COMMAND_GOOD : command_shown(pages_show(settings, &pages));
}
