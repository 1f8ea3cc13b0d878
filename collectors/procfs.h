/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proc file system that is read: the running kernel's, or a tree that looks like one.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_H
#define MEMTALLY_COLLECTORS_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs {
	int fd;          /* O_DIRECTORY, owned */
	bool is_kernels; /* the kernel's own, and no tree that looks like one */
	bool live;       /* and its pids are those of our pid namespace */
	bool is_whole;   /* live, and our pid namespace is the host's: nobody is outside of it */
	bool hidepid; /* users have one that is mounted so: some do not see the processes of others */
	bool hides_from_us; /* ours is mounted so, and we do not, unless we hold CAP_SYS_PTRACE */
	uint64_t boot_realtime_ns; /* when the host booted (btime); 0: not known */
	uint64_t ns_per_tick;
};

/* Opens PATH and looks at it. Errors of open; -EMEDIUMTYPE: a directory that is no proc file system. */
int procfs_open(const char *path, struct procfs *ret);

/* Whether the proc file system at the directory FD shows this process by the pid that it has in its own pid namespace. */
bool procfs_is_ours(int fd);

/*
 * Looks again whether it is mounted with hidepid, which remounting changes at any time and nothing tells of. Where it can't
 * be seen, users count as hidden from each other. Takes as long as the kernel does to print all mounts, twice.
 */
void procfs_look(struct procfs *p);
void procfs_close(struct procfs *p);

/*
 * The pids below P, rising, in *PIDS, which grows as needed; *CAPACITY is its size. Returns how many, or
 * -ENOMEM, or getdents' error.
 */
ssize_t procfs_list(const struct procfs *p, pid_t **pids, size_t *capacity);

/* "btime" of /proc/stat in seconds. -EBADMSG. Pure. */
int procfs_parse_btime(const char *text, size_t len, uint64_t *ret);

/*
 * Whether the mount of device MAJOR:MINOR in the text of /proc/self/mountinfo has a hidepid other than 0
 * (off), and the group that sees everything all the same, or (gid_t)-1. Pure.
 */
bool procfs_parse_hidepid(
	const char *text, size_t len, unsigned int major, unsigned int minor, gid_t *ret_gid);

enum {
	PROCFS_SHOWS,
	PROCFS_HIDES,
	PROCFS_NOT_MOUNTED,
};

/* The same of what is mounted at POINT, of several the last; or that nothing is. Pure. */
int procfs_parse_hidepid_at(const char *text, size_t len, const char *point);

#endif
