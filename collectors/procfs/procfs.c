/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/procfs/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/os/file.h"
#include "base/scan.h"
#include "collectors/procfs/mountinfo.h"

enum {
	MOUNTINFO_MAX = 16 << 20,
	STAT_MAX = 16 << 20, /* /proc/stat grows with the number of CPUs and interrupts */
};

int procfs_parse_btime(const char *text, size_t len, uint64_t *ret)
{
	static const char key[] = "\nbtime ";
	const char *at = memmem(text, len, key, sizeof(key) - 1);
	int n;

	if (!at)
		return -EBADMSG;
	at += sizeof(key) - 1;
	n = number_scan_u64(at, (size_t)(text + len - at), ret);
	return n <= 0 || *ret > INT64_MAX / NS_PER_SEC ? -EBADMSG : 0;
}

/*
 * Reads hidepid= and gid= in the options of a mount such as "rw,hidepid=invisible,gid=1000". Without
 * gid=, group 0 sees all processes; with ptraceable (4) no group does.
 */
static bool mount_hides(const struct mountinfo *m, gid_t *ret_gid)
{
	struct scan all = {m->super_options, m->super_options + strlen(m->super_options)}, option;
	bool is_hidden = false, is_ptraceable = false;

	*ret_gid = 0;
	while (scan_part(&all, ',', &option)) {
		uint64_t gid;

		if (scan_text(&option, "hidepid=")) {
			is_hidden = !scan_is(&option, "0") && !scan_is(&option, "off");
			is_ptraceable = scan_is(&option, "4") || scan_is(&option, "ptraceable");
		} else if (scan_text(&option, "gid=") && scan_decimal(&option, &gid) &&
			   option.at == option.end && gid < UINT32_MAX) {
			*ret_gid = (gid_t)gid;
		}
	}
	if (is_ptraceable)
		*ret_gid = (gid_t)-1;
	return is_hidden;
}

enum procfs_hiding procfs_parse_hidepid(
	char *text, size_t len, const char *point, dev_t device, gid_t *ret_gid)
{
	enum procfs_hiding found = PROCFS_NOT_MOUNTED;
	char *at = text;
	struct mountinfo m;
	int r;

	*ret_gid = (gid_t)-1;
	while ((r = mountinfo_next(&at, text + len, &m)) == 0 || r == MOUNTINFO_OTHER)
		if (r == 0 && (point ? !strcmp(m.mountpoint, point)
				     : makedev(m.major, m.minor) == device))
			found = mount_hides(&m, ret_gid) ? PROCFS_HIDES : PROCFS_SHOWS;
	if (r < 0) {
		*ret_gid = (gid_t)-1;
		return PROCFS_HIDES;
	}
	return found;
}

static bool is_in_group(gid_t gid)
{
	AUTO_FREE gid_t *groups = NULL;
	int n;

	if (gid == (gid_t)-1)
		return false;
	if (getegid() == gid)
		return true;
	n = getgroups(0, NULL);
	groups = n > 0 ? calloc((size_t)n, sizeof(*groups)) : NULL;
	n = groups ? getgroups(n, groups) : 0;
	for (int i = 0; i < n; i++)
		if (groups[i] == gid)
			return true;
	return false;
}

static bool is_mounted_at_proc(const struct stat *of)
{
	struct stat st;

	return stat("/proc", &st) == 0 && st.st_dev == of->st_dev && st.st_ino == of->st_ino;
}

/*
 * Users see the /proc of process 1's mount namespace. A service may have its own /proc that hides
 * other users' processes from it (systemd's ProtectProc=). For a tree that is read on purpose, its
 * own options count.
 */
static bool is_hidden_from_users(const struct procfs *p, const struct stat *st, bool is_ours_hidden)
{
	AUTO_BUFFER struct buffer text = {0};
	enum procfs_hiding hiding = PROCFS_NOT_MOUNTED;
	gid_t gid;

	if (is_mounted_at_proc(st) &&
		file_read_all(p->fd, "1/mountinfo", MOUNTINFO_MAX, &text) >= 0)
		hiding = procfs_parse_hidepid(text.data, text.len, "/proc", 0, &gid);
	return hiding == PROCFS_NOT_MOUNTED ? is_ours_hidden : hiding == PROCFS_HIDES;
}

