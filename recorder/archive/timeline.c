/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/archive/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/os/file.h"
#include "base/saturate.h"
#include "base/text.h"
#include "recorder/archive/segment.h"

/* Damage beyond so many places is met again and again, which takes time but does no harm. */
enum { BADS_MAX = 4096 };

int timeline_open(
	struct timeline *t, const char *directory, const struct archive_listener *listener)
{
	*t = (struct timeline){
		.directory = directory,
		.dirfd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};
	for (size_t i = 0; i < SEGMENT_TIERS_MAX; i++)
		t->open[i].fd = -1;
	if (listener)
		t->listener = *listener;
	return t->dirfd < 0 ? -errno : 0;
}

int timeline_copy(struct timeline *t, const struct timeline *from)
{
	*t = (struct timeline){
		.directory = from->directory,
		.dirfd = openat(from->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.skipped = from->skipped,
	};
	for (size_t i = 0; i < SEGMENT_TIERS_MAX; i++)
		t->open[i].fd = -1;
	if (t->dirfd < 0)
		return -errno;
	t->segment = calloc(from->count + 1, sizeof(*t->segment));
	if (!t->segment || segment_list_copy(&t->list, &from->list) < 0)
		return -ENOMEM;
	for (; t->count < from->count; t->count++) {
		struct timeline_segment *s = &t->segment[t->count];

		*s = from->segment[t->count];
		s->mark = NULL;
		s->has_marks = false;
	}
	return 0;
}

static void open_done(struct timeline_open *o)
{
	o->fd = fd_close(o->fd);
	segment_index_done(&o->index);
}

static void forget_marks(struct timeline_segment *s)
{
	free(s->mark);
	s->mark = NULL;
	s->has_marks = false;
}

static void free_segments(struct timeline *t)
{
	for (size_t i = 0; i < t->count; i++)
		forget_marks(&t->segment[i]);
	free(t->segment);
}

void timeline_close(struct timeline *t)
{
	for (size_t i = 0; i < SEGMENT_TIERS_MAX; i++)
		open_done(&t->open[i]);
	segment_list_done(&t->list);
	free_segments(t);
	free(t->bad);
	t->dirfd = fd_close(t->dirfd);
}

/* Counts a fault of S, and says it if that is the first one of its kind. */
static void say_fault(struct timeline *t, struct timeline_segment *s, enum archive_fault_kind kind,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

static void say_fault(struct timeline *t, struct timeline_segment *s, enum archive_fault_kind kind,
	const char *format, ...)
{
	AUTO_BUFFER struct buffer text = {0};
	char name[SEGMENT_NAME_SIZE], what[ARCHIVE_REASON_SIZE];
	va_list args;

	if (s->said >> kind & 1)
		return;
	s->said |= 1U << kind;
	t->skipped++;
	if (!t->listener.call)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	segment_name(s->file.tier, s->file.number, name);
	text_add_clean(&text, t->directory, strlen(t->directory));
	buffer_printf(&text, "/%s: %s", name, what);
	buffer_add_char(&text, '\0');
	if (!text.error)
		t->listener.call(t->listener.context, kind, text.data);
}

/* Says once that S cannot be read, and has it tried again. */
static void say_unreadable(
	struct timeline *t, struct timeline_segment *s, const char *what, int error)
{
	s->is_retried = true;
	say_fault(t, s, ARCHIVE_FAULT_UNREADABLE, "cannot %s: %s", what, strerror(error));
}

/* Opens the file of S. Returns -1 if it cannot be used. */
static int open_segment(struct timeline *t, struct timeline_segment *s, uint64_t *ret_bytes)
{
	char name[SEGMENT_NAME_SIZE];
	AUTO_CLOSE int fd = -1;
	struct segment_head head;
	struct stat st;
	ssize_t n;
	int r;

	segment_name(s->file.tier, s->file.number, name);
	fd = openat(t->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (errno != ENOENT) /* else it was just removed, as the oldest one */
			say_unreadable(t, s, "open", errno);
		return -1;
	}
	n = file_read_at(fd, &head, sizeof(head), 0);
	if (n < 0) {
		say_unreadable(t, s, "read", (int)-n);
		return -1;
	}
	if ((size_t)n < sizeof(head))
		return -1; /* recording has just begun, or ended there */
	r = segment_head_check(&head);
	if (r == 0 && (head.tier != s->file.tier || head.number != s->file.number))
		r = SEGMENT_FOREIGN;
	if (r == SEGMENT_FOREIGN)
		say_fault(t, s, ARCHIVE_FAULT_FOREIGN, "not a recording of memtally");
	if (r == SEGMENT_NEWER)
		say_fault(t, s, ARCHIVE_FAULT_NEWER,
			"recorded by another version of memtally (format %u, images %u)",
			head.major, head.image_major);
	if (r != 0)
		return -1;
	s->span_ns = head.span_ns;
	*ret_bytes = (uint64_t)st.st_size;
	return TAKE_FD(fd);
}

static void forget_bad(
	const struct timeline *t, const struct timeline_segment *s, struct segment_index *index)
{
	for (size_t i = 0; i < t->bads; i++) {
		const struct timeline_bad *b = &t->bad[i];

		if (b->tier == s->file.tier && b->number == s->file.number)
			segment_index_lose(index, b->first, b->end);
	}
}

/* Whether S is the newest segment of its tier, which may be being written. */
static bool is_newest(const struct timeline *t, const struct timeline_segment *s)
{
	const struct timeline_segment *next = s + 1;

	return next == t->segment + t->count || next->file.tier != s->file.tier;
}

/* Makes S the open segment of its tier. Returns 0, -ENOMEM, or ARCHIVE_NONE: S is skipped from now on. */
static int load_segment(struct timeline *t, struct timeline_segment *s)
{
	struct timeline_open *o = &t->open[s->file.tier];
	uint64_t bytes;
	int r;

	o->is_stale = false;
	o->fd = fd_close(o->fd);
	o->fd = open_segment(t, s, &bytes);
	s->is_skipped = o->fd < 0;
	if (s->is_skipped)
		return ARCHIVE_NONE;
	r = segment_index_read(o->fd, bytes, &o->index);
	if (r < 0) {
		o->fd = fd_close(o->fd);
		s->is_skipped = r != -ENOMEM;
		if (s->is_skipped)
			say_unreadable(t, s, "read", -r);
		return s->is_skipped ? ARCHIVE_NONE : r;
	}
	o->number = s->file.number;
	o->bytes = s->file.bytes = bytes;
	if (o->index.damages)
		say_fault(t, s, ARCHIVE_FAULT_DAMAGED,
			"damaged at byte %" PRIu64 ": skipped snapshots", o->index.damaged_at);
	if (o->index.is_torn && !is_newest(t, s))
		say_fault(t, s, ARCHIVE_FAULT_TORN, "ends within a snapshot: skipped it");
	forget_bad(t, s, &o->index);
	s->summary = segment_index_sum(&o->index);
	s->is_known = true;
	return 0;
}

/* Sets the summary of S, if it is not known yet. Returns 0 or -ENOMEM. */
static int summarize_segment(struct timeline *t, struct timeline_segment *s)
{
	AUTO_CLOSE int fd = -1;
	uint64_t bytes;
	int r;

	if (s->is_known || s->is_skipped)
		return 0;
	fd = open_segment(t, s, &bytes);
	if (fd < 0) {
		s->is_skipped = true;
		return 0;
	}
	s->is_ended = segment_index_read_end(fd, bytes, &s->summary);
	s->is_known = s->is_ended;
	r = s->is_ended ? 0 : load_segment(t, s);
	return r < 0 ? r : 0;
}

/* Returns the segment of TIER with NUMBER; NULL: there is none. */
static struct timeline_segment *segment_of(
	const struct timeline *t, unsigned int tier, uint64_t number)
{
	size_t at = ARRAY_FIRST(t->count, i,
		t->segment[i].file.tier > tier ||
			(t->segment[i].file.tier == tier && t->segment[i].file.number >= number));

	return at < t->count && t->segment[at].file.tier == tier &&
	                       t->segment[at].file.number == number
	               ? &t->segment[at]
	               : NULL;
}

/* Returns the segment of FILE, with what is known of it, which T forgets. */
static struct timeline_segment take_segment(
	const struct timeline *t, const struct segment_file *file)
{
	struct timeline_segment *known = segment_of(t, file->tier, file->number);
	struct timeline_segment s = {.is_known = false};

	if (known) {
		s = *known;
		known->mark = NULL;
		if (known->file.bytes != file->bytes) {
			s.is_known = s.is_ended = s.is_skipped = false;
			forget_marks(&s);
		}
	}
	if (s.is_retried)
		s.is_retried = s.is_skipped = false;
	s.file = *file;
	return s;
}

int timeline_refresh(struct timeline *t)
{
	struct timeline_segment *segment;
	int r = segment_list_update(t->dirfd, &t->list);

	if (r < 0)
		return r;
	segment = calloc(t->list.count + 1, sizeof(*segment));
	if (!segment)
		return -ENOMEM;
	for (size_t i = 0; i < t->list.count; i++)
		segment[i] = take_segment(t, &t->list.file[i]);
	free_segments(t);
	for (size_t i = 0; i < SEGMENT_TIERS_MAX; i++)
		if (t->open[i].is_stale)
			t->open[i].fd = fd_close(t->open[i].fd);
	t->segment = segment;
	t->count = t->list.count;
	for (size_t i = 0; r == 0 && i < t->count; i++)
		r = summarize_segment(t, &t->segment[i]);
	return r;
}

int timeline_records(
	struct timeline *t, const struct timeline_place *place, const struct timeline_open **ret)
{
	struct timeline_segment *s = segment_of(t, place->tier, place->number);
	struct timeline_open *o = &t->open[place->tier];
	int r = 0;

	if (!s || s->is_skipped)
		return ARCHIVE_NONE;
	if (o->fd < 0 || o->number != place->number || o->bytes != s->file.bytes)
		r = load_segment(t, s);
	*ret = o;
	return r;
}

/* Returns the best time that S can have for Q. */
static uint64_t bound_of(const struct timeline_segment *s, const struct timeline_search *q)
{
	return q->way == TIMELINE_BEFORE ? saturate_min(s->summary.last_ns, q->at_ns)
	                                 : saturate_max(s->summary.first_ns, q->at_ns);
}

static bool may_have(const struct timeline_segment *s, const struct timeline_search *q)
{
	return !s->is_skipped && !s->is_visited && s->summary.count &&
	       s->file.tier >= q->tier_min && (!q->marks || (s->summary.marks & q->marks)) &&
	       (q->way == TIMELINE_BEFORE ? s->summary.first_ns <= q->at_ns
					  : s->summary.last_ns >= q->at_ns);
}

static bool timeline_is_nearer(const struct timeline_search *q, uint64_t a_ns, uint64_t b_ns)
{
	return q->way == TIMELINE_BEFORE ? a_ns > b_ns : a_ns < b_ns;
}

/* Returns the segment that may have the best record; of several the first one. NULL: none has any. */
static struct timeline_segment *next_segment(
	const struct timeline *t, const struct timeline_search *q)
{
	struct timeline_segment *best = NULL;

	for (size_t i = 0; i < t->count; i++) {
		struct timeline_segment *s = &t->segment[i];

		if (may_have(s, q) &&
			(!best || timeline_is_nearer(q, bound_of(s, q), bound_of(best, q))))
			best = s;
	}
	return best;
}

static struct timeline_place place_of(
	const struct timeline_segment *s, const struct segment_index *index, uint32_t entry)
{
	return (struct timeline_place){
		.tier = s->file.tier,
		.number = s->file.number,
		.entry = entry,
		.at_ns = index->entry[entry].realtime_ns,
		.marks = index->entry[entry].marks,
	};
}

/* Updates *BEST with the best record of S, in INDEX. */
static void search_segment(const struct timeline_segment *s, const struct segment_index *index,
	const struct timeline_search *q, struct timeline_place *best, bool *has)
{
	for (size_t i = 0; i < index->count; i++) {
		const struct segment_entry *e = &index->entry[i];
		bool fits = q->way == TIMELINE_BEFORE ? e->realtime_ns <= q->at_ns
		                                      : e->realtime_ns >= q->at_ns;

		if (!fits || e->key == SEGMENT_NO_KEY || (q->marks && !(e->marks & q->marks)))
			continue;
		if (*has && timeline_is_nearer(q, best->at_ns, e->realtime_ns))
			continue;
		/* Segments come by ascending tier and number if their bounds are equal. */
		if (*has && best->at_ns == e->realtime_ns && s->file.tier > best->tier)
			continue;
		*best = place_of(s, index, (uint32_t)i);
		*has = true;
	}
}

int timeline_find(
	struct timeline *t, const struct timeline_search *search, struct timeline_place *ret)
{
	struct timeline_segment *s;
	bool has = false;

	for (size_t i = 0; i < t->count; i++)
		t->segment[i].is_visited = false;
	while ((s = next_segment(t, search))) {
		struct timeline_place place = {.tier = s->file.tier, .number = s->file.number};
		const struct timeline_open *o;
		int r;

		if (has && timeline_is_nearer(search, ret->at_ns, bound_of(s, search)))
			break;
		s->is_visited = true;
		if (has && ret->at_ns == bound_of(s, search) && s->file.tier > ret->tier)
			continue;
		r = timeline_records(t, &place, &o);
		if (r < 0)
			return r;
		if (r == 0)
			search_segment(s, &o->index, search, ret, &has);
	}
	return has ? 0 : ARCHIVE_NONE;
}

int timeline_last(struct timeline *t, unsigned int tier, struct timeline_place *ret)
{
	for (size_t i = t->count; i--;) {
		const struct timeline_segment *s = &t->segment[i];
		struct timeline_place place = {.tier = tier, .number = s->file.number};
		const struct timeline_open *o;
		int r;

		if (s->file.tier != tier || s->is_skipped || !s->summary.count)
			continue;
		r = timeline_records(t, &place, &o);
		if (r < 0)
			return r;
		for (size_t k = r == 0 ? o->index.count : 0; k--;) {
			if (o->index.entry[k].key == SEGMENT_NO_KEY)
				continue;
			*ret = place_of(s, &o->index, (uint32_t)k);
			return 0;
		}
	}
	return ARCHIVE_NONE;
}

int timeline_give_up(
	struct timeline *t, const struct timeline_place *place, enum timeline_loss loss)
{
	struct timeline_segment *s = segment_of(t, place->tier, place->number);
	struct timeline_open *o = &t->open[place->tier];
	uint32_t end = place->entry + 1;

	if (!s || o->fd < 0 || o->number != place->number)
		return 0;
	say_fault(t, s, ARCHIVE_FAULT_DAMAGED, "damaged at byte %" PRIu64 ": skipped snapshots",
		o->index.entry[place->entry].at);
	while (loss != TIMELINE_LOST_RECORD && end < o->index.count &&
		o->index.entry[end].key == o->index.entry[place->entry].key)
		end++;
	o->is_stale = loss == TIMELINE_LOST_FOR_NOW;
	if (!o->is_stale && t->bads < BADS_MAX) {
		if (ARRAY_RESERVE(t->bad, t->bad_room, t->bads + 1) < 0)
			return -ENOMEM;
		t->bad[t->bads++] = (struct timeline_bad){
			place->tier, place->number, place->entry, end};
	}
	segment_index_lose(&o->index, place->entry, end);
	return 0;
}
