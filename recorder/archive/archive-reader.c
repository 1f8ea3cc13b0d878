/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/archive-reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/os/file.h"
#include "base/os/memfd.h"
#include "base/saturate.h"
#include "base/text.h"
#include "recorder/archive/timeline-marks.h"
#include "recorder/archive/timeline.h"
#include "recorder/codec/codec.h"

enum {
	TRIES_MAX = 64, /* snapshots that cannot be read before one call gives up */
};

struct archive_reader {
	struct timeline timeline;
	struct decoder *decoder; /* owned */
	/* The last record that was decoded, if .has_decoded */
	struct timeline_place decoded;
	uint64_t decoded_check;
	bool has_decoded;
	struct buffer payload;
	struct view *view; /* owned; of the decoder's image */
};

int archive_reader_open(const char *directory, const struct archive_listener *listener,
	struct archive_reader **ret, char reason[static ARCHIVE_REASON_SIZE])
{
	AUTO_ARCHIVE_READER struct archive_reader *r = calloc(1, sizeof(*r));
	int failure = -ENOMEM;

	if (r)
		failure = timeline_open(&r->timeline, directory, listener);
	if (failure == 0)
		failure = decoder_new(ARCHIVE_IMAGE_MAX, &r->decoder);
	if (failure == 0)
		failure = timeline_refresh(&r->timeline);
	if (failure < 0) {
		AUTO_BUFFER struct buffer path = {0};

		text_add_clean(&path, directory, strlen(directory));
		buffer_add_char(&path, '\0');
		snprintf(reason, ARCHIVE_REASON_SIZE, "cannot read the recording in %s: %s",
			path.error ? "the directory" : path.data, strerror(-failure));
		return failure;
	}
	*ret = TAKE_PTR(r);
	return 0;
}

int archive_reader_copy(const struct archive_reader *from, struct archive_reader **ret)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = calloc(1, sizeof(*r));
	int failure = -ENOMEM;

	if (r)
		failure = timeline_copy(&r->timeline, &from->timeline);
	if (failure == 0)
		failure = decoder_new(ARCHIVE_IMAGE_MAX, &r->decoder);
	if (failure == 0)
		*ret = TAKE_PTR(r);
	return failure;
}

struct archive_reader *archive_reader_close(struct archive_reader *r)
{
	if (!r)
		return NULL;
	view_unref(r->view);
	decoder_free(r->decoder);
	buffer_done(&r->payload);
	timeline_close(&r->timeline);
	free(r);
	return NULL;
}

/* Reads the payload of E into .payload. Returns 0, -ENOMEM, or a negative errno if it is not there. */
static int read_payload(struct archive_reader *r, int fd, const struct segment_entry *e)
{
	ssize_t n;

	if (e->size > ARCHIVE_PAYLOAD_MAX)
		return -EFBIG;
	buffer_clear(&r->payload);
	if (!buffer_reserve(&r->payload, (size_t)e->size + 1))
		return -ENOMEM;
	n = file_read_at(fd, r->payload.data, e->size, (off_t)e->at);
	if (n < 0)
		return (int)n;
	r->payload.len = (size_t)n;
	return r->payload.len == e->size ? 0 : -EBADMSG;
}

/* Returns the first entry that must be decoded for that of PLACE. */
static uint32_t first_entry(const struct archive_reader *r, const struct timeline_place *place,
	const struct segment_index *index)
{
	const struct timeline_place *last = &r->decoded;
	uint32_t key = index->entry[place->entry].key;

	if (r->has_decoded && last->tier == place->tier && last->number == place->number &&
		last->entry <= place->entry && last->entry >= key &&
		index->entry[last->entry].check == r->decoded_check)
		return last->entry + 1;
	return key;
}

