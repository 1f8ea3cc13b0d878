/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Reads once, at offset AT or, if AT is negative, at the position of FD. Retries EINTR. Returns the
 * bytes read or a negative errno.
 */
static ssize_t read_retry(int fd, void *buf, size_t size, off_t at)
{
	ssize_t n;

	do
		n = at < 0 ? read(fd, buf, size) : pread(fd, buf, size, at);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int file_read_some(int fd, bool from_beginning, char *buf, size_t size,
	file_is_whole *is_whole, const void *context, size_t *ret_len)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read_retry(fd, buf + len, size - len, from_beginning ? (off_t)len : -1);

		if (n < 0)
			return (int)n;
		len += (size_t)n;
		if (!n || (len < size && is_whole && is_whole(buf, len, context))) {
			*ret_len = len;
			return 0;
		}
	}
	return -EFBIG;
}

int file_read_until(int fd, char *buf, size_t size, file_is_whole *is_whole, const void *context,
	size_t *ret_len)
{
	return file_read_some(fd, false, buf, size, is_whole, context, ret_len);
}

int file_reread_until(int fd, char *buf, size_t size, file_is_whole *is_whole, const void *context,
	size_t *ret_len)
{
	return file_read_some(fd, true, buf, size, is_whole, context, ret_len);
}

int file_read_fd(int fd, char *buf, size_t size, size_t *ret_len)
{
	return file_read_until(fd, buf, size, NULL, NULL, ret_len);
}

int file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len)
{
	AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_read_fd(fd, buf, size, ret_len);
}

ssize_t file_read_at(int fd, void *buf, size_t size, off_t at)
{
	size_t len = 0;
	ssize_t n = 1;

	if (at < 0)
		return -EINVAL; /* read_retry() would read at the position */
	while (len < size && n > 0) {
		n = read_retry(fd, (char *)buf + len, size - len, at + (off_t)len);
		if (n < 0)
			return n;
		len += (size_t)n;
	}
	return (ssize_t)len;
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
		n = read_retry(fd, to, want, -1);
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
