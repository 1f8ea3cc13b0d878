/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/file.h"

enum { REGIONS = 512 };

#define SCANNED_SPAN (UINT64_C(1) << 30)

/*
 * struct pm_scan_arg of linux/fs.h: installed headers may be too old for it. The kernel holds its
 * lock until it has found .max_pages pages, and skips unmapped ranges in large steps.
 */
struct scan_request {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_REQUEST _IOWR('f', 16, struct scan_request)

int pagemap_scan(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	struct pagemap_region *region, size_t count, size_t *ret_count, uint64_t *ret_end)
{
	struct scan_request request = {
		.size = sizeof(request),
		.start = start,
		.end = end,
		.vec = (uint64_t)(uintptr_t)region,
		.vec_len = count,
		.max_pages = wanted->pages_max,
		.category_inverted = wanted->none_of,
		.category_mask = wanted->all_of | wanted->none_of,
		.category_anyof_mask = wanted->any_of,
		.return_mask = wanted->told,
	};
	int n;

	/* Valgrind (3.19) does not know that this call fills in the regions. */
	memset(region, 0, count * sizeof(*region));
	n = ioctl(fd, SCAN_REQUEST, &request);
	if (n < 0)
		return errno == EINVAL || errno == ENOSYS ? -ENOTTY : -errno;
	if ((size_t)n > count)
		return -EIO;
	*ret_count = (size_t)n;
	*ret_end = request.walk_end;
	return 0;
}

int pagemap_scan_all(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	pagemap_taker take, void *context)
{
	struct pagemap_region region[REGIONS];
	int r = 0;

	for (uint64_t at = start, until = 0; r == 0 && at < end; at = until) {
		uint64_t stop = end - at < SCANNED_SPAN ? end : at + SCANNED_SPAN;
		size_t count = 0;

		r = pagemap_scan(fd, wanted, at, stop, region, REGIONS, &count, &until);
		if (r < 0)
			return r == -EFAULT ? 0 : r; /* [vsyscall] */
		if (until <= at)
			return 0;
		r = take(region, count, context);
	}
	return r;
}

int pagemap_read(int fd, uint64_t start, uint64_t *entry, size_t count, size_t *ret_count)
{
	uint64_t at = start / (uint64_t)sysconf(_SC_PAGESIZE) * sizeof(*entry);
	ssize_t len;

	if (at > INT64_MAX)
		return -EINVAL;
	len = file_read_at(fd, entry, count * sizeof(*entry), (off_t)at);
	if (len < 0)
		return (int)len;
	*ret_count = (size_t)len / sizeof(*entry);
	return 0;
}

int pagemap_shows_frames(int procfs_fd)
{
	AUTO_CLOSE int fd = openat(procfs_fd, "self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char here = 1; /* on a resident page that is not the zero page */
	uint64_t entry = 0;
	size_t count = 0;
	int r;

	if (fd < 0)
		return -errno;
	here = 2;
	r = pagemap_read(fd, (uint64_t)(uintptr_t)&here, &entry, 1, &count);
	if (r < 0)
		return r;
	return count == 1 && pagemap_frame(entry) != 0;
}
