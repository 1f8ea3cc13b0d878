/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RESOLVE_CACHED (Linux 5.12) would be enough for names in the kernel's cache, but not for names on
 * disks.
 *
 * A name with a mount on it leads into the mounted file system, which may block. So mountinfo must
 * list the mount; otherwise the name is opened with RESOLVE_NO_XDEV (Linux 5.6), which does not
 * cross mounts. RESOLVE_NO_XDEV alone would ask autofs before Linux 6.18. What remains is a race: a
 * process may replace an allowed mount between the check and the open.
 *
 * A link or ".." rewrites the path, and the walk starts again at the root. So nothing leads above
 * the root, even if directories are moved during the walk.
 */
#include "config.h"

#include "inspect/files/safe-lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	LINKS_MAX = 40,   /* the kernel's limit */
	STEPS_MAX = 8192, /* of all rounds together */
};

struct walk {
	struct mounts *mounts;
	int root;
	bool it_follows;
	char path[PATH_MAX]; /* the part before .at has no links and no dots */
	char *at;
	int fd;       /* at the part before .at; owned; -1: .root */
	bool is_proc; /* the file that was opened last is on a proc file system */
	unsigned int links;
};

static void cleanup_walk(struct walk *w)
{
	fd_close(w->fd);
}

static void safe_lookup_begin(struct walk *w)
{
	w->fd = fd_close(w->fd);
	w->at = w->path;
}

/* Replaces the text from FROM to TO by WITH, and starts again at the root. */
static int safe_lookup_replace(struct walk *w, const char *from, const char *with, const char *to)
{
	char path[PATH_MAX];
	int len = snprintf(
		path, sizeof(path), "%.*s%s%s", (int)(from - w->path), w->path, with, to);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(w->path, path, (size_t)len + 1);
	safe_lookup_begin(w);
	return 0;
}

/*
 * Removes ".." at NAME and the name before it: "/a/../c" becomes "/c". Above the root is the root.
 */
static int go_up(struct walk *w, const char *name)
{
	const char *from = name;

	while (from > w->path && from[-1] == '/')
		from--;
	while (from > w->path && from[-1] != '/')
		from--;
	return safe_lookup_replace(w, from, "", name + 2);
}

/*
 * Follows the link FD at [NAME, END), if it is one: then *RET_FOLLOWED is set, and the walk starts
 * again. Returns 0, SAFE_LOOKUP_MAY_WAIT or a negative errno.
 */
static int safe_lookup_follow(
	struct walk *w, int fd, const char *name, const char *end, bool *ret_followed)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(fd, "", target, sizeof(target) - 1);

	if (len < 0) /* ENOENT: not a link */
		return 0;
	if (!len)
		return -ENOENT;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	target[len] = '\0';
	/*
	 * /proc/PID/root and similar links lead to another place than their text says, and only
	 * following them shows where that is.
	 */
	if (w->is_proc && *target == '/')
		return SAFE_LOOKUP_MAY_WAIT;
	*ret_followed = true;
	return safe_lookup_replace(w, *target == '/' ? w->path : name, target, end);
}

/* Opens NAME in the directory FD, without crossing a mount. */
static int open_here(int fd, const char *name, int flags)
{
	const struct open_how how = {.flags = (unsigned int)flags, .resolve = RESOLVE_NO_XDEV};
	long r = syscall(__NR_openat2, fd, name, &how, sizeof(how));

	/* seccomp filters older than Linux 5.6 answer EPERM to this call. */
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
		return SAFE_LOOKUP_MAY_WAIT;
	fd = there == MOUNTS_ONE ? openat(dir, name, flags) : open_here(dir, name, flags);
	if (fd < 0)
		return errno == EXDEV ? SAFE_LOOKUP_MAY_WAIT : -errno;
	on = mounts_find(w->mounts, fd);
	if (!on)
		return SAFE_LOOKUP_MAY_WAIT;
	w->is_proc = on->is_proc;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Goes on by the name of LEN bytes at .at. */
static int safe_lookup_step(struct walk *w, size_t len)
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
		r = safe_lookup_follow(w, fd, w->at, end, &followed);
	if (r != 0 || followed)
		return r;
	fd_close(w->fd);
	w->fd = TAKE_FD(fd);
	w->at += len;
	return 0;
}

int safe_lookup_open(
	struct mounts *mounts, int root, const char *path, bool it_follows, int *ret_fd)
{
	CLEANUP(cleanup_walk)
	struct walk w = {.mounts = mounts, .root = root, .it_follows = it_follows, .fd = -1};
	size_t len = strlen(path);
	int r = 0;

	if (len >= sizeof(w.path))
		return -ENAMETOOLONG;
	if (!mounts_find(mounts, root))
		return SAFE_LOOKUP_MAY_WAIT;
	memcpy(w.path, path, len + 1);
	safe_lookup_begin(&w);
	for (unsigned int steps = 0; r == 0; steps++) {
		w.at += strspn(w.at, "/");
		if (!*w.at)
			break;
		r = steps < STEPS_MAX ? safe_lookup_step(&w, strcspn(w.at, "/")) : -ELOOP;
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