/* Gives up the chain from AT on after FAILURE. Returns ARCHIVE_DAMAGED or -ENOMEM. */
static int give_up_chain(struct archive_reader *r, const struct timeline_place *at, int failure)
{
	bool is_damage = failure == -EBADMSG || failure == -EFBIG;
	enum timeline_loss loss = is_damage ? TIMELINE_LOST_CHAIN : TIMELINE_LOST_FOR_NOW;

	return timeline_give_up(&r->timeline, at, loss) < 0 ? -ENOMEM : ARCHIVE_DAMAGED;
}

/* Takes the payloads up to that of PLACE. Returns 0, ARCHIVE_DAMAGED or -ENOMEM. */
static int decode_chain(struct archive_reader *r, const struct timeline_place *place)
{
	const struct timeline_open *o;
	struct timeline_place at = *place;
	int failure = timeline_records(&r->timeline, place, &o);

	if (failure == 0 && place->entry >= o->index.count)
		failure = ARCHIVE_NONE;
	if (failure != 0)
		return failure < 0 ? failure : ARCHIVE_DAMAGED;
	at.entry = first_entry(r, place, &o->index);
	for (; at.entry <= place->entry; at.entry++) {
		const struct segment_entry *e = &o->index.entry[at.entry];

		r->has_decoded = false;
		failure = read_payload(r, o->fd, e);
		if (failure == 0)
			failure = decoder_add(r->decoder, (enum codec_form)e->form, r->payload.data,
				r->payload.len);
		if (failure == -ENOMEM)
			return failure;
		if (failure < 0)
			return give_up_chain(r, &at, failure);
		r->decoded = at;
		r->decoded_check = e->check;
		r->has_decoded = true;
	}
	return 0;
}

/* Sets .view to the snapshot at PLACE. Returns 0, ARCHIVE_DAMAGED or -ENOMEM. */
static int decode_view(struct archive_reader *r, const struct timeline_place *place)
{
	const char *reason;
	const void *image;
	size_t size;
	int failure;

	r->view = view_unref(r->view);
	failure = decode_chain(r, place);
	if (failure != 0)
		return failure;
	failure = decoder_image(r->decoder, &image, &size);
	if (failure == 0)
		failure = view_from_bytes(image, size, &r->view, &reason);
	if (failure == -ENOMEM)
		return failure;
	if (failure == 0 && r->view->header->realtime_ns == place->at_ns)
		return 0;
	r->view = view_unref(r->view);
	return timeline_give_up(&r->timeline, place, TIMELINE_LOST_RECORD) < 0 ? -ENOMEM
	                                                                       : ARCHIVE_DAMAGED;
}

static int explain_outcome(int outcome, const char **ret_reason)
{
	switch (outcome) {
	case ARCHIVE_NONE: *ret_reason = "no snapshot of that time is recorded"; break;
	case ARCHIVE_DAMAGED: *ret_reason = "the recording of that time is damaged"; break;
	case -ENOMEM: *ret_reason = "out of memory"; break;
	default: *ret_reason = "the directory of the recording cannot be read"; break;
	}
	return outcome;
}

/* Finds and decodes the snapshot for Q. Returns 0, ARCHIVE_NONE, ARCHIVE_DAMAGED or -ENOMEM. */
static int find_readable(
	struct archive_reader *r, const struct timeline_search *q, struct timeline_place *ret)
{
	int outcome = ARCHIVE_NONE;

	for (unsigned int i = 0; i < TRIES_MAX; i++) {
		int found = timeline_find(&r->timeline, q, ret);

		if (found != 0)
			return found < 0 || outcome == ARCHIVE_NONE ? found : outcome;
		outcome = decode_view(r, ret);
		if (outcome != ARCHIVE_DAMAGED)
			return outcome;
	}
	return outcome;
}

/* Writes the time of the nearest snapshot from AT_NS on in WAY to *RET; 0: there is none. */
static int time_beside(
	struct archive_reader *r, enum timeline_way way, uint64_t at_ns, uint64_t *ret)
{
	struct timeline_search q = {.way = way, .at_ns = at_ns};
	struct timeline_place place;
	int outcome = timeline_find(&r->timeline, &q, &place);

