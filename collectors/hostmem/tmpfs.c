/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mount point in the list may be covered by another mount by now, or lie in a place that
 * memtallyd may not search. So what is opened there is asked for its device first, and else another
 * mount of the same file system is tried.
 *
 * In directories that users can write to, users may mount anything (FUSE) at any moment. So each
 * name is opened only as a place (O_PATH), which waits for no other program. Its attributes that
 * need no call to its file system (AT_STATX_DONT_SYNC) show whether it is on the same file system.
 * "." below it cannot be covered.
 *
 * The blocks of a file on tmpfs are its pages, in memory or swapped (since Linux 2.4). What statfs
 * reports as inodes are names: each further name of a file counts, too.
 */
#include "config.h"

#include "collectors/hostmem/tmpfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/saturate.h"
#include "collectors/procfs/mountinfo.h"

enum {
	ENTRIES_A_STEP = 64,
	BLOCK_BYTES = 512,
};

static void drop_mounts(struct tmpfs *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->mount[i].path);
	t->count = 0;
}

static void close_levels(struct tmpfs *t)
{
	while (t->depth)
		closedir(t->level[--t->depth]);
}

void tmpfs_done(struct tmpfs *t)
{
	close_levels(t);
	drop_mounts(t);
	free(t->mount);
	shmem_owners_done(&t->owners);
	*t = (struct tmpfs){0};
}

static bool is_tmpfs(const char *type)
{
	return !strcmp(type, "tmpfs") || !strcmp(type, "devtmpfs");
}

static bool tmpfs_is_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	return !strncmp(path, point, len) && path[len] == '/';
}

/* Whether PATH is below one of POINTS, which are terminated, one after the other. */
static bool is_below_any(const struct buffer *points, const char *path)
{
	for (size_t at = 0; at < points->len; at += strlen(points->data + at) + 1)
		if (tmpfs_is_below(path, points->data + at))
			return true;
	return false;
}

/* The root may be of any kind: nothing can be read without it. */
static void add_foreign(struct buffer *points, const struct mountinfo *m)
{
	if (!mountinfo_is_local(m->fstype) && strcmp(m->mountpoint, "/") != 0)
		buffer_add(points, m->mountpoint, strlen(m->mountpoint) + 1);
}

static int add_mount(struct tmpfs *t, size_t *capacity, const struct mountinfo *m)
{
	struct tmpfs_mount *to;

	if (ARRAY_RESERVE(t->mount, *capacity, t->count + 1) < 0)
		return -ENOMEM;
	to = &t->mount[t->count];
	*to = (struct tmpfs_mount){
		.path = strdup(m->mountpoint),
		.major = m->major,
		.minor = m->minor,
		.is_whole = !strcmp(m->root, "/"),
	};
	if (!to->path)
		return -ENOMEM;
	t->count++;
	return 0;
}

static bool tmpfs_is_same(const struct tmpfs_mount *a, const struct tmpfs_mount *b)
{
	return a->major == b->major && a->minor == b->minor;
}

