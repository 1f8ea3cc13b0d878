/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are "  pagesets", then for each CPU "    cpu: 0", "              count:    47598" and other
 * lines of its list. No other line of the text begins with "count:".
 */
#include "config.h"

#include "collectors/procfs/host/zoneinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "base/os/file.h"
#include "base/saturate.h"

static size_t zoneinfo_blanks(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == ' ')
		n++;
	return n;
}

/* Parses one line, without its newline. */
static int zoneinfo_parse_line(const char *line, size_t len, uint64_t *pages, bool *any)
{
	static const char key[] = "count:";
	size_t at = zoneinfo_blanks(line, len);
	uint64_t count;

	if (len - at < sizeof(key) - 1 || memcmp(line + at, key, sizeof(key) - 1) != 0)
		return 0;
	at += sizeof(key) - 1;
	at += zoneinfo_blanks(line + at, len - at);
	if (number_parse_u64(line + at, len - at, &count) < 0)
		return -EBADMSG;
	*pages = saturate_add(*pages, count);
	*any = true;
	return 0;
}

int zoneinfo_parse(const char *text, size_t len, uint64_t *ret_pages)
{
	const char *end = text + len;
	uint64_t pages = 0;
	bool any = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		int r = newline ? zoneinfo_parse_line(text, (size_t)(newline - text), &pages, &any)
		                : -EBADMSG;

		if (r < 0)
			return r;
		text = newline + 1;
	}
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
