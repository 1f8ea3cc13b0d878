/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proc file system that is read: the running kernel's, or a tree of files that looks like one.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_PROCFS_H
#define MEMTALLY_COLLECTORS_PROCFS_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs {
	int fd;          /* owned, O_DIRECTORY */
	bool is_kernels; /* it is the kernel's, not a tree of files */
	/* .is_kernels, and its pids are those of this process's pid namespace */
	bool live;
	/* .live, and this pid namespace is the host's: it has all processes */
	bool is_whole;
	/* users see a /proc with hidepid: some do not see other users' processes */
	bool hidepid;
	/* this /proc has hidepid, and hides processes from this one unless it has CAP_SYS_PTRACE */
	bool hides_from_us;
	uint64_t boot_realtime_ns; /* when the host booted (btime), CLOCK_REALTIME; 0: not known */
	uint64_t ns_per_tick;
};

/*
 * Opens PATH and fills in RET. Returns 0; -EMEDIUMTYPE if the directory is no proc file system; or
 * a negative errno of open().
 */
int procfs_open(const char *path, struct procfs *ret);

/* Returns whether the directory FD is on a proc file system of the kernel, not a tree of files. */
bool procfs_is_kernels(int fd);

/*
 * Returns whether the proc file system at the directory FD shows this process by the pid that it
 * has in its own pid namespace.
 */
bool procfs_is_ours(int fd);

/*
 * Checks again whether /proc is mounted with hidepid: a remount changes that at any time, and the
 * kernel reports no change. If it cannot be found out, users count as hidden from each other. Takes
 * as long as the kernel needs to print all mounts twice.
 */
void procfs_look(struct procfs *p);
void procfs_close(struct procfs *p);

/*
 * Lists the pids below P, in rising order, in *PIDS. *CAPACITY is its size in elements. The array
 * is grown with realloc() as needed, also before an error, and the caller frees it. Returns the
 * number of pids; -ENOMEM; or a negative errno of lseek() or getdents().
 */
ssize_t procfs_list(const struct procfs *p, pid_t **pids, size_t *capacity);

/* Sets *RET to "btime" of /proc/stat, in seconds. Returns 0, or -EBADMSG if TEXT has none. Pure. */
int procfs_parse_btime(const char *text, size_t len, uint64_t *ret);

enum procfs_hiding {
	PROCFS_SHOWS,
	PROCFS_HIDES,
	PROCFS_NOT_MOUNTED,
};

/*
 * Looks in TEXT, a mountinfo, for the mount at POINT or, if POINT is NULL, of DEVICE; if there are
 * several, for the last one. Returns PROCFS_HIDES if it has a hidepid other than 0 (off), or if the
 * text is cut off; PROCFS_SHOWS if it has none; or PROCFS_NOT_MOUNTED. Sets *RET_GID to the group
 * that sees all processes nevertheless, (gid_t)-1 if there is none. Changes the text. Pure.
 */
enum procfs_hiding procfs_parse_hidepid(
	char *text, size_t len, const char *point, dev_t device, gid_t *ret_gid);

#endif