static int tmpfs_compare_mounts(const void *a_, const void *b_)
{
	const struct tmpfs_mount *a = a_, *b = b_;
	size_t a_len = strlen(a->path), b_len = strlen(b->path);

	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	if (a->is_whole != b->is_whole)
		return a->is_whole ? -1 : 1;
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* Adds the mounts of TEXT, and marks those that must not be opened. */
static int tmpfs_parse_mounts(struct tmpfs *t, char *text, size_t len)
{
	/* mount points below which no name is looked up */
	AUTO_BUFFER struct buffer foreign = {0};
	char *at = text, *end = text + len;
	size_t capacity = 0;
	struct mountinfo m;
	int r;

	drop_mounts(t);
	free(t->mount);
	t->mount = NULL;
	while ((r = mountinfo_next(&at, end, &m)) == 0 || r == MOUNTINFO_OTHER) {
		if (r != 0)
			continue;
		add_foreign(&foreign, &m);
		r = is_tmpfs(m.fstype) ? add_mount(t, &capacity, &m) : 0;
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (foreign.error)
		return foreign.error;
	if (!t->mount)
		return 0;
	qsort(t->mount, t->count, sizeof(*t->mount), tmpfs_compare_mounts);
	for (size_t i = 0; i < t->count; i++)
		if (is_below_any(&foreign, t->mount[i].path)) {
			free(t->mount[i].path);
			t->mount[i].path = NULL; /* must not be opened */
		}
	return 0;
}

int tmpfs_parse(struct tmpfs *t, char *text, size_t len)
{
	int r = tmpfs_parse_mounts(t, text, len);

	if (r < 0)
		drop_mounts(t);
	t->is_known = r == 0;
	return r;
}

static void forget_files(struct tmpfs *t)
{
	t->directories_unread = 0;
	t->entries = 0;
	shmem_owners_clear(&t->owners);
}

static void tmpfs_look(struct tmpfs *t, int procfs_fd, struct buffer *scratch)
{
	int r = mountinfo_read(procfs_fd, scratch);

	t->unchosen = 0;
	forget_files(t);
	if (r == 0)
		r = tmpfs_parse(t, scratch->data, scratch->len);
	if (r < 0) {
		drop_mounts(t);
		t->is_known = false;
	}
}

void tmpfs_begin(struct tmpfs *t, int procfs_fd, uint64_t now_ns, struct buffer *scratch)
{
	close_levels(t); /* of a lost pass */
	t->at = t->kept = 0;
	t->begun_ns = now_ns;
	if (!t->looked_ns || now_ns - t->looked_ns >= TMPFS_LOOK_NS || t->phase != TMPFS_IDLE) {
		tmpfs_look(t, procfs_fd, scratch);
		t->looked_ns = now_ns;
		t->phase = TMPFS_CHOOSE;
	} else {
		t->phase = TMPFS_READ;
	}
	t->unread = t->unchosen;
}

/* Opens the mount point as a place. Returns -1 if it is not M, or cannot be opened. */
static int open_mount(const struct tmpfs_mount *m)
{
	AUTO_CLOSE int fd = open(m->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx found;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &found) < 0 ||
		found.stx_dev_major != m->major || found.stx_dev_minor != m->minor)
		return -1;
	return TAKE_FD(fd);
}

/*
 * Reads the amounts of M. Returns false if M is not there or cannot be opened. Without a size limit
 * the kernel reports no amount.
 */
static bool read_mount(struct tmpfs_mount *m)
{
	AUTO_CLOSE int fd = open_mount(m);
	struct statfs found;
	uint64_t unit;

	m->is_read = false;
	if (fd < 0 || fstatfs(fd, &found) < 0 || found.f_bsize <= 0 ||
		found.f_bfree > found.f_blocks)
		return false;
	unit = (uint64_t)found.f_bsize;
	m->size_bytes = saturate_part(found.f_blocks, unit, 1);
	m->used_bytes = saturate_min(
		saturate_part(found.f_blocks - found.f_bfree, unit, 1), INT64_MAX);
	if (m->size_bytes > INT64_MAX)
		m->size_bytes = 0;
	m->names = found.f_files ? saturate_less(found.f_files, found.f_ffree) : UINT64_MAX;
	m->is_read = found.f_blocks > 0;
	return true;
}

static bool is_roots(const struct statx *s)
{
	return S_ISDIR(s->stx_mode) && s->stx_uid == 0 &&
	       (!(s->stx_mode & (S_IWGRP | S_IWOTH)) || (s->stx_mode & S_ISVTX));
}

/* Whether only root can make PATH lead elsewhere: all directories above are root's. */
static bool is_steady(const char *path)
{
	AUTO_CLOSE int fd = open("/", O_PATH | O_CLOEXEC);
	char name[NAME_MAX + 1];
	struct statx found;

	for (const char *slash; *path == '/' && fd >= 0; path = slash) {
		size_t len;
		int next;

		if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			    STATX_TYPE | STATX_MODE | STATX_UID, &found) < 0 ||
			!is_roots(&found))
			return false;
		slash = strchrnul(++path, '/');
		if (!*slash)
			return true;
		len = (size_t)(slash - path);
		if (!len || len > NAME_MAX)
			return false;
		memcpy(name, path, len);
		name[len] = 0;
		next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		fd_close(fd);
		fd = next;
	}
	return false;
}

/* Keeps the first mount of the file system at T->at that may be opened, and drops the others. */
static void tmpfs_choose(struct tmpfs *t)
{
	size_t first = t->at;
	bool is_chosen = false;

	for (; t->at < t->count && tmpfs_is_same(&t->mount[first], &t->mount[t->at]); t->at++) {
		struct tmpfs_mount *m = &t->mount[t->at];

		if (!is_chosen && m->path && t->kept < TMPFS_MAX && is_steady(m->path) &&
			read_mount(m)) {
			struct tmpfs_mount chosen = *m;

			m->path = NULL;
			t->mount[t->kept++] = chosen;
			t->unread += !chosen.is_read;
			is_chosen = true;
			continue;
		}
		free(m->path);
		m->path = NULL;
	}
	t->unchosen += !is_chosen;
	t->unread += !is_chosen;
}

/* Enters the directory of the place FD, which is closed. */
static void tmpfs_enter(struct tmpfs *t, int fd)
{
	AUTO_CLOSE int place = fd;
	AUTO_CLOSE int opened = -1;
	DIR *dir = NULL;

	if (t->depth < TMPFS_DEPTH && place >= 0)
		opened = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (opened >= 0)
		dir = fdopendir(opened);
	if (!dir) {
		t->directories_unread++;
		return;
	}
	opened = -1; /* DIR owns it */
	t->level[t->depth++] = dir;
}

/*
 * Reads the attributes of NAME in DIRFD without waiting for any file system but M. Returns false if
 * it is not on M, or gone.
 */
