/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cleanup Attributes
 *
 * A variable marked AUTO_FREE, AUTO_CLOSE or AUTO_CLOSEDIR frees or closes what it owns when it
 * goes out of scope. TAKE_PTR() and TAKE_FD() move the ownership out of a variable: they return its
 * value and set it to NULL or -1. So functions need no goto for cleanup.
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

/*
 * Closes FD if it is not negative. Returns -1, for the caller's variable. Keeps errno, so that the
 * close does not hide an earlier error.
 */
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

/* FUNCTION gets the address of the variable when it goes out of scope. */
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
