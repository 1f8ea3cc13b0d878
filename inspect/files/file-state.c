/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/files/file-state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "inspect/files/safe-lookup.h"
#include "inspect/maps/kind.h"

enum {
	SUFFIX_LEN = sizeof(" (deleted)") - 1,
	MAP_FILE_SIZE = 64,
};

#define SHORT_LIFE_NS (60 * (int64_t)NS_PER_SEC)

/* The result of looking up a name. */
enum found {
	FOUND_NOTHING,
	FOUND_IT,
	FOUND_ANOTHER,
	FOUND_UNKNOWN, /* the name cannot be looked up */
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

/*
 * Opens the root of T with O_PATH, because opening it for reading might ask a server. -ENOLINK:
 * following the link might, too.
 */
static int open_root(struct target *t, struct mounts *mounts, int *ret)
{
	AUTO_CLOSE int dir = -1;
	int r = target_file(t, ".", &dir);

	if (r != 0)
		return r;
	if (!mounts_has_root(mounts))
		return -ENOLINK;
	*ret = openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *ret < 0 ? -errno : 0;
}

int file_state_open(struct target *t, struct file_state *ret)
{
	AUTO_CLOSE int fd = -1;
	AUTO_MOUNTS struct mounts mounts = {.count = 0};
	int ours = has_our_mounts(t), r;

	if (ours < 0)
		return ours;
	r = mounts_read(&mounts, t->reader.procfs->fd, t->process.pid);
	if (r == 0 && ours) {
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = fd < 0 ? -errno : 0;
	} else if (r == 0) {
		r = open_root(t, &mounts, &fd);
	}
	if (r != 0)
		return r;
	*ret = (struct file_state){.target = t, .root = TAKE_FD(fd), .mounts = mounts};
	mounts = (struct mounts){.count = 0};
	return 0;
}

void file_state_close(struct file_state *w)
{
	w->root = fd_close(w->root);
	mounts_done(&w->mounts);
}

/*
 * Whether S is the file of ROW. While a file is mapped, no other file of its file system has its
 * inode number.
 */
static bool file_state_is_same(
	const struct mounts_one *on, const struct statx *s, const struct file_table_row *row)
{
	return on && s->stx_ino == row->inode &&
	       mounts_compare_device(on, s->stx_dev_major, s->stx_dev_minor, row->major,
		       row->minor) != MOUNTS_ANOTHER_DEVICE;
}

/* Looks PATH up. Asks only for what the kernel has in memory. */
static enum found file_state_look(
	struct file_state *w, const char *path, const struct file_table_row *row)
{
	AUTO_CLOSE int place = -1;
	struct statx s;
	int r = safe_lookup_open(&w->mounts, w->root, path, false, &place);

	if (r == -ENOENT || r == -ENOTDIR)
		return FOUND_NOTHING;
	if (r != 0 || statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &s) < 0)
		return FOUND_UNKNOWN;
	return file_state_is_same(mounts_find(&w->mounts, place), &s, row) ? FOUND_IT
	                                                                   : FOUND_ANOTHER;
}

/*
 * Unescapes newlines, which the kernel prints as "\012"; a name with that text looks the same.
 * Returns false if there are none.
 */
static bool file_state_unescape(char *path)
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
	struct file_state *w, const char *name, size_t len, const struct file_table_row *row)
{
	char path[PATH_MAX];
	enum found found;

	if (len >= sizeof(path))
		return FOUND_UNKNOWN;
	memcpy(path, name, len);
	path[len] = '\0';
	found = file_state_look(w, path, row);
	return found == FOUND_NOTHING && file_state_unescape(path) ? file_state_look(w, path, row)
	                                                           : found;
}

/*
 * Writes the state of an unlinked file to *RET, by its mapping in the process, which takes
 * CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE. Returns false if it may not be read, is another file by
 * now, or might block.
 */
