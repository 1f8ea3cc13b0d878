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
#include "base/clock.h"
#include "base/saturate.h"
#include "recorder/archive/segment.h"

/* Far more than the tick in which a file system keeps times */
#define SETTLED_NS (2 * NS_PER_SEC)

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

/* Returns when DIRFD has changed; 0: unknown. */
static uint64_t changed_ns(int dirfd)
{
	struct stat st;

	return fstat(dirfd, &st) < 0 || st.st_mtim.tv_sec <= 0
	               ? 0
	               : (uint64_t)st.st_mtim.tv_sec * NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
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
	/* Two changes within one tick of the clock have the same time. */
	ret->changed_ns = changed_ns(dirfd);
	if (saturate_add(ret->changed_ns, SETTLED_NS) > clock_now_ns(CLOCK_REALTIME))
		ret->changed_ns = 0;
	for (errno = 0; r == 0 && (entry = readdir(dir)); errno = 0)
		r = segment_list_add(ret, dirfd, entry->d_name);
	if (r == 0 && errno)
		r = -errno;
	if (r == 0 && ret->count)
		qsort(ret->file, ret->count, sizeof(ret->file[0]), segment_list_compare);
	if (r < 0)
		ret->changed_ns = 0;
	return r;
}

int segment_list_update(int dirfd, struct segment_list *l)
{
	bool is_same = l->changed_ns && l->changed_ns == changed_ns(dirfd);

	for (size_t i = 0; is_same && i < l->count; i++) {
		struct segment_file *file = &l->file[i];
		char name[SEGMENT_NAME_SIZE];
		struct stat st;

		if (i + 1 < l->count && l->file[i + 1].tier == file->tier)
			continue;
		segment_name(file->tier, file->number, name);
		is_same = fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
		if (is_same)
			file->bytes = (uint64_t)st.st_size;
	}
	return is_same ? 0 : segment_list_read(dirfd, l);
}

int segment_list_copy(struct segment_list *l, const struct segment_list *from)
{
	if (ARRAY_RESERVE(l->file, l->room, from->count + 1) < 0)
		return -ENOMEM;
	for (l->count = 0; l->count < from->count; l->count++)
		l->file[l->count] = from->file[l->count];
	l->changed_ns = from->changed_ns;
	return 0;
}

void segment_list_done(struct segment_list *l)
{
	free(l->file);
	*l = (struct segment_list){0};
}