	*ret = outcome == 0 ? place.at_ns : 0;
	return outcome < 0 ? outcome : 0;
}

/* Makes *Q the search for PICK at AT_NS. Returns 0, ARCHIVE_NONE or -ENOMEM. */
static int search_of(struct archive_reader *r, enum past_pick pick, uint64_t at_ns,
	struct timeline_search *q, uint64_t *ret_oom_ns)
{
	struct timeline_place oom;
	int found;

	*q = (struct timeline_search){.way = TIMELINE_BEFORE, .at_ns = at_ns};
	if (pick == PAST_AFTER) {
		q->way = TIMELINE_AFTER;
		q->at_ns = saturate_add(at_ns, 1);
	}
	if (pick == PAST_OOM) {
		q->marks = PAST_MARK_OOM;
		found = timeline_find(&r->timeline, q, &oom);
		if (found != 0)
			return found;
		*ret_oom_ns = at_ns = oom.at_ns;
		q->marks = 0;
	}
	if (pick == PAST_BEFORE || pick == PAST_OOM) {
		if (!at_ns)
			return ARCHIVE_NONE;
		q->at_ns = at_ns - 1;
	}
	return 0;
}

int archive_reader_find(struct archive_reader *r, enum past_pick pick, uint64_t at_ns,
	struct archive_found *ret, const char **ret_reason)
{
	struct timeline_place place;
	struct timeline_search q;
	uint64_t oom_ns = 0, before_ns = 0, after_ns = 0;
	int outcome = timeline_refresh(&r->timeline);

	if (outcome == 0)
		outcome = search_of(r, pick, at_ns, &q, &oom_ns);
	if (outcome == 0)
		outcome = find_readable(r, &q, &place);
	if (outcome == 0 && place.at_ns)
		outcome = time_beside(r, TIMELINE_BEFORE, place.at_ns - 1, &before_ns);
	if (outcome == 0)
		outcome = time_beside(r, TIMELINE_AFTER, place.at_ns + 1, &after_ns);
	if (outcome != 0)
		return explain_outcome(outcome, ret_reason);
	*ret = (struct archive_found){
		.view = r->view,
		.at_ns = place.at_ns,
		.marks = place.marks,
		.tier = place.tier,
		.before_ns = before_ns,
		.after_ns = after_ns,
		.oom_ns = oom_ns,
	};
	return 0;
}

int archive_reader_last(
	struct archive_reader *r, struct archive_found *ret, const char **ret_reason)
{
	struct timeline_place place;
	int outcome = timeline_refresh(&r->timeline);

	for (unsigned int i = 0; outcome == 0; i++) {
		outcome = timeline_last(&r->timeline, 0, &place);
		if (outcome == 0)
			outcome = decode_view(r, &place);
		if (outcome == 0)
			break;
		if (outcome == ARCHIVE_DAMAGED && i < TRIES_MAX)
			outcome = 0;
	}
	if (outcome != 0)
		return explain_outcome(outcome, ret_reason);
	*ret = (struct archive_found){
		.view = r->view, .at_ns = place.at_ns, .marks = place.marks, .tier = place.tier};
	return 0;
}

/* Returns the highest tier with a snapshot for each step of STEP_NS. */
static unsigned int tier_for(const struct timeline *t, uint64_t step_ns)
{
	unsigned int tier = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct timeline_segment *s = &t->segment[i];

		if (!s->is_skipped && s->summary.count && s->span_ns <= step_ns)
			tier = s->file.tier;
	}
	return tier;
}

/* Finds the next snapshot of S. */
static int series_step(
	struct archive_reader *r, const struct archive_series *s, struct timeline_place *ret)
{
	struct timeline_search q = {
		.way = TIMELINE_AFTER,
		.at_ns = s->last_ns + 1,
		.tier_min = tier_for(&r->timeline, s->step_ns),
	};
	int outcome, other;

