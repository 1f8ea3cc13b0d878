/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RESOLVE_CACHED (Linux 5.12) would do for names that the kernel knows by heart, but not for those on disks.
 *
 * A name on which something is mounted leads there, and may wait for whom that is of; so such a name is one that mountinfo has, or it is
 * not stepped onto (RESOLVE_NO_XDEV, Linux 5.6; that alone would ask autofs before 6.18). What remains is who puts another mount in place
 * of one that may be stepped onto, between these two.
 *
 * A link, and "..", change the path, and it begins again at the root: so nothing leads above that, whatever is moved meanwhile.
 */
#include "config.h"

#include "inside/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	LINKS_MAX = 40,   /* as the kernel's */
	STEPS_MAX = 8192, /* of all rounds together */
};

struct walk {
	struct mounts *mounts;
	int root;
	bool it_follows;
	char path[PATH_MAX]; /* what stands before .at has no links and no dots */
	char *at;
	int fd;       /* what that leads to; owned; -1: .root */
	bool is_proc; /* what was opened last is on a proc file system */
	unsigned int links;
};

static void cleanup_walk(struct walk *w)
{
	fd_close(w->fd);
}

static void begin(struct walk *w)
{
	w->fd = fd_close(w->fd);
	w->at = w->path;
}

/* Puts WITH in place of what stands from FROM up to TO. */
static int replace(struct walk *w, const char *from, const char *with, const char *to)
{
	char path[PATH_MAX];
	int len = snprintf(
		path, sizeof(path), "%.*s%s%s", (int)(from - w->path), w->path, with, to);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(w->path, path, (size_t)len + 1);
	begin(w);
	return 0;
}

/* "/a/../c", ".." at NAME, is "/c"; above the root is the root. */
static int go_up(struct walk *w, const char *name)
{
	const char *from = name;

	while (from > w->path && from[-1] == '/')
		from--;
	while (from > w->path && from[-1] != '/')
		from--;
	return replace(w, from, "", name + 2);
}

/* 0, also where it is no link, *RET_FOLLOWED: it begins again; LOOKUP_MAY_WAIT. */
static int follow(struct walk *w, int fd, const char *name, const char *end, bool *ret_followed)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(fd, "", target, sizeof(target) - 1);

	if (len < 0) /* ENOENT: it is none */
		return 0;
	if (!len)
		return -ENOENT;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	target[len] = '\0';
	/* /proc/PID/root and the like lead there whatever they say, and only who goes there knows where that is. */
	if (w->is_proc && *target == '/')
		return LOOKUP_MAY_WAIT;
	*ret_followed = true;
	return replace(w, *target == '/' ? w->path : name, target, end);
}

/* NAME of the directory FD, and nothing that is mounted there. */
static int open_here(int fd, const char *name, int flags)
{
	const struct open_how how = {.flags = (unsigned int)flags, .resolve = RESOLVE_NO_XDEV};
	long r = syscall(__NR_openat2, fd, name, &how, sizeof(how));

	/* Filters of before Linux 5.6 do not know it either. */
	return r < 0 && (errno == ENOSYS || errno == EPERM) ? openat(fd, name, flags) : (int)r;
}

static int open_name(struct walk *w, const char *name, const char *end, int *ret_fd)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int dir = w->fd < 0 ? w->root : w->fd;
	enum mounts_there there = mounts_at(w->mounts, dir, w->path, (size_t)(end - w->path));
	const struct mounts_one *on;
	AUTO_CLOSE int fd = -1;

	if (there == MOUNTS_OTHER)
		return LOOKUP_MAY_WAIT;
	fd = there == MOUNTS_ONE ? openat(dir, name, flags) : open_here(dir, name, flags);
	if (fd < 0)
		return errno == EXDEV ? LOOKUP_MAY_WAIT : -errno;
	on = mounts_find(w->mounts, fd);
	if (!on)
		return LOOKUP_MAY_WAIT;
	w->is_proc = on->is_proc;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* One name further. */
static int step(struct walk *w, size_t len)
{
	const char *end = w->at + len;
	bool is_last = !end[strspn(end, "/")], followed = false;
	AUTO_CLOSE int fd = -1;
	char name[NAME_MAX + 1];
	int r;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	if (len == 1 && *w->at == '.') {
		memmove(w->at, end, strlen(end) + 1);
		return 0;
	}
	if (len == 2 && !memcmp(w->at, "..", 2))
		return go_up(w, w->at);
	memcpy(name, w->at, len);
	name[len] = '\0';
	r = open_name(w, name, end, &fd);
	if (r == 0 && (!is_last || w->it_follows))
		r = follow(w, fd, w->at, end, &followed);
	if (r != 0 || followed)
		return r;
	fd_close(w->fd);
	w->fd = TAKE_FD(fd);
	w->at += len;
	return 0;
}

int lookup_open(struct mounts *mounts, int root, const char *path, bool it_follows, int *ret_fd)
{
	CLEANUP(cleanup_walk)
	struct walk w = {.mounts = mounts, .root = root, .it_follows = it_follows, .fd = -1};
	size_t len = strlen(path);
	int r = 0;

	if (len >= sizeof(w.path))
		return -ENAMETOOLONG;
	if (!mounts_has(mounts, root))
		return LOOKUP_MAY_WAIT;
	memcpy(w.path, path, len + 1);
	begin(&w);
	for (unsigned int steps = 0; r == 0; steps++) {
		w.at += strspn(w.at, "/");
		if (!*w.at)
			break;
		r = steps < STEPS_MAX ? step(&w, strcspn(w.at, "/")) : -ELOOP;
	}
	if (r != 0)
		return r;
	if (w.fd < 0)
		w.fd = openat(root, ".", O_PATH | O_CLOEXEC);
	if (w.fd < 0)
		return -errno;
	*ret_fd = TAKE_FD(w.fd);
	return 0;
}