static bool ask_file(struct file_state *w, const struct file_table_row *row, struct statx *ret)
{
	const unsigned int mask = STATX_TYPE | STATX_INO | STATX_NLINK | STATX_CTIME | STATX_BTIME;
	AUTO_CLOSE int place = -1;
	char path[MAP_FILE_SIZE];

	if (!w->target || !mounts_has_device(&w->mounts, row->major, row->minor))
		return false;
	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)row->start,
		(unsigned long long)row->end);
	place = openat(w->target->process.dirfd, path, O_PATH | O_CLOEXEC);
	return place >= 0 && statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, ret) == 0 &&
	       S_ISREG(ret->stx_mode) && ret->stx_ino == row->inode;
}

static int64_t file_state_ns_of(const struct statx_timestamp *t)
{
	return t->tv_sec * (int64_t)NS_PER_SEC + t->tv_nsec;
}

/*
 * Returns the first time at which the process had certainly started, by the clock of file systems.
 * The kernel prints the start time rounded down to a tick; the boot time in /proc/stat has only
 * seconds.
 */
static int64_t start_of(const struct target *t)
{
	uint64_t start_ns = (t->process.stat.start_ticks + 1) * t->reader.procfs->ns_per_tick;

	return (int64_t)(clock_now_ns(CLOCK_REALTIME) - clock_now_ns(CLOCK_BOOTTIME) + start_ns);
}

/*
 * Whether the file was unlinked soon after it was made. Unlinking is the last change of its status
 * (ctime).
 */
static bool is_short_lived(const struct statx *s)
{
	return file_state_ns_of(&s->stx_ctime) - file_state_ns_of(&s->stx_btime) <= SHORT_LIFE_NS;
}

static int find_code(const struct mapping *m, void *context)
{
	const struct file_table_row *row = context;
	bool is_its = m->inode == row->inode && m->major == row->major && m->minor == row->minor;

	return is_its && m->perms[2] == 'x' ? -ECANCELED : 0;
}

/*
 * Whether the process maps any part of ROW's file as code: for a library this is not the first
 * mapping.
 */
static bool is_code(struct file_state *w, const struct file_table_row *row)
{
	struct file_table_row wanted = *row;

	return row->is_executable ||
	       (w->target && target_places(w->target, find_code, &wanted) == -ECANCELED);
}

/*
 * Whether the process made and unlinked ROW's file itself. FATE: FILE_TABLE_DELETED: nothing is at
 * the path of the file; FILE_TABLE_UNCERTAIN: the path cannot be looked up. A name that only
 * temporary files have decides; for other names the times of the file decide. If the times cannot
 * be read, a library in a folder of temporary files counts as the process's own if nothing is at
 * its path.
 *
 * For files that are not libraries in such a folder, times decide only if the file is code: a
 * process that writes a file for its next program and then calls exec is the same process to the
 * kernel.
 */
static bool is_own(
	struct file_state *w, const struct file_table_row *row, enum file_table_fate fate)
{
	enum kind_temporary by_name = kind_temporary(row->path, strlen(row->path));
	struct statx s;

	if (by_name == KIND_TEMPORARY)
		return true;
	if (by_name == KIND_NOT_TEMPORARY && !is_code(w, row))
		return false;
	if (!ask_file(w, row, &s) || !(s.stx_mask & STATX_BTIME))
		return by_name != KIND_NOT_TEMPORARY && fate == FILE_TABLE_DELETED;
	if (file_state_ns_of(&s.stx_btime) < start_of(w->target))
		return false;
	return !s.stx_nlink && (by_name != KIND_NOT_TEMPORARY || is_short_lived(&s));
}

static enum file_table_fate file_state_look_for(
	struct file_state *w, const struct file_table_row *row, bool *ret_is_literal)
{
	size_t len = strlen(row->path);
	enum found whole, found;

