/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/whereabouts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/stat.h>

enum { SUFFIX_LEN = sizeof(" (deleted)") - 1 };

/* What there is of a name. */
enum found {
	FOUND_NOTHING,
	FOUND_IT,
	FOUND_ANOTHER,
	FOUND_UNKNOWN, /* it may not be looked up */
};

static int has_our_mounts(struct target *t)
{
	AUTO_CLOSE int theirs = -1;
	struct stat a, b;
	int r = target_file(t, "ns/mnt", &theirs);

	if (r != 0)
		return r < 0 ? r : -ESRCH;
	if (fstat(theirs, &a) < 0 || stat("/proc/self/ns/mnt", &b) < 0)
		return -errno;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int whereabouts_open(struct target *t, struct whereabouts *ret)
{
	int ours = has_our_mounts(t), fd = -1, r = 0;

	if (ours < 0)
		return ours;
	if (ours)
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	else
		r = target_file(t, "root", &fd);
	if (ours && fd < 0)
		return -errno;
	if (r == 0)
		ret->root = fd;
	return r;
}

void whereabouts_close(struct whereabouts *w)
{
	w->root = fd_close(w->root);
}

/*
 * An inode's number is nobody else's on its file system as long as it is mapped. What stat calls a device is another than
 * what the kernel prints of mappings where a file system has several, all without a major number: btrfs, overlayfs.
 */
static bool is_same(const struct statx *s, const struct shelf_row *row)
{
	return s->stx_ino == row->inode &&
	       ((s->stx_dev_major == row->major && s->stx_dev_minor == row->minor) ||
		       !s->stx_dev_major);
}

/* Nothing is asked of servers that can be had without them; nothing is mounted. */
static enum found look(const struct whereabouts *w, const char *path, const struct shelf_row *row)
{
	struct statx s;

	while (*path == '/')
		path++;
	if (statx(w->root, *path ? path : ".",
		    AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC, STATX_INO, &s) < 0)
		return errno == ENOENT || errno == ENOTDIR ? FOUND_NOTHING : FOUND_UNKNOWN;
	return is_same(&s, row) ? FOUND_IT : FOUND_ANOTHER;
}

/* The kernel prints newlines as "\012", and that as it is; false: there are none. */
static bool unescape(char *path)
{
	char *to = path;
	bool any = false;

	for (const char *at = path; *at;) {
		bool is_newline = !strncmp(at, "\\012", 4);

		*to++ = is_newline ? '\n' : *at;
		at += is_newline ? 4 : 1;
		any |= is_newline;
	}
	*to = '\0';
	return any;
}

static enum found look_both(
	const struct whereabouts *w, const char *name, size_t len, const struct shelf_row *row)
{
	char path[PATH_MAX];
	enum found found;

	if (len >= sizeof(path))
		return FOUND_UNKNOWN;
	memcpy(path, name, len);
	path[len] = '\0';
	found = look(w, path, row);
	return found == FOUND_NOTHING && unescape(path) ? look(w, path, row) : found;
}

enum shelf_fate whereabouts_find(
	const struct whereabouts *w, const struct shelf_row *row, bool *ret_is_literal)
{
	size_t len = strlen(row->path);
	enum found whole, found;

	*ret_is_literal = false;
	if (w->root < 0 || len <= SUFFIX_LEN)
		return SHELF_UNCERTAIN;
	whole = look_both(w, row->path, len, row);
	if (whole == FOUND_IT) {
		*ret_is_literal = true;
		return SHELF_THERE;
	}
	found = look_both(w, row->path, len - SUFFIX_LEN, row);
	if (found == FOUND_IT)
		return SHELF_THERE;
	if (whole == FOUND_UNKNOWN || found == FOUND_UNKNOWN)
		return SHELF_UNCERTAIN;
	return found == FOUND_ANOTHER ? SHELF_REPLACED : SHELF_DELETED;
}
