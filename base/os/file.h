/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole Small Files
 *
 * Reads a file of /proc, or another small file, to its end. A read() may return fewer bytes than
 * asked for, so each function goes on until read() returns 0, or until the caller's rule says that
 * the text is complete. EINTR is retried.
 */
#ifndef MEMTALLY_BASE_OS_FILE_H
#define MEMTALLY_BASE_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buffer.h"

/*
 * Reads the file PATH below DIRFD to its end into BUF of SIZE bytes and writes its length to
 * *RET_LEN. Returns 0; -EFBIG if the file has SIZE bytes or more: then BUF has the first SIZE bytes
 * and *RET_LEN is unchanged; else a negative errno of openat() or read().
 */
int file_read(int dirfd, const char *path, char *buf, size_t size, size_t *ret_len);

/* Does the same as file_read() with the open file FD, from its current position on. */
int file_read_fd(int fd, char *buf, size_t size, size_t *ret_len);

/*
 * Says whether TEXT, the first LEN bytes of a file (LEN > 0), is all of it. A rule may only say
 * true if no proper prefix of the file can look like that. CONTEXT is the caller's own.
 */
typedef bool file_is_whole(const char *text, size_t len, const void *context);

/*
 * Does the same as file_read_fd(), but also stops where IS_WHOLE returns true. This saves the last
 * read(), the one that returns 0: about 0.2 us for each file, which counts in files that are read
 * of every process.
 */
int file_read_until(int fd, char *buf, size_t size, file_is_whole *is_whole, const void *context,
	size_t *ret_len);

/*
 * Does the same as file_read_until() from the beginning of the file, whatever the position of FD is
 * (pread()).
 */
int file_reread_until(int fd, char *buf, size_t size, file_is_whole *is_whole, const void *context,
	size_t *ret_len);

/*
 * Reads SIZE bytes at offset AT of the open file FD into BUF, or fewer only if the file ends.
 * Returns the number of bytes read; -EINVAL if AT is negative; or a negative errno of pread(), also
 * if some bytes were read before the failure.
 */
ssize_t file_read_at(int fd, void *buf, size_t size, off_t at);

/*
 * Reads PATH below DIRFD to its end into *RET, which is cleared first. Returns 0; -EFBIG if the
 * file has more than LIMIT bytes; -ENOMEM; or a negative errno of openat() or read(). After a
 * failure *RET may have part of the file.
 */
int file_read_all(int dirfd, const char *path, size_t limit, struct buffer *ret);

/* Does the same as file_read_all() with the open file FD, from its current position on. */
int file_read_all_fd(int fd, size_t limit, struct buffer *ret);

#endif
