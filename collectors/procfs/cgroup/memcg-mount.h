/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mounted cgroup hierarchy that has the memory controller: where it is mounted, which version
 * it is, and what its cgroups are charged.
 *
 * memtallyd sees only the mounts of its own mount namespace, and a mount may show only a part of
 * the hierarchy. The mount is open only while it is read, so that it can be unmounted.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_MOUNT_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/procfs/cgroup/memcg-stat.h"
#include "snapshot/record.h"

struct memcg_mount {
	char *mountpoint; /* owned; NULL: no mount was found */
	/* owned: the cgroup that is the root of the mount; "" if it is the root of the hierarchy */
	char *root;
	uint32_t major, minor;
	enum memcg_stat_version version;
	int fd; /* owned: O_PATH descriptor of the mount; -1: not open */
};

/* Initializes FS: no hierarchy is known. */
void memcg_mount_init(struct memcg_mount *fs);
void memcg_mount_done(struct memcg_mount *fs);

static inline bool memcg_mount_is_found(const struct memcg_mount *fs)
{
	return fs->mountpoint != NULL;
}

/*
 * Finds the hierarchy among the mounts in TEXT, the LEN bytes of /proc/self/mountinfo, and changes
 * TEXT. Returns 0, whether it found one or not; FS is closed then. Returns -ENOMEM and leaves FS
 * unchanged if memory runs out.
 */
int memcg_mount_find(struct memcg_mount *fs, char *text, size_t len);

/*
 * Reads "self/mountinfo" below PROCFS_FD, the root of a proc file system, and calls
 * memcg_mount_find(). Returns 0, or a negative errno if it could not be read; FS is unchanged then.
 */
int memcg_mount_look(struct memcg_mount *fs, int procfs_fd);

/*
 * Opens the mount that was found. Returns 0; -ENODEV if none was found or another file system is
 * there now; or a negative errno of open() or fstat().
 */
int memcg_mount_open(struct memcg_mount *fs);
void memcg_mount_close(struct memcg_mount *fs);

/*
 * Reads what the cgroup at PATH (terminated) is charged, with all cgroups below it. FS must be
 * open. Returns CHARGE_READ, or why the reading failed; RET then has what could be read.
 */
enum charge_outcome memcg_mount_read(
	const struct memcg_mount *fs, const char *path, struct memcg_stat *ret);

#endif
