/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "confine/inheritance.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"

/* Before Linux 5.9, and where a sandbox knows nothing later. */
static int close_listed(unsigned int first)
{
	AUTO_CLOSEDIR DIR *dir = opendir("/proc/self/fd");

	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir));) {
		uint64_t fd;

		if (number_parse_u64(e->d_name, strlen(e->d_name), &fd) == 0 && fd >= first &&
			fd != (uint64_t)dirfd(dir))
			close((int)fd);
	}
	return 0;
}

int inheritance_close(unsigned int count)
{
	unsigned int first = STDERR_FILENO + 1 + count;

	return close_range(first, ~0U, 0) == 0 ? 0 : close_listed(first);
}
