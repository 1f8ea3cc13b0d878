/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/faults/full.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

static bool is_full;
static unsigned int failed;

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

void full_begin(void)
{
	is_full = true;
	failed = 0;
}

unsigned int full_end(void)
{
	is_full = false;
	return failed;
}

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!is_full || fd != STDOUT_FILENO)
		return __real_write(fd, data, len);
	failed++;
	errno = ENOSPC;
	return -1;
}