	if (s->step_ns && s->has_last)
		q.at_ns = saturate_add(s->last_ns / s->step_ns * s->step_ns, s->step_ns);
	if (q.at_ns > s->until_ns)
		return ARCHIVE_NONE;
	outcome = find_readable(r, &q, ret);
	if (q.tier_min && s->step_ns &&
		(outcome > 0 || (outcome == 0 && ret->at_ns / s->step_ns > q.at_ns / s->step_ns))) {
		struct timeline_place place;

		/* A hole in that tier: the lower ones may have something in it. */
		q.tier_min = 0;
		other = timeline_find(&r->timeline, &q, &place);
		if (other < 0)
			return other;
		if (other == 0 && (outcome > 0 || place.at_ns < ret->at_ns))
			outcome = find_readable(r, &q, ret);
	}
	return outcome == 0 && ret->at_ns > s->until_ns ? ARCHIVE_NONE : outcome;
}

int archive_reader_next(struct archive_reader *r, struct archive_series *s,
	struct archive_found *ret, const char **ret_reason)
{
	struct timeline_place place;
	int outcome = s->has_last ? series_step(r, s, &place) : ARCHIVE_NONE;

	/* At the beginning and at the end of what was known */
	if (outcome == ARCHIVE_NONE) {
		outcome = timeline_refresh(&r->timeline);
		if (outcome == 0)
			outcome = series_step(r, s, &place);
	}
	if (outcome != 0)
		return explain_outcome(outcome, ret_reason);
	s->last_ns = place.at_ns;
	s->has_last = true;
	*ret = (struct archive_found){
		.view = r->view, .at_ns = place.at_ns, .marks = place.marks, .tier = place.tier};
	return 0;
}

int archive_reader_marks(struct archive_reader *r, uint64_t from_ns, uint64_t until_ns,
	uint32_t mask, struct archive_mark *to, size_t max, size_t *ret_count)
{
	AUTO_FREE struct archive_mark *marks = NULL;
	size_t count = 0, kept;
	int failure = timeline_refresh(&r->timeline);

	if (failure == 0)
		failure = timeline_marks(&r->timeline, from_ns, until_ns, mask, &marks, &count);
	if (failure < 0)
		return failure;
	kept = saturate_min(count, max);
	if (kept)
		memcpy(to, marks + (count - kept), kept * sizeof(*to));
	*ret_count = count;
	return 0;
}

static void extend_coverage(uint64_t *first_ns, uint64_t *last_ns, const struct segment_summary *s)
{
	*first_ns = *first_ns ? saturate_min(*first_ns, s->first_ns) : s->first_ns;
	*last_ns = saturate_max(*last_ns, s->last_ns);
}

int archive_reader_coverage(struct archive_reader *r, struct archive_coverage *ret)
{
	int failure = timeline_refresh(&r->timeline);

	if (failure < 0)
		return failure;
	*ret = (struct archive_coverage){.skipped = r->timeline.skipped};
	for (size_t i = 0; i < r->timeline.count; i++) {
		const struct timeline_segment *s = &r->timeline.segment[i];

		ret->bytes += s->file.bytes;
		if (s->is_skipped || s->file.tier >= ARCHIVE_TIERS)
			continue;
		ret->tier[s->file.tier].bytes += s->file.bytes;
		ret->tier[s->file.tier].snapshots += s->summary.count;
		if (!s->summary.count)
			continue;
		extend_coverage(&ret->first_ns, &ret->last_ns, &s->summary);
		extend_coverage(&ret->tier[s->file.tier].first_ns, &ret->tier[s->file.tier].last_ns,
			&s->summary);
	}
	return 0;
}

int archive_reader_seal(const struct view *view, int *ret_fd)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)view->data, .iov_len = view->size};

	return memfd_new_sealed("memtally-snapshot", &iov, 1, ret_fd);
}
