/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mounted cgroup hierarchy that has the memory controller: where it is mounted, which version
 * it is, and what its cgroups are charged.
 *
 * memtallyd sees only the mounts of its own mount namespace, and a mount may show only a part of
 * the hierarchy. The mount is open only while it is read, so that it can be unmounted.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUPFS_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUPFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/procfs/charge.h"
#include "snapshot/record.h"

struct cgroupfs {
	char *mountpoint; /* owned; NULL: no mount was found */
	/* owned: the cgroup that is the root of the mount; "" if it is the root of the hierarchy */
	char *root;
	uint32_t major, minor;
	enum charge_version version;
	int fd; /* owned: O_PATH descriptor of the mount; -1: not open */
};

/* Initializes FS: no hierarchy is known. */
void cgroupfs_init(struct cgroupfs *fs);
void cgroupfs_done(struct cgroupfs *fs);

static inline bool cgroupfs_is_found(const struct cgroupfs *fs)
{
	return fs->mountpoint != NULL;
}

/*
 * Finds the hierarchy among the mounts in TEXT, the LEN bytes of /proc/self/mountinfo, and changes
 * TEXT. Returns 0, whether it found one or not; FS is closed then. Returns -ENOMEM and leaves FS
 * unchanged if memory runs out.
 */
int cgroupfs_find(struct cgroupfs *fs, char *text, size_t len);

/*
 * Reads "self/mountinfo" below PROCFS_FD, the root of a proc file system, and calls
 * cgroupfs_find(). Returns 0, or a negative errno if it could not be read; FS is unchanged then.
 */
int cgroupfs_look(struct cgroupfs *fs, int procfs_fd);

/*
 * Opens the mount that was found. Returns 0; -ENODEV if none was found or another file system is
 * there now; or a negative errno of open() or fstat().
 */
int cgroupfs_open(struct cgroupfs *fs);
void cgroupfs_close(struct cgroupfs *fs);

/*
 * Reads what the cgroup at PATH (terminated) is charged, with all cgroups below it. FS must be
 * open. Returns CHARGE_READ, or why the reading failed; RET then has what could be read.
 */
enum charge_outcome cgroupfs_read(const struct cgroupfs *fs, const char *path, struct charge *ret);

#endif
