/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/own/self.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"

/* Fields of /proc/PID/stat, counted as proc(5) does. */
enum {
	FIELD_FIRST = 3, /* the first field after the name */
	FIELD_START = 22,
	FIELD_VIRTUAL = 23,
	FIELD_RESIDENT = 24,
};

enum {
	STAT_SIZE = 1024,
	ENTRIES_SIZE = 4096,
};

#define FRESH_NS (NS_PER_SEC / 10)

int self_parse_stat(const char *text, size_t len, struct self_stat *ret)
{
	const char *at = memrchr(text, ')', len); /* the name may contain any byte */
	const char *end = text + len;
	struct self_stat stat = {0};

	if (!at)
		return -EINVAL;
	at++;
	for (int field = FIELD_FIRST; field <= FIELD_RESIDENT; field++) {
		const char *from = at < end && *at == ' ' ? at + 1 : end;
		uint64_t *to = field == FIELD_START      ? &stat.start_ticks
		               : field == FIELD_VIRTUAL  ? &stat.virtual_bytes
		               : field == FIELD_RESIDENT ? &stat.resident_pages
		                                         : NULL;

		at = memchr(from, ' ', (size_t)(end - from));
		if (!at)
			return -EINVAL;
		if (to && number_parse_u64(from, (size_t)(at - from), to) < 0)
			return -EINVAL;
	}
	*ret = stat;
	return 0;
}

static int self_read_stat(struct self_stat *ret)
{
	char text[STAT_SIZE];
	size_t len;
	int r = file_read(AT_FDCWD, "/proc/self/stat", text, sizeof(text), &len);

	return r < 0 ? r : self_parse_stat(text, len, ret);
}

/*
 * Returns how many of the entries in LEN bytes of getdents64() are descriptors: all but "." and
 * "..".
 */
static uint64_t count_entries(const char *entries, size_t len)
{
	uint64_t count = 0;

	for (size_t at = 0; at < len;) {
		const struct dirent64 *e = (const void *)(entries + at);

		count += e->d_name[0] != '.';
		at += e->d_reclen;
	}
	return count;
}

/*
 * Counts the process's descriptors, except the one that reads them. Allocates no memory, unlike
 * opendir().
 */
static int self_count_fds(uint64_t *ret)
{
	AUTO_CLOSE int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[ENTRIES_SIZE] __attribute__((aligned(__alignof__(struct dirent64))));
	uint64_t count = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = getdents64(fd, entries, sizeof(entries))) > 0)
		count += count_entries(entries, (size_t)n);
	if (n < 0)
		return -errno;
	if (!count)
		return -EINVAL;
	*ret = count - 1;
	return 0;
}

void self_init(struct self *s)
{
	struct self_stat stat;
	long ticks = sysconf(_SC_CLK_TCK);
	uint64_t boot_ns = clock_now_ns(CLOCK_REALTIME) - clock_now_ns(CLOCK_BOOTTIME);

	*s = (struct self){0};
	if (ticks <= 0 || self_read_stat(&stat) < 0)
		return;
	s->start_ns = boot_ns + stat.start_ticks * (NS_PER_SEC / (uint64_t)ticks);
	s->has = SELF_HAS_START;
}

/* Reads the limit of open descriptors. Absent if there is no limit. */
static int read_max_fds(struct self *s)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	if (limit.rlim_cur == RLIM_INFINITY)
		return 0;
	s->max_fds = limit.rlim_cur;
	s->has |= SELF_HAS_MAX_FDS;
	return 0;
}

int self_read(struct self *s, uint64_t now_ns)
{
	long page = sysconf(_SC_PAGESIZE);
	struct self_stat stat;
	int stat_r, fds_r, max_r;

	if (s->read_ns && now_ns < s->read_ns + FRESH_NS)
		return 0;
	stat_r = self_read_stat(&stat);
	fds_r = self_count_fds(&s->open_fds);
	if (stat_r == -ENOMEM || fds_r == -ENOMEM)
		return -ENOMEM;
	s->has &= SELF_HAS_START;
	s->cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (s->cpu_ns)
		s->has |= SELF_HAS_CPU;
	if (page > 0 && stat_r == 0) {
		s->resident_bytes = stat.resident_pages * (uint64_t)page;
		s->virtual_bytes = stat.virtual_bytes;
		s->has |= SELF_HAS_MEMORY;
	}
	if (fds_r == 0)
		s->has |= SELF_HAS_OPEN_FDS;
	max_r = read_max_fds(s);
	/* If a figure could not be read, the next answer tries again. */
	s->read_ns = stat_r == 0 && fds_r == 0 && max_r == 0 ? now_ns : 0;
	return 0;
}
