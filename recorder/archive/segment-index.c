/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/segment-index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/file.h"
#include "base/saturate.h"
#include "recorder/codec/codec.h"
#include "snapshot/past.h"

enum { SEARCH_BYTES = 1 << 16 };

/* A segment that is being read. */
struct reading {
	int fd;
	uint64_t bytes, at;
	uint64_t last_check; /* of the record before .at; 0: none, or one that cannot be decoded */
	bool is_behind_damage; /* the bytes just before .at were skipped */
	struct segment_index *index;
};

static int segment_index_add(struct reading *g, const struct segment_record *r)
{
	struct segment_index *i = g->index;
	struct segment_entry entry = {
		.at = g->at + sizeof(*r),
		.realtime_ns = r->realtime_ns,
		.check = r->check,
		.size = r->size,
		.marks = r->marks | (g->is_behind_damage ? PAST_MARK_GAP : 0),
		.form = r->form,
		.key = SEGMENT_NO_KEY,
	};

	if (ARRAY_RESERVE(i->entry, i->room, i->count + 1) < 0)
		return -ENOMEM;
	if (r->form == CODEC_KEY || r->form == CODEC_WHOLE)
		entry.key = (uint32_t)i->count;
	else if (g->last_check && r->follows == g->last_check)
		entry.key = i->entry[i->count - 1].key;
	g->is_behind_damage = false;
	g->last_check = entry.key == SEGMENT_NO_KEY ? 0 : r->check;
	i->entry[i->count++] = entry;
	return 0;
}

/* Notes that there is damage at .at, and moves on to the next record, or to the end. */
static int skip_damage(struct reading *g)
{
	AUTO_FREE unsigned char *part = malloc(SEARCH_BYTES);
	struct segment_index *i = g->index;
	uint64_t from = g->at;

	if (!part)
		return -ENOMEM;
	g->last_check = 0;
	g->is_behind_damage = true;
	for (g->at += SEGMENT_ALIGN;
		g->bytes - saturate_min(g->at, g->bytes) >= sizeof(struct segment_record);) {
		ssize_t n = file_read_at(g->fd, part, SEARCH_BYTES, (off_t)g->at);
		size_t k = 0;

		if (n < 0)
			return (int)n;
		for (; k + sizeof(struct segment_record) <= (size_t)n; k += SEGMENT_ALIGN) {
			const struct segment_record *r = (const void *)(part + k);

			if (r->magic != SEGMENT_RECORD_MAGIC || !segment_record_is_valid(r))
				continue;
			i->damages++;
			i->damaged_at = saturate_min(i->damaged_at, from);
			g->at += k;
			return 0;
		}
		if (!k)
			break; /* the file has become shorter */
		g->at += k;
	}
	i->is_torn = true;
	g->at = g->bytes;
	return 0;
}

/* Takes the record at .at. If there is none, skips damage. */
static int take_record(struct reading *g)
{
	struct segment_record r;
	ssize_t n = file_read_at(g->fd, &r, sizeof(r), (off_t)g->at);

	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(r) || !segment_record_is_valid(&r) ||
		segment_record_bytes(r.size) > g->bytes - g->at)
		return skip_damage(g);
	if (r.kind == SEGMENT_SNAPSHOT && segment_index_add(g, &r) < 0)
		return -ENOMEM;
	if (r.kind == SEGMENT_END)
		g->index->is_ended = true;
	g->at += segment_record_bytes(r.size);
	return 0;
}

/* Marks the entries that follow one that cannot be decoded. */
static void mark_gaps(struct segment_index *i)
{
	for (size_t k = 1; k < i->count; k++)
		if (i->entry[k - 1].key == SEGMENT_NO_KEY)
			i->entry[k].marks |= PAST_MARK_GAP;
}

int segment_index_read(int fd, uint64_t bytes, struct segment_index *ret)
{
	struct reading g = {
		.fd = fd, .bytes = bytes, .at = sizeof(struct segment_head), .index = ret};
	int r = 0;

	ret->count = 0;
	ret->damages = 0;
	ret->damaged_at = UINT64_MAX;
	ret->is_torn = ret->is_ended = false;
	while (r == 0 && g.at < bytes)
		r = take_record(&g);
	mark_gaps(ret);
	return r;
}

void segment_index_lose(struct segment_index *i, size_t first, size_t end)
{
	for (size_t k = first; k < saturate_min(end, i->count); k++)
		i->entry[k].key = SEGMENT_NO_KEY;
	mark_gaps(i);
}

void segment_index_done(struct segment_index *i)
{
	free(i->entry);
	*i = (struct segment_index){0};
}

struct segment_summary segment_index_sum(const struct segment_index *i)
{
	struct segment_summary s = {.first_ns = UINT64_MAX, .count = i->count};

	for (size_t k = 0; k < i->count; k++) {
		s.first_ns = saturate_min(s.first_ns, i->entry[k].realtime_ns);
		s.last_ns = saturate_max(s.last_ns, i->entry[k].realtime_ns);
		s.marks |= i->entry[k].marks;
	}
	if (!i->count)
		s.first_ns = 0;
	return s;
}

bool segment_index_read_end(int fd, uint64_t bytes, struct segment_summary *ret)
{
	struct segment_record r;

	if (bytes < sizeof(struct segment_head) + sizeof(r) ||
		file_read_at(fd, &r, sizeof(r), (off_t)(bytes - sizeof(r))) != sizeof(r) ||
		!segment_record_is_valid(&r) || r.kind != SEGMENT_END ||
		r.follows != bytes - sizeof(r))
		return false;
	*ret = (struct segment_summary){
		.first_ns = r.realtime_ns,
		.last_ns = r.boottime_ns,
		.count = r.sequence,
		.marks = r.marks,
	};
	return true;
}
