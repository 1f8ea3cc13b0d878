/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/files/file-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "inspect/files/safe-lookup.h"
#include "inspect/maps/kind.h"

/*
 * Makes the name as mappings have it, whether FILE is the name itself or the kernel's escaped form.
 */
static void file_filter_add_name(const char *file, struct buffer *to)
{
	kind_add_path(file, strlen(file), to);
	buffer_add_char(to, '\0');
}

static int file_filter_look_up(const char *file, struct file_filter *w)
{
	AUTO_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), place = -1;
	AUTO_MOUNTS struct mounts mounts = {.count = 0};
	const struct mounts_one *on;
	struct statx s;
	int r = mounts_read(&mounts, -1, 0);

	if (r == 0)
		r = safe_lookup_open(&mounts, root, file, true, &place);
	w->may_wait = r == SAFE_LOOKUP_MAY_WAIT;
	if (r != 0)
		return r == -ENOMEM ? r : 0;
	on = mounts_find(&mounts, place);
	if (!on || statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &s) < 0)
		return 0;
	w->is_there = true;
	w->inode = s.stx_ino;
	w->major = s.stx_dev_major;
	w->minor = s.stx_dev_minor;
	w->on = *on;
	return 0;
}

int file_filter_open(const char *file, bool deleted, struct file_filter *ret)
{
	AUTO_BUFFER struct buffer name = {0};
	struct file_filter w = {.deleted = deleted};
	int r = 0;

	if (file) {
		file_filter_add_name(file, &name);
		r = name.error;
	}
	if (r == 0 && file && *file == '/')
		r = file_filter_look_up(file, &w);
	if (r < 0)
		return r;
	w.name = name;
	name = (struct buffer){0};
	*ret = w;
	return 0;
}

void file_filter_done(struct file_filter *w)
{
	buffer_done(&w->name);
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_the_file(const struct file_filter *w, const struct file_table_row *row)
{
	enum mounts_device device;

	if (!strcmp(row->name, w->name.data))
		return true;
	if (!w->is_there || row->inode != w->inode)
		return false;
	device = mounts_compare_device(&w->on, w->major, w->minor, row->major, row->minor);
	return device == MOUNTS_SAME_DEVICE ||
	       (device == MOUNTS_LIKE_DEVICE &&
		       !strcmp(last_name(row->name), last_name(w->name.data)));
}

bool file_filter_is(const struct file_filter *w, const struct file_table_row *row)
{
	if (w->deleted && !file_table_is_deleted(row))
		return false;
	return !w->name.len || is_the_file(w, row);
}
