/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"

int pagemap_read(int fd, uint64_t start, uint64_t *entry, size_t count, size_t *ret_count)
{
	uint64_t at = start / (uint64_t)sysconf(_SC_PAGESIZE) * sizeof(*entry);
	ssize_t len;

	if (at > INT64_MAX)
		return -EINVAL;
	len = pread(fd, entry, count * sizeof(*entry), (off_t)at);
	if (len < 0)
		return -errno;
	*ret_count = (size_t)len / sizeof(*entry);
	return 0;
}

int pagemap_shows_frames(int procfs_fd)
{
	AUTO_CLOSE int fd = openat(procfs_fd, "self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char here = 1; /* on a page that is there and is no zero page */
	uint64_t entry = 0;
	size_t count;
	int r;

	if (fd < 0)
		return -errno;
	here = 2;
	r = pagemap_read(fd, (uint64_t)(uintptr_t)&here, &entry, 1, &count);
	if (r < 0)
		return r;
	return count == 1 && pagemap_frame(entry) != 0;
}
