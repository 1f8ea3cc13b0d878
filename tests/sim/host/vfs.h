/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls on the /proc of a simulated host
 *
 * Keeps the open descriptors, finds names, returns the text of files (files.h), and charges the CPU
 * time of each call (kernel.h). All functions return what the system calls do: -1 with errno on
 * failure.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_VFS_H
#define MEMTALLY_TESTS_SIM_HOST_VFS_H

#include <sys/types.h>

#include "base/buffer.h"
#include "tests/sim/host/kernel.h"

enum { VFS_FIRST_FD = 1 << 24 }; /* no real descriptor is so high */

struct vfs_file;

struct vfs {
	struct kernel *kernel; /* borrowed */
	size_t max_fds;
	struct vfs_file *file; /* by descriptor - VFS_FIRST_FD */
	size_t files, capacity, first_free, open_files, most_open_files;
	struct buffer text;
};

void vfs_init(struct vfs *v, struct kernel *k);

/* All descriptors must be closed. */
void vfs_done(struct vfs *v);

/* Opens /proc. Returns a descriptor; -1 if .max_fds descriptors are open. */
int vfs_open_root(struct vfs *v);

/* The functions below take open descriptors from VFS_FIRST_FD on. */
int vfs_openat(struct vfs *v, int dirfd, const char *path);
void vfs_close(struct vfs *v, int fd);
ssize_t vfs_read(struct vfs *v, int fd, void *to, size_t size);
ssize_t vfs_pread(struct vfs *v, int fd, void *to, size_t size, off_t offset);
void vfs_rewind(struct vfs *v, int fd);

/* Works like getdents64. */
long vfs_list(struct vfs *v, int fd, void *to, size_t size);

#endif
