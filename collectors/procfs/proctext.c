/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/proctext.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "collectors/procfs/stat.h"

static const char *proctext_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Reads FD up to its end, or until the text is complete by END; learns END. */
static int read_lines(int fd, char *buf, size_t size, struct keyvalue_end_key *end, size_t *ret_len)
{
	int e = file_read_until(fd, buf, size, keyvalue_is_whole, end, ret_len);

	if (e == 0 && !keyvalue_is_whole(buf, *ret_len, end))
		keyvalue_learn_end(end, buf, *ret_len);
	return e;
}

static int read_named(struct proctext_ends *ends, const char *name, int fd, char *buf, size_t size,
	size_t *ret_len)
{
	if (!strcmp(name, "status"))
		return read_lines(fd, buf, size, &ends->status, ret_len);
	if (!strcmp(name, "smaps_rollup"))
		return read_lines(fd, buf, size, &ends->rollup, ret_len);
	return file_read_until(
		fd, buf, size, !strcmp(name, "stat") ? stat_is_whole : NULL, NULL, ret_len);
}

int proctext_reread_status(
	struct proctext_ends *ends, int fd, char *buf, size_t size, size_t *ret_len)
{
	int e = file_reread_until(fd, buf, size, keyvalue_is_whole, &ends->status, ret_len);

	if (e == 0 && !keyvalue_is_whole(buf, *ret_len, &ends->status))
		keyvalue_learn_end(&ends->status, buf, *ret_len);
	return e;
}

int proctext_read(struct proctext_ends *ends, int dirfd, const char *path, char *buf, size_t size,
	size_t *ret_len, uint64_t *ret_took_ns)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	uint64_t begin_ns;
	int e;

	if (fd < 0)
		return -errno;
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	e = read_named(ends, proctext_name_of(path), fd, buf, size, ret_len);
	*ret_took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	return e;
}
