/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the daemon has open of a simulated host's /proc: which names there are, descriptors of them, what reads of
 * those give (files.h), and what all of it costs (kernel.h). All functions answer as the calls that they stand for
 * do, with -1 and errno where they fail.
 */
#ifndef MEMTALLY_TESTS_SIM_VFS_H
#define MEMTALLY_TESTS_SIM_VFS_H

#include <sys/types.h>

#include "base/buffer.h"
#include "tests/sim/kernel.h"

enum { VFS_FIRST_FD = 1 << 24 }; /* no real one is so high */

struct vfs_file;

struct vfs {
	struct kernel *kernel; /* borrowed */
	size_t max_fds;
	struct vfs_file *file; /* by descriptor, from VFS_FIRST_FD on */
	size_t files, capacity, first_free, open_files, most_open_files;
	struct buffer text;
};

void vfs_init(struct vfs *v, struct kernel *k);

/* Everything has to be closed. */
void vfs_done(struct vfs *v);

/* The directory that is /proc. */
int vfs_open_root(struct vfs *v);

/* The rest is for descriptors from VFS_FIRST_FD on, which must be open. */
int vfs_openat(struct vfs *v, int dirfd, const char *path);
void vfs_close(struct vfs *v, int fd);
ssize_t vfs_read(struct vfs *v, int fd, void *to, size_t size);
ssize_t vfs_pread(struct vfs *v, int fd, void *to, size_t size, off_t offset);
void vfs_rewind(struct vfs *v, int fd);

/* As getdents64. */
long vfs_list(struct vfs *v, int fd, void *to, size_t size);

#endif
