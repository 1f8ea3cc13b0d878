/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RLIMIT_DATA and not RLIMIT_AS: since Linux 4.7 it counts all private writable memory, which is
 * what can grow without bound. Mapped snapshots of other processes and unused page tables are no
 * cost of ours.
 */
#include "config.h"

#include "confine/limits.h"

#include <errno.h>
#include <sys/resource.h>

/* Lowers the hard and the soft limit of WHAT to MOST. */
static int limits_lower(int what, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)what, &limit) < 0)
		return -errno;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	return setrlimit((__rlimit_resource_t)what, &limit) < 0 ? -errno : 0;
}

int limits_set(uint64_t data_bytes, uint64_t processes)
{
	struct rlimit files;
	int r = getrlimit(RLIMIT_NOFILE, &files) < 0 ? -errno : 0;

	if (r == 0)
		r = limits_lower(RLIMIT_NOFILE, files.rlim_cur);
	if (r == 0)
		r = limits_lower(RLIMIT_CORE, 0);
	/* A sanitizer's shadow memory is private, and terabytes large. */
	if (r == 0 && !SANITIZED)
		r = limits_lower(RLIMIT_DATA, data_bytes);
	if (r == 0)
		r = limits_lower(RLIMIT_NPROC, processes);
	return r;
}
