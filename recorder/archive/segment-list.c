/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/segment-list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "recorder/archive/segment.h"

static int segment_list_compare(const void *a_, const void *b_)
{
	const struct segment_file *a = a_, *b = b_;

	if (a->tier != b->tier)
		return a->tier < b->tier ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int segment_list_add(struct segment_list *l, int dirfd, const char *name)
{
	struct segment_file file;
	struct stat st;

	if (!segment_parse_name(name, &file.tier, &file.number) ||
		fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return 0; /* another file, or one that was just removed */
	file.bytes = (uint64_t)st.st_size;
	if (ARRAY_RESERVE(l->file, l->room, l->count + 1) < 0)
		return -ENOMEM;
	l->file[l->count++] = file;
	return 0;
}

int segment_list_read(int dirfd, struct segment_list *ret)
{
	AUTO_CLOSE int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return -errno;
	TAKE_FD(fd);
	ret->count = 0;
	for (errno = 0; r == 0 && (entry = readdir(dir)); errno = 0)
		r = segment_list_add(ret, dirfd, entry->d_name);
	if (r == 0 && errno)
		r = -errno;
	if (r == 0 && ret->count)
		qsort(ret->file, ret->count, sizeof(ret->file[0]), segment_list_compare);
	return r;
}

void segment_list_done(struct segment_list *l)
{
	free(l->file);
	*l = (struct segment_list){0};
}
