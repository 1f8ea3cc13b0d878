/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/meminfo.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "collectors/procfs/lines.h"
#include "snapshot/record.h"

static const struct line_key keys[] = {
	LINE_KEY("MemTotal", MEMINFO_TOTAL),
	LINE_KEY("MemFree", MEMINFO_FREE),
	LINE_KEY("MemAvailable", MEMINFO_AVAILABLE),
	LINE_KEY("Buffers", MEMINFO_BUFFERS),
	LINE_KEY("Cached", MEMINFO_CACHED),
	LINE_KEY("SwapCached", MEMINFO_SWAP_CACHED),
	LINE_KEY("Active", MEMINFO_ACTIVE),
	LINE_KEY("Inactive", MEMINFO_INACTIVE),
	LINE_KEY("Unevictable", MEMINFO_UNEVICTABLE),
	LINE_KEY("SwapTotal", MEMINFO_SWAP_TOTAL),
	LINE_KEY("SwapFree", MEMINFO_SWAP_FREE),
	LINE_KEY("Zswap", MEMINFO_ZSWAP),
	LINE_KEY("AnonPages", MEMINFO_ANON_PAGES),
	LINE_KEY("Mapped", MEMINFO_MAPPED),
	LINE_KEY("Shmem", MEMINFO_SHMEM),
	LINE_KEY("KReclaimable", MEMINFO_KERNEL_RECLAIMABLE),
	LINE_KEY("SReclaimable", MEMINFO_SLAB_RECLAIMABLE),
	LINE_KEY("SUnreclaim", MEMINFO_SLAB_UNRECLAIMABLE),
	LINE_KEY("KernelStack", MEMINFO_KERNEL_STACKS),
	LINE_KEY("PageTables", MEMINFO_PAGE_TABLES),
	LINE_KEY("SecPageTables", MEMINFO_SECONDARY_PAGE_TABLES),
	LINE_KEY("WritebackTmp", MEMINFO_WRITEBACK_TMP),
	LINE_KEY("VmallocUsed", MEMINFO_VMALLOC),
	LINE_KEY("Percpu", MEMINFO_PERCPU),
	LINE_KEY("HardwareCorrupted", MEMINFO_HARDWARE_CORRUPTED),
	LINE_KEY("Hugetlb", MEMINFO_HUGETLB),
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
