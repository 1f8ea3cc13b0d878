/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory Files
 *
 * Creates memory files (memfd_create(2)), and sealed ones, which no process can change any more.
 * Snapshots are sent as sealed files.
 */
#ifndef MEMTALLY_BASE_OS_MEMFD_H
#define MEMTALLY_BASE_OS_MEMFD_H

#include <stddef.h>
#include <sys/uio.h>

/*
 * Creates an empty memory file called NAME, open for reading and writing, to which seals can still
 * be added. The file is not executable if the kernel knows MFD_NOEXEC_SEAL (Linux 6.3). Needs no
 * /proc. Returns the descriptor, which the caller owns, or a negative errno of memfd_create().
 */
int memfd_new(const char *name);

/*
 * Creates a memory file with the bytes of IOV, sealed against writing, growing, shrinking and
 * further sealing (F_SEAL_*, Linux 3.17). Opens it read-only through /proc/self/fd. Returns 0 and
 * writes the descriptor, which the caller owns, to *RET_FD; or returns a negative errno of
 * memfd_create(), write(), fcntl() or open().
 */
int memfd_new_sealed(const char *name, const struct iovec *iov, size_t iov_count, int *ret_fd);

/*
 * Creates another sealed memory file with the bytes of FD. Returns 0 and writes the descriptor,
 * which the caller owns, to *RET_FD; -EINVAL if FD is empty; else a negative errno of fstat() or
 * mmap(), or an error of memfd_new_sealed().
 */
int memfd_copy_sealed(const char *name, int fd, int *ret_fd);

/*
 * Checks that FD is a memory file with all four seals of memfd_new_sealed(), and writes its size in
 * bytes to *RET_SIZE. Returns 0; -EINVAL if FD is no memory file, lacks a seal, or is empty; -EFBIG
 * if it has more than LIMIT bytes; or a negative errno of fstat().
 */
int memfd_check_sealed(int fd, size_t limit, size_t *ret_size);

#endif
