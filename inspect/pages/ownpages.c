/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/ownpages.h"

#include <stddef.h>
#include <unistd.h>

#include "inspect/pages/pagemap.h"

enum {
	ENTRIES = 2048,
	ENTRIES_MAX = 1 << 20, /* 4 GiB of small pages, 10 ms */
};

static size_t count_own(const uint64_t *entry, size_t count)
{
	size_t own = 0;

	for (size_t i = 0; i < count; i++)
		own += entry[i] & PAGEMAP_PRESENT && entry[i] & PAGEMAP_EXCLUSIVE &&
		       !(entry[i] & PAGEMAP_FILE);
	return own;
}

int ownpages_read(int pagemap, uint64_t start, uint64_t end, uint64_t *ret_bytes)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), own = 0;
	uint64_t entry[ENTRIES], left = (end - start) / page_size;

	if (left > ENTRIES_MAX)
		return OWNPAGES_TOO_LARGE;
	while (left) {
		size_t count = 0;
		int r = pagemap_read(
			pagemap, start, entry, left < ENTRIES ? left : ENTRIES, &count);

		if (r < 0)
			return r;
		if (!count)
			return OWNPAGES_GONE;
		own += count_own(entry, count);
		start += count * page_size;
		left -= count;
	}
	*ret_bytes = own * page_size;
	return 0;
}
