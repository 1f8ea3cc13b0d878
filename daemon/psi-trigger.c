/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/psi-trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"

/*
 * Microseconds: the time waited, and the window. The kernel expects the terminator, too. Without
 * rights the window must be a multiple of two seconds.
 */
static const char trigger[] = "some 150000 2000000";

int psi_trigger_open(const char *procfs, int *ret_fd)
{
	AUTO_CLOSE int fd = -1;
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/pressure/memory", procfs);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || write(fd, trigger, sizeof(trigger)) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}
