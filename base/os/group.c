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
#include "base/os/file.h"
#include "base/scan.h"

enum { FILE_SIZE_MAX = 1 << 24 };

/*
 * Reads the gid of a line "name:password:gid:members". Returns false if the line is of another
 * group, or malformed, or the gid is (gid_t)-1, which is no valid gid.
 */
static bool group_parse_line(struct scan line, const char *name, gid_t *ret)
{
	uint64_t value;

	if (!scan_text(&line, name) || !scan_char(&line, ':'))
		return false;
	line.at = memchr(line.at, ':', (size_t)(line.end - line.at));
	if (!line.at || !scan_char(&line, ':') || !scan_decimal(&line, &value) ||
		!scan_char(&line, ':') || value >= UINT32_MAX)
		return false;
	*ret = (gid_t)value;
	return true;
}

int group_parse(const char *text, size_t len, const char *name, gid_t *ret)
{
	struct scan all = {text, text + len}, line;

	while (scan_line(&all, &line))
		if (group_parse_line(line, name, ret))
			return 0;
	/* The last line may lack a newline. */
	return group_parse_line(all, name, ret) ? 0 : GROUP_ABSENT;
}

int group_find(const char *path, const char *name, gid_t *ret)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all(AT_FDCWD, path, FILE_SIZE_MAX, &text);

	if (r < 0)
		return r == -ENOENT ? GROUP_ABSENT : r;
	return group_parse(text.data, text.len, name, ret);
}