static bool tmpfs_see(
	const struct tmpfs_mount *m, int dirfd, const char *name, int flags, struct statx *ret)
{
	return statx(dirfd, name, flags | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		       STATX_TYPE | STATX_UID | STATX_BLOCKS | STATX_NLINK, ret) == 0 &&
	       ret->stx_dev_major == m->major && ret->stx_dev_minor == m->minor;
}

static void tmpfs_add_file(struct tmpfs *t, struct tmpfs_mount *m, const struct statx *found)
{
	/* A file with several names is found by each of them. */
	uint64_t bytes = saturate_part(
		found->stx_blocks, BLOCK_BYTES, found->stx_nlink ? found->stx_nlink : 1);

	shmem_owners_add_file(&t->owners, found->stx_uid, bytes);
	m->owned_bytes = saturate_add(m->owned_bytes, bytes);
}

static void tmpfs_look_at(
	struct tmpfs *t, struct tmpfs_mount *m, int dirfd, const struct dirent *entry)
{
	struct statx found;

	if (entry->d_type == DT_DIR) {
		AUTO_CLOSE int place = openat(
			dirfd, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		if (place < 0 ||
			(tmpfs_see(m, place, "", AT_EMPTY_PATH, &found) && S_ISDIR(found.stx_mode)))
			tmpfs_enter(t, TAKE_FD(place));
	} else if (entry->d_type == DT_REG) {
		if (tmpfs_see(m, dirfd, entry->d_name, AT_SYMLINK_NOFOLLOW, &found) &&
			S_ISREG(found.stx_mode))
			tmpfs_add_file(t, m, &found);
	}
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Reads some entries of the innermost open directory. */
static void tmpfs_walk(struct tmpfs *t, struct tmpfs_mount *m)
{
	for (unsigned int i = 0; i < ENTRIES_A_STEP && t->depth; i++) {
		DIR *dir = t->level[t->depth - 1];
		const struct dirent *entry = readdir(dir);

		if (!entry) {
			closedir(dir);
			t->depth--;
			continue;
		}
		if (is_dots(entry->d_name))
			continue;
		if (t->entries >= t->end) {
			t->directories_unread += t->depth;
			close_levels(t);
			return;
		}
		t->entries++;
		tmpfs_look_at(t, m, dirfd(dir), entry);
	}
}

static void walk_some(struct tmpfs *t)
{
	struct tmpfs_mount *m = &t->mount[t->at];

	if (t->depth) {
		tmpfs_walk(t, m);
	} else {
		m->owned_bytes = 0;
		m->walked_bytes = m->is_read ? m->used_bytes : 0;
		t->end = t->entries + tmpfs_share(TMPFS_ENTRIES - t->entries, t->count - t->at);
		tmpfs_enter(t, open_mount(m));
	}
	if (!t->depth)
		t->at++;
}

static int tmpfs_compare_names(const void *a_, const void *b_)
{
	const struct tmpfs_mount *a = a_, *b = b_;

	if (a->names != b->names)
		return a->names < b->names ? -1 : 1;
	return tmpfs_compare_mounts(a, b);
}

/*
 * File systems that need less than an even share come first, and leave the rest of it to the
 * others.
 */
static void begin_walk(struct tmpfs *t)
{
	t->count = t->kept;
	if (t->count)
		qsort(t->mount, t->count, sizeof(*t->mount), tmpfs_compare_names);
	t->at = 0;
	t->walked_ns = t->begun_ns;
	t->phase = TMPFS_WALK;
}

/*
 * Returns true if the last round was at least TMPFS_AGAIN_NS ago and a file system has lost files
 * since.
 */
static bool tmpfs_has_lost(const struct tmpfs *t)
{
	if (t->begun_ns - t->walked_ns < TMPFS_AGAIN_NS)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		const struct tmpfs_mount *m = &t->mount[i];
		uint64_t lost = saturate_less(m->walked_bytes, m->used_bytes);

		if (m->is_read && lost > TMPFS_LOST_BYTES &&
			lost > m->walked_bytes / TMPFS_LOST_PART)
			return true;
	}
	return false;
}

static void read_again(struct tmpfs *t, struct tmpfs_mount *m)
{
	if (!read_mount(m) || !m->is_read)
		t->unread++;
}

bool tmpfs_step(struct tmpfs *t)
{
	if (t->phase != TMPFS_IDLE && t->at < t->count) {
		if (t->phase == TMPFS_CHOOSE)
			tmpfs_choose(t);
		else if (t->phase == TMPFS_WALK)
			walk_some(t);
		else
			read_again(t, &t->mount[t->at++]);
		return true;
	}
	if (t->phase == TMPFS_READ && tmpfs_has_lost(t)) {
		forget_files(t);
		t->kept = t->count;
		begin_walk(t);
		return true;
	}
	if (t->phase == TMPFS_CHOOSE) {
		begin_walk(t);
		return true;
	}
	t->phase = TMPFS_IDLE;
	return false;
}
