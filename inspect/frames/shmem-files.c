/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/shmem-files.h"

#include <stdlib.h>

#include "base/array.h"

void shmem_files_done(struct shmem_files *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->file[i]);
	free(s->file);
	keytable_done(&s->index);
	free(s->place);
	*s = (struct shmem_files){0};
}

void shmem_files_begin(struct shmem_files *s, pid_t pid, uint32_t group)
{
	s->pid = pid;
	s->group = group;
	s->places = 0;
	s->at = 0;
}

static int shmem_files_add(
	struct shmem_files *s, const struct shmem_file *one, uint64_t key, struct shmem_file **ret)
{
	struct shmem_file *file;
	int r;

	if (ARRAY_RESERVE(s->file, s->room, s->count + 1) < 0)
		return -ENOMEM;
	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	r = keytable_set(&s->index, key, file);
	if (r < 0) {
		free(file);
		return r;
	}
	*file = *one;
	file->group = s->group;
	s->file[s->count++] = file;
	file->number = s->count;
	*ret = file;
	return 0;
}

/*
 * Writes to *RET the file like ONE, now with the process as a user; NULL: new files are ignored, or
 * there is no room. Returns 0 or -ENOMEM.
 */
static int shmem_files_find(
	struct shmem_files *s, const struct shmem_file *one, struct shmem_file **ret)
{
	uint64_t device = (uint64_t)one->major << 32 | one->minor;
	uint64_t key = keytable_key(&s->index, device << 3 | one->what, one->inode);
	struct shmem_file *file = keytable_find(&s->index, key);

	*ret = file;
	if (file)
		file->is_shared |= file->group != s->group;
	if (file || s->is_closed)
		return 0;
	if (s->count < (s->max ? s->max : SHMEM_FILES_MAX))
		return shmem_files_add(s, one, key, ret);
	s->missed++;
	return 0;
}

static int shmem_files_add_place(
	struct shmem_files *s, const struct mapping *m, struct shmem_file *file)
{
	/* If the address space changes during the reading, a mapping may come twice. */
	if (s->places && m->start < s->place[s->places - 1].end)
		return 0;
	if (ARRAY_RESERVE(s->place, s->places_room, s->places + 1) < 0)
		return -ENOMEM;
	s->place[s->places++] = (struct shmem_files_place){m->start, m->end, file};
	return 0;
}

/*
 * /proc/PID/fd does not show the device of a socket. For files on a file system without a block
 * device stat() may show another device than maps (btrfs: one for each subvolume).
 */
static struct shmem_file shmem_files_key_of(
	enum shmem_file_kind what, uint32_t major, uint32_t minor, uint64_t inode)
{
	struct shmem_file key = {.what = what, .inode = inode};

	if (what == SHMEM_FILE_SOCKET || (what == SHMEM_FILE_DISK && !major))
		return key;
	key.major = major;
	key.minor = minor;
	return key;
}

int shmem_files_map(struct shmem_files *s, enum shmem_file_kind what, const struct mapping *m)
{
	const struct shmem_file one = shmem_files_key_of(what, m->major, m->minor, m->inode);
	struct shmem_file *file;
	int r = shmem_files_find(s, &one, &file);

	if (r < 0 || !file)
		return r;
	if (!file->is_mapped) {
		file->is_mapped = true;
		file->pid = s->pid;
		file->start = m->start;
		file->end = m->end;
	}
	return shmem_files_add_place(s, m, file);
}

int shmem_files_hold(struct shmem_files *s, enum shmem_file_kind what, uint32_t major,
	uint32_t minor, uint64_t inode)
{
	const struct shmem_file one = shmem_files_key_of(what, major, minor, inode);
	struct shmem_file *file;

	return shmem_files_find(s, &one, &file);
}

uint32_t shmem_files_meet(struct shmem_files *s, uint64_t address)
{
	while (s->at < s->places && s->place[s->at].end <= address)
		s->at++;
	if (s->at == s->places || s->place[s->at].start > address)
		return 0;
	s->place[s->at].file->met++;
	return s->place[s->at].file->number;
}

size_t shmem_files_bytes(const struct shmem_files *s)
{
	return s->count * sizeof(**s->file) + s->room * sizeof(struct shmem_file *) +
	       s->index.slots * sizeof(*s->index.slot) + s->places_room * sizeof(*s->place);
}
