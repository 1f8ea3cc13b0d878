/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/self/self-usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/scan.h"
#include "collectors/procfs/procfs.h"
#include "collectors/procfs/stat.h"
#include "collectors/procfs/status.h"

enum { STATUS_MAX = 4 << 20 };

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* Linux 5.8 */
#endif

int self_usage_parse_capabilities(const char *text, size_t len, uint64_t *ret)
{
	static const char key[] = "\nCapEff:\t";
	const char *at = memmem(text, len, key, sizeof(key) - 1);
	struct scan s = {at, text + len};
	uint64_t caps;

	if (!at || !scan_text(&s, key) || !scan_hex(&s, &caps) || !scan_char(&s, '\n'))
		return -EBADMSG;
	*ret = caps;
	return 0;
}

/* Since Linux 6.2 the size of the directory is the number; before, it must be counted. */
static uint64_t self_usage_count_fds(void)
{
	AUTO_CLOSEDIR DIR *dir = NULL;
	struct stat st;
	uint64_t count = 0;

	if (stat("/proc/self/fd", &st) == 0 && st.st_size > 0)
		return (uint64_t)st.st_size;
	dir = opendir("/proc/self/fd");
	while (dir && readdir(dir))
		count++;
	return count > 3 ? count - 3 : 0; /* ".", ".." and the directory's own descriptor */
}

static void parse_status(const char *text, size_t len, struct self_usage *self)
{
	struct status status;
	uint64_t caps;

	if (self_usage_parse_capabilities(text, len, &caps) == 0) {
		self->has_sys_ptrace = (caps >> CAP_SYS_PTRACE) & 1;
		self->has_perfmon = (caps >> CAP_PERFMON) & 1;
		self->has_dac_read_search = (caps >> CAP_DAC_READ_SEARCH) & 1;
	}
	if (status_parse(text, len, &status) == 0 && ROW_HAS(&status, PROCESS_RSS))
		self->resident_bytes = status.q[PROCESS_RSS];
}

/* A user in hundreds of groups makes status long. */
static void self_usage_read_status(struct self_usage *self)
{
	AUTO_BUFFER struct buffer long_text = {0};
	char text[8192];
	size_t len;
	int r = file_read(AT_FDCWD, "/proc/self/status", text, sizeof(text), &len);

	if (r == 0)
		parse_status(text, len, self);
	else if (r == -EFBIG &&
		 file_read_all(AT_FDCWD, "/proc/self/status", STATUS_MAX, &long_text) == 0)
		parse_status(long_text.data, long_text.len, self);
}

static void read_start(struct self_usage *self)
{
	struct procfs proc;
	struct stat_info stat;
	char text[2048];
	size_t len;

	if (procfs_open("/proc", &proc) < 0)
		return;
	if (file_read(proc.fd, "self/stat", text, sizeof(text), &len) == 0 &&
		stat_parse(text, len, &stat) == 0 && proc.boot_realtime_ns)
		self->start_realtime_ns = proc.boot_realtime_ns +
		                          stat.start_ticks * proc.ns_per_tick;
	procfs_close(&proc);
}

void self_usage_read(struct self_usage *ret)
{
	struct rlimit limit;
	struct self_usage self = {.start_realtime_ns = ret->start_realtime_ns,
		.recent = ret->recent,
		.workers_cpu_ns = ret->workers_cpu_ns};

	self_usage_read_status(&self);
	self.cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) + self.workers_cpu_ns;
	cpu_recent_add(&self.recent, clock_now_ns(CLOCK_MONOTONIC), self.cpu_ns);
	self.open_fds = self_usage_count_fds();
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		self.max_fds = limit.rlim_cur;
	if (!self.start_realtime_ns)
		read_start(&self);
	*ret = self;
}
