/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stat calls a device is not always what the kernel prints of mappings. File systems that have several devices (btrfs,
 * overlayfs) show stat one without a major number; and of a mapping on overlayfs the kernel prints, before Linux 6.8, the
 * device of the file system below it. Of these the number and the last name have to do.
 */
#include "config.h"

#include "cli/wanted.h"

#include <string.h>
#include <sys/sysmacros.h>


/* As all names of mappings are, whether it is given as it is or as the kernel prints it. */
static void add_name(const char *file, struct buffer *to)
{
	kind_add_path(file, strlen(file), to);
	buffer_add_char(to, '\0');
}

int wanted_open(const char *file, bool deleted, struct wanted *ret)
{
	AUTO_BUFFER struct buffer name = {0};
	struct wanted w = {.deleted = deleted};

	if (file) {
		add_name(file, &name);
		w.is_there = stat(file, &w.stat) == 0;
	}
	if (name.error)
		return name.error;
	w.name = name;
	name = (struct buffer){0};
	*ret = w;
	return 0;
}

void wanted_done(struct wanted *w)
{
	buffer_done(&w->name);
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_the_file(const struct wanted *w, const struct shelf_row *row)
{
	unsigned int dev_major = major(w->stat.st_dev), dev_minor = minor(w->stat.st_dev);

	if (!strcmp(row->name, w->name.data))
		return true;
	if (!w->is_there || row->inode != w->stat.st_ino)
		return false;
	if (row->major == dev_major && row->minor == dev_minor)
		return true;
	return !dev_major && !strcmp(last_name(row->name), last_name(w->name.data));
}

bool wanted_is(const struct wanted *w, const struct shelf_row *row)
{
	if (w->deleted && row->fate == SHELF_THERE)
		return false;
	return !w->name.len || is_the_file(w, row);
}
