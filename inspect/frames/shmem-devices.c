/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/shmem-devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/os/file.h"
#include "collectors/procfs/mountinfo.h"
#include "inspect/maps/kind.h"

void shmem_devices_done(struct shmem_devices *d)
{
	free(d->item);
	*d = (struct shmem_devices){0};
}

static uint64_t shmem_devices_number_of(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

/* Returns the place of NUMBER, or where it belongs. */
static size_t shmem_devices_place_of(const struct shmem_devices *d, uint64_t number)
{
	return ARRAY_FIRST(d->count, i, d->item[i].number >= number);
}

enum shmem_devices_answer shmem_devices_ask(
	const struct shmem_devices *d, uint32_t major, uint32_t minor)
{
	uint64_t number = shmem_devices_number_of(major, minor);
	size_t at = shmem_devices_place_of(d, number);

	if (at < d->count && d->item[at].number == number)
		return d->item[at].answer;
	return d->count < SHMEM_DEVICES_MAX ? SHMEM_DEVICES_UNKNOWN : SHMEM_DEVICES_NO;
}

int shmem_devices_add(
	struct shmem_devices *d, uint32_t major, uint32_t minor, enum shmem_devices_answer answer)
{
	uint64_t number = shmem_devices_number_of(major, minor);
	size_t at = shmem_devices_place_of(d, number);

	if (shmem_devices_ask(d, major, minor) != SHMEM_DEVICES_UNKNOWN)
		return 0;
	if (ARRAY_RESERVE(d->item, d->room, d->count + 1) < 0)
		return -ENOMEM;
	memmove(&d->item[at + 1], &d->item[at], (d->count - at) * sizeof(*d->item));
	d->item[at] = (struct shmem_device){number, answer};
	d->count++;
	return 0;
}

/*
 * The names of tmpfs. A rootfs may also be ramfs, which reports no blocks, so none of its memory
 * counts as unmapped.
 */
static bool is_memory(const char *fstype)
{
	return !strcmp(fstype, "tmpfs") || !strcmp(fstype, "devtmpfs") || !strcmp(fstype, "rootfs");
}

static enum shmem_devices_answer answer_of(const char *fstype)
{
	if (is_memory(fstype))
		return SHMEM_DEVICES_YES;
	return mountinfo_is_local(fstype) ? SHMEM_DEVICES_DISK : SHMEM_DEVICES_NO;
}

int shmem_devices_parse(struct shmem_devices *d, char *text, size_t len)
{
	char *at = text, *end = text + len;
	struct mountinfo m;
	int r, added = 0;

	while (added == 0 && ((r = mountinfo_next(&at, end, &m)) == 0 || r == MOUNTINFO_OTHER))
		if (r == 0)
			added = shmem_devices_add(d, m.major, m.minor, answer_of(m.fstype));
	return added;
}

int shmem_devices_read(struct shmem_devices *d, int fd)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all_fd(fd, MOUNTINFO_TEXT_MAX, &text);

	if (r == 0)
		r = shmem_devices_parse(d, text.data, text.len);
	return r == -ENOMEM ? r : 0;
}

/* tmpfs is on no block device. A full table does not know further devices. */
enum mapping_store shmem_devices_store(const struct shmem_devices *d, const struct mapping *m)
{
	if (!kind_has_file(m))
		return MAPPING_STORE_UNKNOWN;
	if (m->major)
		return MAPPING_STORE_DISK;
	switch (shmem_devices_ask(d, m->major, m->minor)) {
	case SHMEM_DEVICES_YES: return MAPPING_STORE_MEMORY;
	case SHMEM_DEVICES_DISK: return MAPPING_STORE_DISK;
	case SHMEM_DEVICES_NO:
		return d->count < SHMEM_DEVICES_MAX ? MAPPING_STORE_DISK : MAPPING_STORE_UNKNOWN;
	default: return MAPPING_STORE_UNKNOWN;
	}
}
