/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mounts and devices may be asked without waiting for anybody: those of file systems that the kernel has on its own disks or in
 * memory, as we and a process see them. A network's, or a program's (FUSE), may never answer; what is not known may be one of these.
 */
#ifndef MEMTALLY_INSIDE_MOUNTS_H
#define MEMTALLY_INSIDE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct mounts_one {
	uint64_t id, parent_id;
	uint32_t major, minor; /* of the file system, as maps has them */
	bool is_one;           /* its file system keeps nobody waiting */
	bool is_overlay, is_proc;
	size_t place; /* where it is mounted, below the root of whose it is: in .places */
};

enum mounts_whose {
	MOUNTS_OURS,
	MOUNTS_THEIRS,   /* another's, whom only root can have mounted something for */
	MOUNTS_ANYBODYS, /* another's, who may have mounted them himself */
};

enum mounts_there {
	MOUNTS_NOTHING,
	MOUNTS_ONE,   /* what keeps nobody waiting */
	MOUNTS_OTHER, /* something else, or it can't be known */
};

enum { MOUNTS_LISTS = 2 };

struct mounts {
	struct mounts_one *item; /* owned */
	size_t count, room;
	struct buffer places;
	enum mounts_there root; /* what the other's root is the root of */
	int list[MOUNTS_LISTS]; /* the mountinfos that were read, owned; they tell of changes */
	size_t lists;           /* 0: what there is does not change */
	int procfs_fd;          /* borrowed; whence to read them again */
	pid_t pid;
};

void mounts_done(struct mounts *m);
#define AUTO_MOUNTS CLEANUP(mounts_done)

/*
 * Makes M those that we and process PID of PROCFS_FD have, which has to stay open, or, if PID is 0, we alone; what can't be read has none. They are read again where
 * something was mounted or unmounted before they are asked for. -ENOMEM.
 */
int mounts_read(struct mounts *m, int procfs_fd, pid_t pid);

/*
 * Adds those of TEXT, a mountinfo, which is changed. Our own root is one of them, whatever it is: without it we would not run. Pure.
 * -EBADMSG: it was cut, and what stands before is added; -ENOMEM.
 */
int mounts_add(struct mounts *m, char *text, size_t len, enum mounts_whose whose);

/* Whether what FD, which may be open for its place alone, is on one of them; not where they change all the time. */
bool mounts_has(struct mounts *m, int fd);

/* Which that is, as long as M is not asked anything else; NULL: none. */
const struct mounts_one *mounts_find(struct mounts *m, int fd);

enum mounts_device {
	MOUNTS_ANOTHER_DEVICE,
	MOUNTS_LIKE_DEVICE, /* that of another file on it may be the same */
	MOUNTS_SAME_DEVICE,
};

/*
 * Whether MAJOR:MINOR, as maps has it, is the device of a file on ONE of which stat has STAT_MAJOR:STAT_MINOR. These are not always the same:
 * btrfs shows stat one for each subvolume, overlayfs one of its own or of what is below it; and of a mapping on overlayfs the kernel prints,
 * before Linux 6.8, the device of what is below. Pure.
 */
enum mounts_device mounts_compare_device(const struct mounts_one *one, uint32_t stat_major,
	uint32_t stat_minor, uint32_t major, uint32_t minor);

/*
 * What is mounted at the first LEN bytes of PATH, whose directory, FD, is on one of them. Whoever comes to what may wait, waits for it: for
 * NFS, which asks its server as soon as one does (d_weak_revalidate()), and for a daemon that mounts what is asked for (autofs).
 */
enum mounts_there mounts_at(struct mounts *m, int fd, const char *path, size_t len);

/*
 * Whether the process's root may be come to. It is not known of one that lies below the root of what is mounted, as chroot() makes it;
 * what is no kernel's /proc has any.
 */
bool mounts_has_root(struct mounts *m);

bool mounts_has_device(struct mounts *m, uint32_t major, uint32_t minor);

/* The number of the mount that FD is on. 0, or why it is not known. */
int mounts_find_id(int fd, uint64_t *ret);

#endif
