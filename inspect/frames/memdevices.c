/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/memdevices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "collectors/procfs/mountinfo.h"
#include "inspect/maps/kind.h"

enum { ROOM_MIN = 32 };

void memdevices_done(struct memdevices *d)
{
	free(d->item);
	*d = (struct memdevices){0};
}

static uint64_t number_of(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

/* Returns the place of NUMBER, or where it belongs. */
static size_t place_of(const struct memdevices *d, uint64_t number)
{
	size_t low = 0, high = d->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->item[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum memdevices_answer memdevices_ask(const struct memdevices *d, uint32_t major, uint32_t minor)
{
	uint64_t number = number_of(major, minor);
	size_t at = place_of(d, number);

	if (at < d->count && d->item[at].number == number)
		return d->item[at].answer;
	return d->count < MEMDEVICES_MAX ? MEMDEVICES_UNKNOWN : MEMDEVICES_NO;
}

static int make_room(struct memdevices *d)
{
	size_t room = d->room ? 2 * d->room : ROOM_MIN;
	struct memdevice *more;

	if (d->count < d->room)
		return 0;
	more = reallocarray(d->item, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	d->item = more;
	d->room = room;
	return 0;
}

int memdevices_add(
	struct memdevices *d, uint32_t major, uint32_t minor, enum memdevices_answer answer)
{
	uint64_t number = number_of(major, minor);
	size_t at = place_of(d, number);

	if (memdevices_ask(d, major, minor) != MEMDEVICES_UNKNOWN)
		return 0;
	if (make_room(d) < 0)
		return -ENOMEM;
	memmove(&d->item[at + 1], &d->item[at], (d->count - at) * sizeof(*d->item));
	d->item[at] = (struct memdevice){number, answer};
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

static enum memdevices_answer answer_of(const char *fstype)
{
	if (is_memory(fstype))
		return MEMDEVICES_YES;
	return mountinfo_is_local(fstype) ? MEMDEVICES_DISK : MEMDEVICES_NO;
}

int memdevices_parse(struct memdevices *d, char *text, size_t len)
{
	char *at = text, *end = text + len;
	struct mountinfo m;
	int r, added = 0;

	while (added == 0 && ((r = mountinfo_next(&at, end, &m)) == 0 || r == MOUNTINFO_OTHER))
		if (r == 0)
			added = memdevices_add(d, m.major, m.minor, answer_of(m.fstype));
	return added;
}

int memdevices_read(struct memdevices *d, int fd)
{
	AUTO_BUFFER struct buffer text = {0};
	int r = file_read_all_fd(fd, MOUNTINFO_TEXT_MAX, &text);

	if (r == 0)
		r = memdevices_parse(d, text.data, text.len);
	return r == -ENOMEM ? r : 0;
}

/* tmpfs is on no block device. A full table does not know further devices. */
enum mapping_store memdevices_store(const struct memdevices *d, const struct mapping *m)
{
	if (!kind_has_file(m))
		return MAPPING_STORE_UNKNOWN;
	if (m->major)
		return MAPPING_STORE_DISK;
	switch (memdevices_ask(d, m->major, m->minor)) {
	case MEMDEVICES_YES: return MAPPING_STORE_MEMORY;
	case MEMDEVICES_DISK: return MAPPING_STORE_DISK;
	case MEMDEVICES_NO:
		return d->count < MEMDEVICES_MAX ? MAPPING_STORE_DISK : MAPPING_STORE_UNKNOWN;
	default: return MAPPING_STORE_UNKNOWN;
	}
}
