/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/host/meminfo.h"

#include "base/cleanup.h"
#include "base/os/file.h"
#include "collectors/procfs/keyvalue.h"
#include "snapshot/record.h"

static const struct keyvalue_key keys[] = {
	KEYVALUE_KEY("MemTotal", MEMINFO_TOTAL),
	KEYVALUE_KEY("MemFree", MEMINFO_FREE),
	KEYVALUE_KEY("MemAvailable", MEMINFO_AVAILABLE),
	KEYVALUE_KEY("Buffers", MEMINFO_BUFFERS),
	KEYVALUE_KEY("Cached", MEMINFO_CACHED),
	KEYVALUE_KEY("SwapCached", MEMINFO_SWAP_CACHED),
	KEYVALUE_KEY("Active", MEMINFO_ACTIVE),
	KEYVALUE_KEY("Inactive", MEMINFO_INACTIVE),
	KEYVALUE_KEY("Unevictable", MEMINFO_UNEVICTABLE),
	KEYVALUE_KEY("SwapTotal", MEMINFO_SWAP_TOTAL),
	KEYVALUE_KEY("SwapFree", MEMINFO_SWAP_FREE),
	KEYVALUE_KEY("Zswap", MEMINFO_ZSWAP),
	KEYVALUE_KEY("AnonPages", MEMINFO_ANON_PAGES),
	KEYVALUE_KEY("Mapped", MEMINFO_MAPPED),
	KEYVALUE_KEY("Shmem", MEMINFO_SHMEM),
	KEYVALUE_KEY("KReclaimable", MEMINFO_KERNEL_RECLAIMABLE),
	KEYVALUE_KEY("SReclaimable", MEMINFO_SLAB_RECLAIMABLE),
	KEYVALUE_KEY("SUnreclaim", MEMINFO_SLAB_UNRECLAIMABLE),
	KEYVALUE_KEY("KernelStack", MEMINFO_KERNEL_STACKS),
	KEYVALUE_KEY("PageTables", MEMINFO_PAGE_TABLES),
	KEYVALUE_KEY("SecPageTables", MEMINFO_SECONDARY_PAGE_TABLES),
	KEYVALUE_KEY("WritebackTmp", MEMINFO_WRITEBACK_TMP),
	KEYVALUE_KEY("VmallocUsed", MEMINFO_VMALLOC),
	KEYVALUE_KEY("Percpu", MEMINFO_PERCPU),
	KEYVALUE_KEY("HardwareCorrupted", MEMINFO_HARDWARE_CORRUPTED),
	KEYVALUE_KEY("Hugetlb", MEMINFO_HUGETLB),
};

int meminfo_parse(const char *text, size_t len, struct meminfo *ret)
{
	const char *end = text + len;
	struct meminfo info = {0};
	size_t hint = 0;

	for (;;) {
		const struct keyvalue_key *key;
		struct keyvalue line;
		uint64_t bytes;
		int r = keyvalue_next(&text, end, &line);

		if (r == KEYVALUE_END)
			break;
		if (r < 0)
			return r;
		key = keyvalue_find(&line, keys, ARRAY_SIZE(keys), &hint);
		if (!key)
			continue;
		r = ROW_HAS(&info, key->id) ? -EBADMSG : keyvalue_kib(&line, &bytes);
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
