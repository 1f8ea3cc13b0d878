/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership by scope: what a variable owns is given back when it goes out of scope, and the one
 * line with TAKE_PTR() or TAKE_FD() is where ownership moves on. Hence no cleanup goto anywhere.
 */
#ifndef MEMTALLY_BASE_CLEANUP_H
#define MEMTALLY_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

/* Keeps errno: a close on the way out must not hide the error that leads out. */
static inline int fd_close(int fd)
{
	if (fd >= 0) {
		int saved = errno;

		close(fd);
		errno = saved;
	}
	return -1;
}

static inline void cleanup_close(int *fd)
{
	fd_close(*fd);
}

static inline void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define CLEANUP(function) __attribute__((cleanup(function)))
#define AUTO_FREE         CLEANUP(cleanup_free)
#define AUTO_CLOSE        CLEANUP(cleanup_close)
#define AUTO_CLOSEDIR     CLEANUP(cleanup_closedir)

#define TAKE_PTR(p)                                                                                \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#define TAKE_FD(fd)                                                                                \
	({                                                                                         \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
