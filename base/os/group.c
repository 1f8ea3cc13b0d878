/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fgetgrent_r() is not used: its buffer has to hold all members of the largest group, and glibc
 * before 2.34 loses the part of a line that does not fit.
 */
#include "config.h"

#include "base/os/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "base/os/file.h"

enum { FILE_SIZE_MAX = 1 << 24 };

/*
 * Reads the gid of a line "name:password:gid:members". Returns false if the line is of another
 * group, or malformed, or the gid is (gid_t)-1, which is no valid gid.
 */
static bool group_parse_line(const char *line, const char *end, const char *name, gid_t *ret)
{
	size_t len = strlen(name);
	const char *gid, *stop;
	uint64_t value;

	if ((size_t)(end - line) <= len || memcmp(line, name, len) != 0 || line[len] != ':')
		return false;
	gid = memchr(line + len + 1, ':', (size_t)(end - line) - len - 1);
	if (!gid)
		return false;
	gid++;
	stop = memchr(gid, ':', (size_t)(end - gid));
	if (!stop || number_parse_u64(gid, (size_t)(stop - gid), &value) < 0 || value >= UINT32_MAX)
		return false;
	*ret = (gid_t)value;
	return true;
}

int group_parse(const char *text, size_t len, const char *name, gid_t *ret)
{
	const char *line = text, *end = text + len;

	while (line && line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (group_parse_line(line, newline ? newline : end, name, ret))
			return 0;
		line = newline ? newline + 1 : NULL;
	}
	return GROUP_ABSENT;
}

int group_find(const char *path, const char *name, gid_t *ret)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, FILE_SIZE_MAX, &text);

	if (r < 0)
		return r == -ENOENT ? GROUP_ABSENT : r;
	return group_parse(text.data, text.len, name, ret);
}
