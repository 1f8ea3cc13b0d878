/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/self.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"

/* Fields of /proc/PID/stat, counted as proc(5) does. */
enum {
	FIELD_FIRST = 3, /* the first one behind the name */
	FIELD_START = 22,
	FIELD_VIRTUAL = 23,
	FIELD_RESIDENT = 24,
};

enum { STAT_SIZE = 1024 };

#define FRESH_NS (NS_PER_SEC / 10)

int self_parse_stat(const char *text, size_t len, struct self_stat *ret)
{
	const char *at = memrchr(text, ')', len); /* the name may hold any byte */
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

static int read_stat(struct self_stat *ret)
{
	char text[STAT_SIZE];
	size_t len;
	int r = file_read(AT_FDCWD, "/proc/self/stat", text, sizeof(text), &len);

	return r < 0 ? r : self_parse_stat(text, len, ret);
}

/* The directory's entries, without ".", ".." and the descriptor that reads them. */
static int count_fds(uint64_t *ret)
{
	AUTO_CLOSEDIR DIR *dir = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.')
			count++;
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
	if (ticks <= 0 || read_stat(&stat) < 0)
		return;
	s->start_ns = boot_ns + stat.start_ticks * (NS_PER_SEC / (uint64_t)ticks);
	s->has = SELF_HAS_START;
}

void self_read(struct self *s, uint64_t now_ns)
{
	long page = sysconf(_SC_PAGESIZE);
	struct self_stat stat;
	struct rlimit limit;

	if (s->read_ns && now_ns < s->read_ns + FRESH_NS)
		return;
	s->read_ns = now_ns;
	s->has &= SELF_HAS_START;
	s->cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (s->cpu_ns)
		s->has |= SELF_HAS_CPU;
	if (page > 0 && read_stat(&stat) == 0) {
		s->resident_bytes = stat.resident_pages * (uint64_t)page;
		s->virtual_bytes = stat.virtual_bytes;
		s->has |= SELF_HAS_MEMORY;
	}
	if (count_fds(&s->open_fds) == 0)
		s->has |= SELF_HAS_OPEN_FDS;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		s->max_fds = limit.rlim_cur;
		s->has |= SELF_HAS_MAX_FDS;
	}
}