	*ret_is_literal = false;
	if (w->root < 0 || len <= SUFFIX_LEN)
		return FILE_TABLE_UNCERTAIN;
	whole = look_both(w, row->path, len, row);
	if (whole == FOUND_IT) {
		*ret_is_literal = true;
		return FILE_TABLE_THERE;
	}
	found = look_both(w, row->path, len - SUFFIX_LEN, row);
	if (found == FOUND_IT)
		return FILE_TABLE_THERE;
	if (whole == FOUND_UNKNOWN || found == FOUND_UNKNOWN)
		return FILE_TABLE_UNCERTAIN;
	return found == FOUND_ANOTHER ? FILE_TABLE_REPLACED : FILE_TABLE_DELETED;
}

enum file_table_fate file_state_find(
	struct file_state *w, const struct file_table_row *row, bool *ret_is_literal)
{
	enum file_table_fate fate = file_state_look_for(w, row, ret_is_literal);

	if ((fate == FILE_TABLE_DELETED || fate == FILE_TABLE_UNCERTAIN) && is_own(w, row, fate))
		return FILE_TABLE_UNLINKED;
	return fate;
}

/* The mappings that are passed on, and the last result: mappings of a library are neighbours. */
struct naming {
	struct target *target;
	mapping_taker take;
	void *context;
	bool was_opened; /* or opening it failed */
	struct file_state where;
	struct buffer path; /* path of the last file, terminated; empty: none */
	uint64_t inode;
	uint32_t major, minor;
	enum mapping_fate fate;
	bool has_name;
};

static void cleanup_naming(struct naming *n)
{
	file_state_close(&n->where);
	buffer_done(&n->path);
}

static enum mapping_fate fate_of(struct naming *n, const struct mapping *m)
{
	static const enum mapping_fate fates[FILE_TABLE_FATES] = {
		[FILE_TABLE_THERE] = MAPPING_THERE,
		[FILE_TABLE_DELETED] = MAPPING_DELETED,
		[FILE_TABLE_REPLACED] = MAPPING_REPLACED,
		[FILE_TABLE_UNCERTAIN] = MAPPING_UNCERTAIN,
		[FILE_TABLE_UNLINKED] = MAPPING_UNLINKED,
	};
	const struct file_table_row row = {.path = n->path.data,
		.start = m->start,
		.end = m->end,
		.inode = m->inode,
		.major = m->major,
		.minor = m->minor};
	struct statx s;
	bool is_literal;
	enum file_table_fate fate;

	/* If this fails, all states are uncertain. */
	if (!n->was_opened)
		(void)file_state_open(n->target, &n->where);
	n->was_opened = true;
	fate = file_state_find(&n->where, &row, &is_literal);
	n->has_name = fate != FILE_TABLE_THERE && ask_file(&n->where, &row, &s) && s.stx_nlink;
	return is_literal ? MAPPING_LITERAL : fates[fate];
}

static bool file_state_is_last(const struct naming *n, const struct mapping *m)
{
	return n->path.len == m->path_len + 1 && n->inode == m->inode && n->major == m->major &&
	       n->minor == m->minor && !memcmp(n->path.data, m->path, m->path_len);
}

static int take_named(const struct mapping *m, void *context)
{
	struct naming *n = context;
	struct mapping named;

	if (!kind_looks_deleted(m))
		return n->take(m, n->context);
	if (!file_state_is_last(n, m)) {
		buffer_clear(&n->path);
		buffer_add(&n->path, m->path, m->path_len);
		buffer_add_char(&n->path, '\0');
		if (n->path.error)
			return n->path.error;
		n->inode = m->inode;
		n->major = m->major;
		n->minor = m->minor;
		n->fate = fate_of(n, m);
	}
	named = *m;
	named.fate = n->fate;
	named.has_name = n->has_name;
	return n->take(&named, n->context);
}

int file_state_mappings(struct target *t, mapping_taker take, void *context)
{
	CLEANUP(cleanup_naming)
	struct naming n = {.target = t, .take = take, .context = context, .where.root = -1};

	if (!t->reader.procfs->is_kernels)
		return target_mappings(t, take, context);
	return target_mappings(t, take_named, &n);
}
