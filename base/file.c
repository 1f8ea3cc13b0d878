/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static ssize_t read_retry(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int file_read_fd(int fd, char *buf, size_t size, size_t *ret_len)
{
	ssize_t n = read_retry(fd, buf, size);

	if (n < 0)
		return (int)n;
	if ((size_t)n == size)
		return -EFBIG;
	*ret_len = (size_t)n;
	return 0;
}

int file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_read_fd(fd, buf, size, ret_len);
}

int file_read_all_fd(int fd, size_t limit, struct buffer *ret)
{
	ssize_t n;

	buffer_clear(ret);
	do {
		size_t want = ret->len < 4096 ? 4096 : ret->len;
		char *to = buffer_reserve(ret, want);

		if (!to)
			return ret->error;
		n = read_retry(fd, to, want);
		if (n < 0)
			return (int)n;
		ret->len += (size_t)n;
		if (ret->len > limit)
			return -EFBIG;
	} while (n > 0);
	return 0;
}

int file_read_all(int dirfd, const char *path, size_t limit, struct buffer *ret)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_read_all_fd(fd, limit, ret);
}
