/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of names, then lines of numbers, separated by blanks: "key shmid perms size cpid lpid
 * nattch uid gid cuid cgid atime dtime ctime rss swap". Keys may be negative; they are not parsed.
 */
#include "config.h"

#include "collectors/procfs/host/sysvipc.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "base/os/file.h"

static const char *const names[SYSVIPC_COLUMNS] = {
	[SYSVIPC_UID] = "uid",
	[SYSVIPC_NATTCH] = "nattch",
	[SYSVIPC_SIZE] = "size",
	[SYSVIPC_RSS] = "rss",
	[SYSVIPC_SWAP] = "swap",
};

/* Takes the next word from *AT on. Returns false if there is none. */
static bool next_word(const char **at, const char *end, const char **ret, size_t *ret_len)
{
	while (*at < end && **at == ' ')
		++*at;
	*ret = *at;
	while (*at < end && **at != ' ')
		++*at;
	*ret_len = (size_t)(*at - *ret);
	return *ret_len > 0;
}

/* Takes the next line without its newline. Returns 0, or -EBADMSG if there is no newline. */
static int next_line(struct sysvipc *s, const char **ret, const char **ret_end)
{
	const char *newline = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;

	if (!newline)
		return -EBADMSG;
	*ret = s->at;
	*ret_end = newline;
	s->at = newline + 1;
	return 0;
}

int sysvipc_begin(struct sysvipc *s, const char *text, size_t len)
{
	const char *at, *end, *word;
	unsigned int seen = 0;
	size_t n;

	*s = (struct sysvipc){.at = text, .end = text + len};
	if (next_line(s, &at, &end) < 0)
		return -EBADMSG;
	for (unsigned int place = 0; next_word(&at, end, &word, &n); place++) {
		if (place == SYSVIPC_COLUMNS_MAX)
			return -EBADMSG;
		for (unsigned int i = 0; i < SYSVIPC_COLUMNS; i++)
			if (n == strlen(names[i]) && !memcmp(word, names[i], n)) {
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
	const char *at, *end, *word;
	unsigned int seen = 0;
	size_t n;

	if (s->at == s->end)
		return SYSVIPC_END;
	if (next_line(s, &at, &end) < 0)
		return -EBADMSG;
	for (unsigned int place = 0; next_word(&at, end, &word, &n); place++)
		for (unsigned int i = 0; i < SYSVIPC_COLUMNS; i++) {
			if (s->place[i] != place)
				continue;
			if (number_parse_u64(word, n, &value[i]) < 0 || value[i] > INT64_MAX)
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
