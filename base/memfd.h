/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory files; sealed, what one process has written and nobody can change any more.
 */
#ifndef MEMTALLY_BASE_MEMFD_H
#define MEMTALLY_BASE_MEMFD_H

#include <stddef.h>
#include <sys/uio.h>

/*
 * A new memfd, empty and open for writing, which may be sealed yet, and is not executable where the kernel knows
 * MFD_NOEXEC_SEAL (6.3). It needs no /proc. The caller owns what is returned, or it is an error of memfd_create.
 */
int memfd_new(const char *name);

/*
 * One with the bytes of IOV, sealed against writing, growing, shrinking and further sealing
 * (F_SEAL_*, Linux 3.17), and opened read-only, by /proc/self/fd. The caller owns *ret_fd. Errors of memfd_create, write,
 * fcntl and open.
 */
int memfd_new_sealed(const char *name, const struct iovec *iov, size_t iov_count, int *ret_fd);

/* Another with the bytes of such a file. -EINVAL where FD is empty; errors of fstat, mmap and of the above. */
int memfd_copy_sealed(const char *name, int fd, int *ret_fd);

/*
 * Whether FD is such a file, and its size. -EINVAL: no memfd, a missing seal, or empty; -EFBIG: above
 * LIMIT bytes.
 */
int memfd_check_sealed(int fd, size_t limit, size_t *ret_size);

#endif
