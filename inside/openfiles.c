/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/openfiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/*
 * By its link, which costs less than asking it. What is called so and has a name is told from it by how many names it has; a path
 * that the kernel can't print may be of any.
 */
static bool may_be_nameless(int dirfd, const char *name)
{
	static const char deleted[] = " (deleted)";
	char link[PATH_MAX];
	ssize_t len = readlinkat(dirfd, name, link, sizeof(link));
	size_t n = sizeof(deleted) - 1;

	if (len < 0)
		return errno == ENAMETOOLONG;
	return (size_t)len >= n && !memcmp(link + len - n, deleted, n);
}

/* Without a word to its file system, which may be a network's: what is known of it in memory. */
static bool is_nameless(int dirfd, const char *name, struct statx *ret)
{
	const unsigned int mask = STATX_TYPE | STATX_NLINK | STATX_INO;

	return statx(dirfd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, mask, ret) == 0 &&
	       S_ISREG(ret->stx_mode) && !ret->stx_nlink;
}

int openfiles_read(int fd, uint64_t *budget, openfiles_taker take, void *context)
{
	AUTO_CLOSE int owned = fd;
	AUTO_CLOSEDIR DIR *dir = fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	(void)TAKE_FD(owned); /* the DIR's */
	errno = 0;
	while (r == 0 && (entry = readdir(dir))) {
		struct statx found;

		if (entry->d_name[0] == '.')
			continue;
		if (!*budget)
			return OPENFILES_MANY;
		--*budget;
		if (may_be_nameless(fd, entry->d_name) && is_nameless(fd, entry->d_name, &found))
			r = take(found.stx_dev_major, found.stx_dev_minor, found.stx_ino, context);
		errno = 0;
	}
	return r != 0 || errno == ENOENT || errno == ESRCH ? r : -errno;
}
