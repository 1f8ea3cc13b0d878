/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are "  pagesets", then for each CPU "    cpu: 0", "              count:    47598" and other
 * lines of its list. No other line of the text begins with "count:".
 */
#include "config.h"

#include "collectors/procfs/host/zoneinfo.h"

#include <errno.h>
#include <stdbool.h>

#include "base/os/file.h"
#include "base/saturate.h"
#include "base/scan.h"

static bool zoneinfo_parse_line(struct scan *line, uint64_t *pages, bool *any)
{
	uint64_t count;

	scan_blanks(line);
	if (!scan_text(line, "count:"))
		return true;
	scan_blanks(line);
	if (!scan_decimal(line, &count) || line->at != line->end)
		return false;
	*pages = saturate_add(*pages, count);
	*any = true;
	return true;
}

int zoneinfo_parse(const char *text, size_t len, uint64_t *ret_pages)
{
	struct scan all = {text, text + len}, line;
	uint64_t pages = 0;
	bool any = false;

	while (all.at < all.end)
		if (!scan_line(&all, &line) || !zoneinfo_parse_line(&line, &pages, &any))
			return -EBADMSG;
	if (!any)
		return -ENOENT;
	*ret_pages = pages;
	return 0;
}

int zoneinfo_read(int procfs_fd, struct buffer *scratch, uint64_t *ret_pages)
{
	int r = file_read_all(procfs_fd, "zoneinfo", ZONEINFO_TEXT_MAX, scratch);

	return r < 0 ? r : zoneinfo_parse(scratch->data, scratch->len, ret_pages);
}
