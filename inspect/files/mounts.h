/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mounts That Do Not Block
 *
 * The mounts and devices of local file systems, on the kernel's own disks or in memory, as memtally
 * and one process see them. A network file system or a FUSE daemon may never answer, so everything
 * that is not known to be local counts as blocking.
 */
#ifndef MEMTALLY_INSPECT_FILES_MOUNTS_H
#define MEMTALLY_INSPECT_FILES_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct mounts_one {
	uint64_t id, parent_id;
	uint32_t major, minor; /* device of the file system, as in /proc/PID/maps */
	bool is_one;           /* its file system does not block */
	bool is_overlay, is_proc;
	size_t place; /* offset in .places of its mount point, below the root of the process */
};

enum mounts_owner {
	MOUNTS_OURS,      /* of memtally itself */
	MOUNTS_THEIRS,    /* of another process; only root can have mounted there */
	MOUNTS_UNTRUSTED, /* of another process; its user may have mounted there */
};

enum mounts_there {
	MOUNTS_NOTHING, /* nothing is mounted there */
	MOUNTS_ONE,     /* a mount that does not block */
	MOUNTS_OTHER,   /* a mount that may block, or it is not known */
};

enum { MOUNTS_LISTS = 2 };

struct mounts {
	struct mounts_one *item; /* owned */
	size_t count, room;
	struct buffer places;   /* owned; mount points, terminated */
	enum mounts_there root; /* MOUNTS_ONE: the root of the process does not block */
	/* Owned descriptors of the mountinfos that were read; poll() on them reports changes. */
	int list[MOUNTS_LISTS];
	size_t lists;  /* 0: the mounts do not change */
	int procfs_fd; /* borrowed; for reading them again */
	pid_t pid;     /* the process; 0: only memtally itself */
};

/* Frees what M owns, and empties it. */
void mounts_done(struct mounts *m);
#define AUTO_MOUNTS CLEANUP(mounts_done)

/*
 * Reads the mounts of memtally and of process PID below PROCFS_FD, which stays borrowed as long as
 * M is used; PID 0: only those of memtally. A mountinfo that cannot be read counts as empty. The
 * functions below read them again after a mount or unmount. Returns 0 or -ENOMEM.
 */
int mounts_read(struct mounts *m, int procfs_fd, pid_t pid);

/*
 * Adds the mounts in TEXT, a mountinfo of LEN bytes, which this changes. The root of memtally
 * itself counts as not blocking, whatever it is: otherwise memtally would not run. Returns 0;
 * -EBADMSG if the text was cut: the mounts before the cut are added; or -ENOMEM. Pure.
 */
int mounts_add(struct mounts *m, char *text, size_t len, enum mounts_owner owner);

/*
 * Returns the mount that the file FD, which may be open with O_PATH, is on, valid until the next
 * call for M; NULL: it may block, or the mounts change all the time.
 */
const struct mounts_one *mounts_find(struct mounts *m, int fd);

enum mounts_device {
	MOUNTS_ANOTHER_DEVICE,
	MOUNTS_LIKE_DEVICE, /* may be the same: another file on this mount can have the device */
	MOUNTS_SAME_DEVICE,
};

/*
 * Compares the device MAJOR:MINOR from /proc/PID/maps with a file on mount ONE for which stat()
 * shows STAT_MAJOR:STAT_MINOR. Both can differ for one file: btrfs shows stat() a device for each
 * subvolume, overlayfs its own device or that of a layer; and for a mapping on overlayfs the kernel
 * prints the device of the layer before Linux 6.8. Pure.
 */
enum mounts_device mounts_compare_device(const struct mounts_one *one, uint32_t stat_major,
	uint32_t stat_minor, uint32_t major, uint32_t minor);

/*
 * Returns what is mounted at the first LEN bytes of PATH. FD is the directory of that path, on a
 * mount that does not block. Stepping onto another mount may block: NFS asks its server at once
 * (d_weak_revalidate()), and autofs waits for a daemon that mounts.
 */
enum mounts_there mounts_at(struct mounts *m, int fd, const char *path, size_t len);

/*
 * Returns whether the root of the process can be opened without blocking. False for a root below
 * the root of its mount, as chroot() makes it, because mountinfo does not show it. True below a
 * PROCFS_FD that is not the kernel's /proc, such as a tree of files for tests.
 */
bool mounts_has_root(struct mounts *m);

/* Returns whether a mount that does not block has the device MAJOR:MINOR. */
bool mounts_has_device(struct mounts *m, uint32_t major, uint32_t minor);

/*
 * Writes the number of the mount that FD is on to *RET. Returns 0; -EBADMSG if fdinfo lacks it; or
 * a negative errno of reading fdinfo.
 */
int mounts_find_id(int fd, uint64_t *ret);

#endif
