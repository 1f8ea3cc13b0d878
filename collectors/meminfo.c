/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/meminfo.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "collectors/lines.h"
#include "snapshot/record.h"

static const struct line_key keys[] = {
	LINE_KEY("MemTotal", MEMINFO_TOTAL),
	LINE_KEY("MemAvailable", MEMINFO_AVAILABLE),
	LINE_KEY("AnonPages", MEMINFO_ANON_PAGES),
	LINE_KEY("Mapped", MEMINFO_MAPPED),
};

int meminfo_parse(const char *text, size_t len, struct meminfo *ret)
{
	const char *end = text + len;
	struct meminfo info = {0};
	size_t hint = 0;

	for (;;) {
		const struct line_key *key;
		struct line line;
		uint64_t bytes;
		int r = line_next(&text, end, &line);

		if (r == LINE_END)
			break;
		if (r < 0)
			return r;
		key = r == 0 ? line_find(&line, keys, ARRAY_SIZE(keys), &hint) : NULL;
		if (!key)
			continue;
		r = ROW_HAS(&info, key->id) ? -EBADMSG : line_kib(&line, &bytes);
		if (r < 0)
			return r;
		ROW_SET(&info, key->id, bytes);
	}
	*ret = info;
	return 0;
}

int meminfo_read(int procfs_fd, struct meminfo *ret)
{
	char text[8192];
	size_t len;
	int r = file_read(procfs_fd, "meminfo", text, sizeof(text), &len);

	return r < 0 ? r : meminfo_parse(text, len, ret);
}
