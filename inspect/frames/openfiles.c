/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/openfiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/scan.h"

/* Facts about the file of a descriptor, from its link. Reading the link costs less than stat(). */
struct link {
	bool may_be_nameless;
	bool is_secret;
	bool is_socket;
	uint64_t inode; /* of a socket */
};

/*
 * A name that ends in " (deleted)" may belong to a file with or without a name: the link count
 * decides. A path that the kernel cannot print may be of either. A file of memfd_secret(2) has a
 * link count of 1, but no name.
 */
static struct link openfiles_read_link(int dirfd, const char *name)
{
	static const char deleted[] = " (deleted)";
	char text[PATH_MAX];
	ssize_t n = readlinkat(dirfd, name, text, sizeof(text));
	size_t len = n < 0 ? 0 : (size_t)n, tail = sizeof(deleted) - 1;
	struct scan whole = {text, text + len}, socket = whole;
	struct link link = {.inode = 0};

	if (n < 0) {
		link.may_be_nameless = errno == ENAMETOOLONG;
		return link;
	}
	link.is_socket = scan_text(&socket, "socket:[") && scan_decimal(&socket, &link.inode) &&
	                 scan_is(&socket, "]");
	link.may_be_nameless = len >= tail && !memcmp(text + len - tail, deleted, tail);
	link.is_secret = scan_is(&whole, "/secretmem (deleted)");
	return link;
}

/* Asks for what the kernel has in memory, not the file system, which may be on a network. */
static bool openfiles_is_nameless(int dirfd, const char *name, bool is_secret, struct statx *ret)
{
	const unsigned int mask = STATX_TYPE | STATX_NLINK | STATX_INO;

	return statx(dirfd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, mask, ret) == 0 &&
	       S_ISREG(ret->stx_mode) && (!ret->stx_nlink || (is_secret && !ret->stx_dev_major));
}

/* Returns 0, or a result of TAKE. */
static int openfiles_take_one(
	int dirfd, const char *name, bool with_sockets, openfiles_taker take, void *context)
{
	struct link link = openfiles_read_link(dirfd, name);
	struct statx found;

	if (link.is_socket)
		return with_sockets ? take(0, 0, link.inode, context) : 0;
	if (!link.may_be_nameless || !openfiles_is_nameless(dirfd, name, link.is_secret, &found))
		return 0;
	return take(found.stx_dev_major, found.stx_dev_minor, found.stx_ino, context);
}

int openfiles_read(int fd, bool with_sockets, uint64_t *budget, openfiles_taker take, void *context)
{
	AUTO_CLOSE int owned = fd;
	AUTO_CLOSEDIR DIR *dir = fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	(void)TAKE_FD(owned); /* owned by DIR */
	errno = 0;
	while (r == 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (!*budget)
			return OPENFILES_MANY;
		--*budget;
		r = openfiles_take_one(fd, entry->d_name, with_sockets, take, context);
		errno = 0;
	}
	return r != 0 || errno == ENOENT || errno == ESRCH ? r : -errno;
}
