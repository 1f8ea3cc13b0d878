/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* The lowest free number is this one. The other way round, so that nobody takes a lost output for a good one. */
		if (open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
			return -errno;
	}
	return 0;
}