void procfs_look(struct procfs *p)
{
	AUTO_BUFFER struct buffer text = {0};
	struct stat st;
	gid_t gid;
	bool is_ours_hidden;

	if (fstat(p->fd, &st) < 0 ||
		file_read_all(AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text) < 0) {
		p->hidepid = true;
		return;
	}
	is_ours_hidden = procfs_parse_hidepid(text.data, text.len, NULL, st.st_dev, &gid) ==
	                 PROCFS_HIDES;
	p->hides_from_us = is_ours_hidden && !is_in_group(gid);
	p->hidepid = is_hidden_from_users(p, &st, is_ours_hidden);
}

bool procfs_is_kernels(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * In the /proc of this pid namespace "self" is this process's pid. In another one it is another
 * pid, or missing.
 */
bool procfs_is_ours(int fd)
{
	char target[16];
	uint64_t pid;
	ssize_t n;

	n = readlinkat(fd, "self", target, sizeof(target));
	return n > 0 && number_parse_u64(target, (size_t)n, &pid) == 0 && (pid_t)pid == getpid();
}

/* The kernel gives the first pid namespace this inode since Linux 3.8. */
static bool is_first_namespace(void)
{
	static const ino_t first = 0xEFFFFFFC;
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == first;
}

static uint64_t read_btime(int fd)
{
	AUTO_BUFFER struct buffer text = {0};
	uint64_t seconds;

	if (file_read_all(fd, "stat", STAT_MAX, &text) < 0 ||
		procfs_parse_btime(text.data, text.len, &seconds) < 0)
		return 0;
	return seconds * NS_PER_SEC;
}

/*
 * Any directory can be opened: one without a process and without a file of proc's is no proc file
 * system.
 */
static bool is_proc(int fd)
{
	static const char *const files[] = {"self", "stat", "meminfo"};
	struct procfs p = {.fd = fd};
	AUTO_FREE pid_t *pids = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (faccessat(fd, files[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	return procfs_list(&p, &pids, &capacity) > 0;
}

int procfs_open(const char *path, struct procfs *ret)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long ticks = sysconf(_SC_CLK_TCK);

	if (fd < 0)
		return -errno;
	if (!is_proc(fd))
		return -EMEDIUMTYPE;
	*ret = (struct procfs){
		.is_kernels = procfs_is_kernels(fd),
		.boot_realtime_ns = read_btime(fd),
		.ns_per_tick = NS_PER_SEC / (uint64_t)(ticks > 0 ? ticks : 100),
	};
	ret->live = ret->is_kernels && procfs_is_ours(fd);
	ret->is_whole = ret->live && is_first_namespace();
	ret->fd = TAKE_FD(fd);
	procfs_look(ret);
	return 0;
}

void procfs_close(struct procfs *p)
{
	p->fd = fd_close(p->fd);
}

struct dirent_header { /* record of getdents64; <dirent.h> has no name for it */
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static int procfs_compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static int procfs_add_pid(const char *name, pid_t **pids, size_t *capacity, size_t *count)
{
	uint64_t pid;

	/*
	 * Only the kernel's spelling: in another tree "1" and "01" would be the same process twice.
	 */
	if (name[0] == '0' || number_parse_u64(name, strlen(name), &pid) < 0 || pid > INT32_MAX)
		return 0;
	if (ARRAY_RESERVE(*pids, *capacity, *count + 1) < 0)
		return -ENOMEM;
	(*pids)[(*count)++] = (pid_t)pid;
	return 0;
}

ssize_t procfs_list(const struct procfs *p, pid_t **pids, size_t *capacity)
{
	_Alignas(8) char entries[1 << 15];
	bool sorted = true;
	size_t count = 0;

	if (lseek(p->fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		long n = syscall(SYS_getdents64, p->fd, entries, sizeof(entries));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		for (long at = 0; at < n;) {
			const struct dirent_header *e = (const void *)(entries + at);
			int r = procfs_add_pid(e->name, pids, capacity, &count);

			if (r < 0)
				return r;
			sorted = sorted && (count < 2 || (*pids)[count - 2] <= (*pids)[count - 1]);
			at += e->reclen;
		}
	}
	if (!sorted) /* the kernel's own list is sorted */
		qsort(*pids, count, sizeof(**pids), procfs_compare_pids);
	return (ssize_t)count;
}
