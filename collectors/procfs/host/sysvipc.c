/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of names, then lines of numbers, separated by blanks: "key shmid perms size cpid lpid
 * nattch uid gid cuid cgid atime dtime ctime rss swap". Keys may be negative; they are not parsed.
 */
#include "config.h"

#include "collectors/procfs/host/sysvipc.h"

#include <errno.h>

#include "base/os/file.h"

static const char *const names[SYSVIPC_COLUMNS] = {
	[SYSVIPC_UID] = "uid",
	[SYSVIPC_NATTCH] = "nattch",
	[SYSVIPC_SIZE] = "size",
	[SYSVIPC_RSS] = "rss",
	[SYSVIPC_SWAP] = "swap",
};

int sysvipc_begin(struct sysvipc *s, const char *text, size_t len)
{
	struct scan line, word;
	unsigned int seen = 0;

	*s = (struct sysvipc){.rest = {text, text + len}};
	if (!scan_line(&s->rest, &line))
		return -EBADMSG;
	for (unsigned int place = 0; scan_word(&line, &word); place++) {
		if (place == SYSVIPC_COLUMNS_MAX)
			return -EBADMSG;
		for (unsigned int i = 0; i < SYSVIPC_COLUMNS; i++)
			if (scan_is(&word, names[i])) {
				if (seen >> i & 1)
					return -EBADMSG;
				seen |= 1U << i;
				s->place[i] = place;
			}
	}
	return seen == (1U << SYSVIPC_COLUMNS) - 1 ? 0 : -EBADMSG;
}

int sysvipc_next(struct sysvipc *s, struct sysvipc_segment *ret)
{
	uint64_t value[SYSVIPC_COLUMNS] = {0};
	struct scan line, word;
	unsigned int seen = 0;

	if (s->rest.at == s->rest.end)
		return SYSVIPC_END;
	if (!scan_line(&s->rest, &line))
		return -EBADMSG;
	for (unsigned int place = 0; scan_word(&line, &word); place++)
		for (unsigned int i = 0; i < SYSVIPC_COLUMNS; i++) {
			if (s->place[i] != place)
				continue;
			if (!scan_decimal(&word, &value[i]) || word.at != word.end ||
				value[i] > INT64_MAX)
				return -EBADMSG;
			seen |= 1U << i;
		}
	if (seen != (1U << SYSVIPC_COLUMNS) - 1 || value[SYSVIPC_UID] > UINT32_MAX)
		return -EBADMSG;
	*ret = (struct sysvipc_segment){
		.uid = (uint32_t)value[SYSVIPC_UID],
		.attached = value[SYSVIPC_NATTCH],
		.size_bytes = value[SYSVIPC_SIZE],
		.rss_bytes = value[SYSVIPC_RSS],
		.swap_bytes = value[SYSVIPC_SWAP],
	};
	return 0;
}

int sysvipc_read(int procfs_fd, struct buffer *ret)
{
	return file_read_all(procfs_fd, "sysvipc/shm", SYSVIPC_TEXT_MAX, ret);
}
