/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/tier.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/saturate.h"
#include "recorder/archive/segment.h"

enum {
	FILE_MODE = 0640,
	NAME_TRIES = 100, /* of other files with the name of a segment */
	/* A longer chain saves little space, and takes longer to decode. */
	CHAIN_MAX = 128,
	CHAIN_KEYS_MAX = 16, /* of the size of its key */
};

static int tier_note_failure(struct tier *t, const char *what, uint64_t number, int error)
{
	t->what = what;
	t->failed_number = number;
	return error;
}

/* Removes the oldest segment of T. */
static int tier_remove_oldest(struct tier *t)
{
	const struct segment_file *oldest = &t->list.file[0];
	char name[SEGMENT_NAME_SIZE];

	segment_name(t->tier, oldest->number, name);
	if (unlinkat(t->dirfd, name, 0) < 0 && errno != ENOENT)
		return tier_note_failure(t, "cannot remove", oldest->number, -errno);
	t->bytes -= oldest->bytes;
	t->counts.removed++;
	t->list.count--;
	memmove(t->list.file, t->list.file + 1, t->list.count * sizeof(t->list.file[0]));
	return 0;
}

int tier_init(struct tier *t, int dirfd, unsigned int tier, uint64_t span_ns, uint64_t bytes_max,
	const struct segment_list *list, struct syncer *syncer)
{
	int r;

	*t = (struct tier){
		.dirfd = dirfd,
		.syncer = syncer,
		.tier = tier,
		.slot.span_ns = span_ns,
		.bytes_max = bytes_max,
		.next_number = 1,
		.fd = -1,
	};
	for (size_t i = 0; i < list->count; i++) {
		if (list->file[i].tier != tier)
			continue;
		if (ARRAY_RESERVE(t->list.file, t->list.room, t->list.count + 1) < 0)
			return -ENOMEM;
		t->list.file[t->list.count++] = list->file[i];
		t->bytes += list->file[i].bytes;
		t->next_number = list->file[i].number + 1;
	}
	r = encoder_new(ARCHIVE_IMAGE_MAX, &t->encoder);
	while (r == 0 && t->bytes > t->bytes_max)
		r = tier_remove_oldest(t);
	return r == 0 ? tier_slot_recall(&t->slot, dirfd, &t->list) : r;
}

/* Closes the segment that is being written, and makes the next record begin another one. */
static void close_segment(struct tier *t)
{
	t->fd = syncer_release(t->syncer, t->fd);
	t->is_dirty = false;
	encoder_reset(t->encoder);
}

void tier_sync(struct tier *t)
{
	if (t->fd >= 0 && t->is_dirty)
		syncer_add(t->syncer, t->fd, t->tier, t->next_number - 1);
	t->is_dirty = false;
}

/* Closes the segment that is being written. Its records wait for no archive_sync(). */
static void leave_segment(struct tier *t)
{
	tier_sync(t);
	close_segment(t);
}

