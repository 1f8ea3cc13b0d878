/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/host/vmstat.h"

#include <errno.h>

#include "base/os/file.h"
#include "base/scan.h"
#include "snapshot/record.h"

enum {
	TEXT_SIZE = 1 << 15, /* Linux 6.18 prints 5 KiB */
};

/*
 * pswpout does not count pages that zswap takes, nor pages that have only zeroes, which are not
 * stored: these have counters of their own, since Linux 5.19 and 6.12.
 */
static const char *const names[VMSTAT_FIELDS] = {
	[VMSTAT_ZSPAGES] = "nr_zspages ",
	[VMSTAT_MEMMAP_PAGES] = "nr_memmap_pages ",
	[VMSTAT_SWAP_IN] = "pswpin ",
	[VMSTAT_SWAP_OUT] = "pswpout ",
	[VMSTAT_ZSWAP_IN] = "zswpin ",
	[VMSTAT_ZSWAP_OUT] = "zswpout ",
	[VMSTAT_ZEROES_IN] = "swpin_zero ",
	[VMSTAT_ZEROES_OUT] = "swpout_zero ",
	[VMSTAT_OOM_KILL] = "oom_kill ",
};

static bool vmstat_parse_line(struct scan *line, struct vmstat *v)
{
	for (unsigned int i = 0; i < VMSTAT_FIELDS; i++) {
		uint64_t value;

		if (!scan_text(line, names[i]))
			continue;
		if (ROW_HAS(v, i) || !scan_decimal(line, &value) || line->at != line->end)
			return false;
		ROW_SET(v, i, value);
		return true;
	}
	return true;
}

int vmstat_parse(const char *text, size_t len, struct vmstat *ret)
{
	struct scan all = {text, text + len}, line;
	struct vmstat v = {0};

	while (all.at < all.end)
		if (!scan_line(&all, &line) || !vmstat_parse_line(&line, &v))
			return -EBADMSG;
	*ret = v;
	return 0;
}

int vmstat_read(int procfs_fd, struct vmstat *ret)
{
	char text[TEXT_SIZE];
	size_t len;
	int r = file_read(procfs_fd, "vmstat", text, sizeof(text), &len);

	return r < 0 ? r : vmstat_parse(text, len, ret);
}
