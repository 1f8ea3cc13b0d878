/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/host/vmstat.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/os/file.h"
#include "snapshot/record.h"

enum {
	TEXT_SIZE = 1 << 15, /* Linux 6.18 prints 5 KiB */
};

/*
 * pswpout does not count pages that zswap takes, nor pages that have only zeroes, which are not
 * stored: these have counters of their own, since Linux 5.19 and 6.12.
 */
static const struct {
	const char *name;
	size_t len;
} names[VMSTAT_FIELDS] = {
	[VMSTAT_ZSPAGES] = {"nr_zspages ", 11},
	[VMSTAT_MEMMAP_PAGES] = {"nr_memmap_pages ", 16},
	[VMSTAT_SWAP_IN] = {"pswpin ", 7},
	[VMSTAT_SWAP_OUT] = {"pswpout ", 8},
	[VMSTAT_ZSWAP_IN] = {"zswpin ", 7},
	[VMSTAT_ZSWAP_OUT] = {"zswpout ", 8},
	[VMSTAT_ZEROES_IN] = {"swpin_zero ", 11},
	[VMSTAT_ZEROES_OUT] = {"swpout_zero ", 12},
};

/* Parses one line, without its newline. */
static int vmstat_parse_line(const char *line, size_t len, struct vmstat *v)
{
	for (unsigned int i = 0; i < VMSTAT_FIELDS; i++) {
		uint64_t value;

		if (len < names[i].len || memcmp(line, names[i].name, names[i].len) != 0)
			continue;
		if (ROW_HAS(v, i) ||
			number_parse_u64(line + names[i].len, len - names[i].len, &value) < 0)
			return -EBADMSG;
		ROW_SET(v, i, value);
	}
	return 0;
}

int vmstat_parse(const char *text, size_t len, struct vmstat *ret)
{
	const char *end = text + len;
	struct vmstat v = {0};

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		int r = newline ? vmstat_parse_line(text, (size_t)(newline - text), &v) : -EBADMSG;

		if (r < 0)
			return r;
		text = newline + 1;
	}
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
