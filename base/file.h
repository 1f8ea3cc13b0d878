/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole small files below a directory descriptor, in as few system calls as the kernel allows.
 */
#ifndef MEMTALLY_BASE_FILE_H
#define MEMTALLY_BASE_FILE_H

#include <stddef.h>

#include "base/buffer.h"

/*
 * Reads PATH below DIRFD into BUF. A read that leaves room in BUF is taken as the whole file: true
 * for the single-record files of /proc, which the kernel generates in one piece; this saves the read
 * that would return 0. -EFBIG when SIZE bytes do not hold it, else open's and read's errors.
 */
int file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len);

/* The same of a file that is open, at its beginning. */
int file_read_fd(int fd, char *buf, size_t size, size_t *ret_len);

/* Reads PATH below DIRFD to its end into BUFFER, which is cleared first. -EFBIG above LIMIT bytes. */
int file_read_all(int dirfd, const char *path, size_t limit, struct buffer *ret);

/* The same of a file that is open, from where it is on. */
int file_read_all_fd(int fd, size_t limit, struct buffer *ret);

#endif
