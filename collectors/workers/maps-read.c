/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/workers/maps-read.h"

#include "base/number.h"
#include "base/os/file.h"
#include "base/saturate.h"

/* Returns how many mappings the kernel lets a process have, 0 if it does not say. */
static uint64_t max_map_count(int procfs_fd)
{
	char text[32];
	uint64_t count;
	size_t len;

	if (file_read(procfs_fd, "sys/vm/max_map_count", text, sizeof(text), &len) < 0)
		return 0;
	len -= len && text[len - 1] == '\n';
	return number_parse_u64(text, len, &count) == 0 ? count : 0;
}

/* Returns the limit for texts that are longer than MAPS_TEXT_MAX. */
static uint64_t long_text_max(int procfs_fd)
{
	return saturate_part(max_map_count(procfs_fd), MAPS_LINE_MAX, 1);
}

int maps_read(struct stream *s, char *text, size_t size, int procfs_fd, struct maps_parser *p)
{
	uint64_t total = 0, limit = MAPS_TEXT_MAX;

	maps_parser_init(p);
	while (total < limit || total < (limit = long_text_max(procfs_fd))) {
		struct stream_piece piece;
		ssize_t n = stream_read(s, text, size, UINT64_MAX, &piece);
		int r;

		if (n <= 0)
			return (int)n;
		total += (uint64_t)n;
		r = maps_parser_feed(p, text, (size_t)n);
		if (r < 0)
			return r;
	}
	maps_parser_cut(p);
	return MAPS_CUT;
}
