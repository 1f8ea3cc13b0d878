/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/os/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/*
		 * open() takes the lowest free number, which is FD. The wrong direction lets a
		 * program notice that its output is lost.
		 */
		if (open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
			return -errno;
	}
	return 0;
}
