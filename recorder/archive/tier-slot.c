/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/tier-slot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/os/file.h"
#include "recorder/archive/segment-index.h"
#include "recorder/archive/segment.h"

/* Segments without a snapshot that a failing disk may have left behind the newest one. */
enum { RECALL_TRIES = 16 };

static uint64_t slot_of(const struct tier_slot *s, uint64_t realtime_ns)
{
	return s->span_ns ? realtime_ns / s->span_ns : 0;
}

bool tier_slot_wants(const struct tier_slot *s, uint64_t realtime_ns, uint32_t marks)
{
	return !s->span_ns || !s->has_slot || s->slot != slot_of(s, realtime_ns) ||
	       (marks & ~s->marks);
}

void tier_slot_take(struct tier_slot *s, uint64_t realtime_ns, uint32_t marks)
{
	uint64_t slot = slot_of(s, realtime_ns);

	s->marks = (s->has_slot && s->slot == slot ? s->marks : 0) | marks;
	s->slot = slot;
	s->has_slot = true;
}

/* Reads the records of FILE into *INDEX: none if it cannot be used. Returns 0 or -ENOMEM. */
static int read_records(int dirfd, const struct segment_file *file, struct segment_index *index)
{
	char name[SEGMENT_NAME_SIZE];
	AUTO_CLOSE int fd = -1;
	struct segment_head head;
	struct stat st;

	segment_name(file->tier, file->number, name);
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		file_read_at(fd, &head, sizeof(head), 0) != sizeof(head) ||
		segment_head_check(&head) != 0)
		return 0;
	return segment_index_read(fd, (uint64_t)st.st_size, index) == -ENOMEM ? -ENOMEM : 0;
}

int tier_slot_recall(struct tier_slot *s, int dirfd, const struct segment_list *list)
{
	struct segment_index index = {0};
	int r = 0;

	for (size_t i = list->count, tries = RECALL_TRIES;
		s->span_ns && r == 0 && !index.count && i && tries; tries--)
		r = read_records(dirfd, &list->file[--i], &index);
	for (size_t i = 0; r == 0 && i < index.count; i++)
		if (index.entry[i].key != SEGMENT_NO_KEY)
			tier_slot_take(s, index.entry[i].realtime_ns, index.entry[i].marks);
	segment_index_done(&index);
	return r;
}
