/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "confine/inheritance.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"

/* For Linux before 5.9, and for sandboxes that refuse close_range(). */
static int close_listed(unsigned int first, unsigned int last)
{
	AUTO_CLOSEDIR DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir));) {
		uint64_t fd;

		if (number_parse_u64(e->d_name, strlen(e->d_name), &fd) == 0 && fd >= first &&
			fd <= last && fd != (uint64_t)dirfd(dir))
			close((int)fd);
	}
	return 0;
}

static int close_all(unsigned int first, unsigned int last)
{
	if (first > last)
		return 0;
	return close_range(first, last, 0) == 0 ? 0 : close_listed(first, last);
}

int inheritance_close(unsigned int count)
{
	return close_all(STDERR_FILENO + 1 + count, ~0U);
}

int inheritance_close_but(int fd, int other)
{
	unsigned int low = (unsigned int)(other >= 0 && other < fd ? other : fd);
	unsigned int high = (unsigned int)(other > fd ? other : fd);
	int r = close_all(STDERR_FILENO + 1, low - 1);

	if (r == 0 && low < high)
		r = close_all(low + 1, high - 1);
	return r < 0 ? r : close_all(high + 1, ~0U);
}