/* Writes LEN bytes at .at of the segment. Cuts them off again if that fails. */
static int append_bytes(struct tier *t, const void *data, size_t len)
{
	const char *bytes = data;
	size_t done = 0;
	int error;

	errno = 0;
	while (done < len) {
		ssize_t n = pwrite(t->fd, bytes + done, len - done, (off_t)(t->at + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (done == len) {
		t->at += len;
		t->bytes += len;
		t->list.file[t->list.count - 1].bytes += len;
		t->is_dirty = true;
		return 0;
	}
	error = errno ? -errno : -EIO;
	/* If this fails, too, the reader finds a torn record, and the next one is in another file. */
	if (ftruncate(t->fd, (off_t)t->at) < 0) {
		t->bytes += done;
		t->list.file[t->list.count - 1].bytes += done;
		leave_segment(t);
	}
	return tier_note_failure(t, "cannot write", t->next_number - 1, error);
}

/*
 * Writes the end of the segment that is being written. Without it a reader takes longer, but finds the
 * same records: failures do not matter.
 */
static void add_end(struct tier *t)
{
	struct segment_record end = {
		.kind = SEGMENT_END,
		.marks = t->summary.marks,
		.realtime_ns = t->summary.first_ns,
		.boottime_ns = t->summary.last_ns,
		.sequence = t->summary.count,
		.follows = t->at,
	};

	segment_record_seal(&end);
	if (t->fd >= 0 && t->bytes + sizeof(end) <= t->bytes_max)
		append_bytes(t, &end, sizeof(end));
}

void tier_done(struct tier *t)
{
	add_end(t);
	close_segment(t);
	t->encoder = encoder_free(t->encoder);
	segment_list_done(&t->list);
	buffer_done(&t->record);
}

/* Makes the file of the next segment, and writes its name. Skips names that other files have. */
static int make_file(struct tier *t, char name[static SEGMENT_NAME_SIZE])
{
	for (unsigned int tries = NAME_TRIES; tries; tries--) {
		segment_name(t->tier, t->next_number, name);
		t->fd = openat(t->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			FILE_MODE);
		if (t->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
		t->next_number++;
	}
	return tier_note_failure(t, "cannot make", t->next_number, -errno);
}

static int begin_segment(struct tier *t)
{
	char name[SEGMENT_NAME_SIZE];
	struct segment_head head;
	int r;

	if (ARRAY_RESERVE(t->list.file, t->list.room, t->list.count + 1) < 0)
		return -ENOMEM;
	r = make_file(t, name);
	if (r < 0)
		return r;
	head = segment_head_make(t->tier, t->next_number, t->slot.span_ns);
	t->list.file[t->list.count++] = (struct segment_file){t->tier, t->next_number++, 0};
	t->at = 0;
	t->summary = (struct segment_summary){.first_ns = UINT64_MAX};
	t->has_new_name = true;
	r = append_bytes(t, &head, sizeof(head));
	if (r < 0) {
		close_segment(t);
		if (unlinkat(t->dirfd, name, 0) == 0)
			t->bytes -= t->list.file[--t->list.count].bytes;
	}
	return r;
}

/* Ends the segment that is being written if it is long enough, was removed, or is not synchronized. */
static void check_segment(struct tier *t)
{
	struct stat st;

	if (t->fd >= 0 && (fstat(t->fd, &st) < 0 || !st.st_nlink ||
				  syncer_has_failed(t->syncer, t->tier, t->next_number - 1)))
		leave_segment(t);
	if (t->fd < 0 || t->at < segment_bytes_wanted(t->bytes_max))
		return;
	add_end(t);
	leave_segment(t);
}

/*
 * Removes the oldest segments until LEN more bytes fit, at last the one that is being written.
 * Begins a segment if there is none.
 */
static int make_room(struct tier *t, uint64_t len)
{
	uint64_t more = len + sizeof(struct segment_head) + sizeof(struct segment_record);
	int r = 0;

	if (more > t->bytes_max)
		return tier_note_failure(t,
			"a share of recorder.size is too small for a snapshot in", t->next_number,
			-EFBIG);
	while (r == 0 && t->bytes + more > t->bytes_max) {
		if (t->fd >= 0 && t->list.count == 1)
			close_segment(t);
		r = tier_remove_oldest(t);
	}
	return r == 0 && t->fd < 0 ? begin_segment(t) : r;
}

static bool wants_key(const struct tier *t)
{
	return t->fd < 0 || !t->chain || t->chain >= CHAIN_MAX ||
	       t->chain_bytes > CHAIN_KEYS_MAX * t->key_bytes;
}

/* Sets .record to the record of VIEW. */
static int make_record(struct tier *t, const struct view *view, uint32_t marks, bool is_key,
	enum codec_form *ret_form)
{
	const struct image_header *h = view->header;
	struct segment_record record = {
		.kind = SEGMENT_SNAPSHOT,
		.marks = marks,
		.realtime_ns = h->realtime_ns,
		.boottime_ns = h->boottime_ns,
		.sequence = h->sequence,
	};
	size_t size;
	int r;

	buffer_clear(&t->record);
	buffer_add_zero(&t->record, sizeof(record));
	r = encoder_add(t->encoder, view, is_key, &t->record, ret_form);
	size = t->record.len - sizeof(record);
	buffer_align(&t->record, SEGMENT_ALIGN);
	if (r == 0 && (t->record.error || size > ARCHIVE_PAYLOAD_MAX))
		r = t->record.error ? t->record.error : -EFBIG;
	if (r < 0) {
		encoder_reset(t->encoder);
		return tier_note_failure(t, "cannot encode a snapshot for", t->next_number, r);
	}
	memcpy(record.instance, h->instance, sizeof(record.instance));
	record.form = (uint16_t)*ret_form;
	record.size = (uint32_t)size;
	record.follows = *ret_form == CODEC_DELTA ? t->last_check : 0;
	segment_record_seal(&record);
	memcpy(t->record.data, &record, sizeof(record));
	t->last_check = record.check;
	return 0;
}

static void count_record(struct tier *t, uint64_t realtime_ns, uint32_t marks, enum codec_form form)
{
	bool is_key = form != CODEC_DELTA;

	t->summary.first_ns = saturate_min(t->summary.first_ns, realtime_ns);
	t->summary.last_ns = saturate_max(t->summary.last_ns, realtime_ns);
	t->summary.marks |= marks;
	t->summary.count++;
	t->chain = is_key ? 1 : t->chain + 1;
	t->chain_bytes = is_key ? 0 : t->chain_bytes + t->record.len;
	t->key_bytes = is_key ? t->record.len : t->key_bytes;
	t->counts.records++;
	t->counts.keys += is_key;
	t->counts.record_bytes += t->record.len;
}

int tier_add(struct tier *t, const struct view *view, uint32_t marks)
{
	enum codec_form form = CODEC_KEY;
	int r;

	check_segment(t);
	r = make_record(t, view, marks, wants_key(t), &form);
	if (r == 0)
		r = make_room(t, t->record.len);
	/* A new segment begins with a key. */
	if (r == 0 && form == CODEC_DELTA && !t->summary.count) {
		r = make_record(t, view, marks, true, &form);
		if (r == 0)
			r = make_room(t, t->record.len);
	}
	if (r == 0)
		r = append_bytes(t, t->record.data, t->record.len);
	if (r == 0) {
		count_record(t, view->header->realtime_ns, marks, form);
		tier_slot_take(&t->slot, view->header->realtime_ns, marks);
	} else {
		encoder_reset(t->encoder);
		t->chain = 0;
	}
	encoder_rest(t->encoder);
	buffer_rest(&t->record);
	return r;
}
